//! Which virtual network a tuple belongs to.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// VLAN tags, VNI and tunnel ends, folded into one number that is the same for both directions of a
/// connection; 0 for a plain frame. MPLS labels differ between them, so they are no part of it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Scope(pub(crate) u64);

/// The headers that make up a scope, outermost first.
#[derive(Debug, Default, Clone)]
pub(super) struct ScopePath {
    steps: [Option<Step>; ScopePath::STEPS_MAX],
    id: u64,
}

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Vlan(u16),
    Vxlan(u32),
    Geneve(u32),
    Gre(u32),
    Gtp,
    IpInIp,
}

impl ScopePath {
    /// Steps named; further ones still count in the number.
    const STEPS_MAX: usize = 4;

    pub(super) fn push(&mut self, step: Step) {
        self.fold(step.number());
        if let Some(slot) = self.steps.iter_mut().find(|slot| slot.is_none()) {
            *slot = Some(step);
        }
    }

    /// Adds the two ends of a tunnel, in either order.
    pub(super) fn push_ends(&mut self, a: std::net::IpAddr, b: std::net::IpAddr) {
        self.fold(hash_addr(a) ^ hash_addr(b));
    }

    pub(super) fn id(&self) -> Scope {
        Scope(self.id)
    }

    /// FNV-1a's multiplication: the number must be the same in every run.
    fn fold(&mut self, number: u64) {
        self.id = (self.id ^ number).wrapping_mul(0x0100_0000_01b3).rotate_left(29) | 1;
    }

    fn name(&self) -> String {
        let mut name = String::new();
        for step in self.steps.iter().flatten() {
            let gap = if name.is_empty() { "" } else { ", " };
            let _ = match step {
                Step::Vlan(id) => write!(name, "{gap}vlan {id}"),
                Step::Vxlan(vni) => write!(name, "{gap}vxlan {vni}"),
                Step::Geneve(vni) => write!(name, "{gap}geneve {vni}"),
                Step::Gre(key) => write!(name, "{gap}gre {key}"),
                Step::Gtp => write!(name, "{gap}gtp-u"),
                Step::IpInIp => write!(name, "{gap}ip-in-ip"),
            };
        }
        name
    }
}

impl Step {
    fn number(self) -> u64 {
        let (kind, id) = match self {
            Self::Vlan(id) => (1, u64::from(id)),
            Self::Vxlan(vni) => (2, u64::from(vni)),
            Self::Geneve(vni) => (3, u64::from(vni)),
            Self::Gre(key) => (4, u64::from(key)),
            Self::Gtp => (5, 0),
            Self::IpInIp => (6, 0),
        };
        (kind << 56) | id
    }
}

fn hash_addr(addr: std::net::IpAddr) -> u64 {
    let octets = match addr {
        std::net::IpAddr::V4(v4) => u128::from(v4.to_bits()),
        std::net::IpAddr::V6(v6) => v6.to_bits(),
    };
    let [low, high] = [octets & u128::from(u64::MAX), octets >> 64]
        .map(|half| u64::try_from(half).unwrap_or_default());
    low.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ high.rotate_left(31)
}

/// Names of the scopes met.
#[derive(Debug, Default)]
pub(super) struct ScopeNames {
    names: BTreeMap<Scope, String>,
}

impl ScopeNames {
    /// Names kept; further scopes are told apart but stay nameless.
    const NAMES_MAX: usize = 4096;

    /// Notes the name of `path`, and gives its number.
    pub(super) fn name(&mut self, path: &ScopePath) -> Scope {
        let scope = path.id();
        if scope != Scope(0) && self.names.len() < Self::NAMES_MAX {
            self.names.entry(scope).or_insert_with(|| path.name());
        }
        scope
    }

    pub(super) fn get(&self, scope: Scope) -> Option<&str> {
        self.names.get(&scope).map(String::as_str)
    }
}
