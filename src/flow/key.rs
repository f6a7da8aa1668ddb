//! Which connection does a segment belong to: the unordered pair of its endpoints within one
//! virtual network.

use std::hash::{Hash, Hasher};
use std::net::IpAddr;

use crate::wire::{Endpoint, Scope, Segment};

/// The same for both directions of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FlowKey {
    scope: Scope,
    low: Endpoint,
    high: Endpoint,
}

impl FlowKey {
    /// The key, and whether the segment came from its `low` end. A connection of an endpoint with
    /// itself has one direction only, as in Wireshark.
    pub(super) fn of(segment: &Segment) -> (Self, bool) {
        let Segment { scope, src, dst, .. } = *segment;
        let is_from_low = src <= dst;
        let (low, high) = if is_from_low { (src, dst) } else { (dst, src) };
        (Self { scope, low, high }, is_from_low)
    }

    pub(super) fn scope(&self) -> Scope {
        self.scope
    }

    /// The same endpoints, outside any virtual network.
    pub(super) fn plain(&self) -> Self {
        Self { scope: Scope(0), ..*self }
    }

    /// The same endpoints in another virtual network.
    pub(super) fn within(&self, scope: Scope) -> Self {
        Self { scope, ..*self }
    }

    /// Both ends, the one named by `is_low_first` in front.
    pub(super) fn endpoints(&self, is_low_first: bool) -> (Endpoint, Endpoint) {
        if is_low_first { (self.low, self.high) } else { (self.high, self.low) }
    }
}

/// Few wide writes: hashing is on the path of every segment.
impl Hash for FlowKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let ports = u32::from(self.low.port) << 16 | u32::from(self.high.port);
        if let (IpAddr::V4(low), IpAddr::V4(high)) = (self.low.addr, self.high.addr) {
            state.write_u64(u64::from(low.to_bits()) << 32 | u64::from(high.to_bits()));
        } else {
            state.write_u128(wide(self.low.addr));
            state.write_u128(wide(self.high.addr));
        }
        state.write_u64(self.scope.0);
        state.write_u32(ports);
    }
}

fn wide(addr: IpAddr) -> u128 {
    match addr {
        IpAddr::V4(addr) => u128::from(addr.to_bits()),
        IpAddr::V6(addr) => addr.to_bits(),
    }
}
