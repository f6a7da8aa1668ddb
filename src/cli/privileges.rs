//! Rights are for opening the interface. They are given up before the first packet is looked at, as
//! tcpdump does: root becomes the user who called sudo, else nobody; capabilities go in any case.

use std::env;
use std::fs;

/// Who captures when root does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heir {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// Linux's overflow user and group, what most systems call nobody.
const NOBODY: Heir = Heir { uid: 65_534, gid: 65_534 };

/// The user who called sudo; `None` without sudo, or if that was root.
pub(super) fn caller() -> Option<Heir> {
    let number = |name| env::var(name).ok()?.parse::<u32>().ok();
    let heir = Heir { uid: number("SUDO_UID")?, gid: number("SUDO_GID")? };
    (is_root() && heir.uid != 0).then_some(heir)
}

#[cfg(target_os = "linux")]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(target_os = "linux"))]
fn is_root() -> bool {
    false
}

/// Gives up all rights of this thread and of those that it starts; else says why that failed.
#[cfg(target_os = "linux")]
pub(super) fn give_up() -> Result<(), String> {
    use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};
    let heir = caller().or_else(nobody).unwrap_or(NOBODY);
    if is_root() && is_mapped(heir) {
        become_user(heir).map_err(|error| format!("becoming user {}: {error}", heir.uid))?;
        if rustix::thread::set_thread_uid(rustix::process::Uid::ROOT).is_ok() {
            return Err("root's rights would come back".to_owned());
        }
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).map_err(|error| format!("giving up capabilities: {error}"))?;
    set_no_new_privs(true).map_err(|error| format!("forbidding new ones: {error}"))
}

/// Elsewhere the right to capture is a file's (`/dev/bpf`), and goes with the open file.
#[cfg(not(target_os = "linux"))]
pub(super) fn give_up() -> Result<(), String> {
    let _ = (NOBODY, nobody as fn() -> Option<Heir>, is_in_map as fn(&str, u32) -> bool);
    Ok(())
}

#[cfg(target_os = "linux")]
fn become_user(heir: Heir) -> rustix::io::Result<()> {
    use rustix::process::{Gid, Uid};
    use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
    let (uid, gid) = (Uid::from_raw(heir.uid), Gid::from_raw(heir.gid));
    set_thread_groups(&[])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)
}

/// The user of that name in /etc/passwd.
fn nobody() -> Option<Heir> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let fields = users.lines().find(|line| line.starts_with("nobody:"))?.split(':');
    let mut numbers = fields.skip(2).map(|field| field.parse::<u32>().ok());
    Some(Heir { uid: numbers.next()??, gid: numbers.next()?? })
}

/// Whether such a user exists in this user namespace. In one that holds nobody but root, root is an
/// ordinary user outside, and its capabilities are all that is to be given up.
#[cfg(target_os = "linux")]
fn is_mapped(heir: Heir) -> bool {
    let map = |name| fs::read_to_string(name).unwrap_or_default();
    is_in_map(&map("/proc/self/uid_map"), heir.uid)
        && is_in_map(&map("/proc/self/gid_map"), heir.gid)
}

/// A line of the map: first number inside, first outside, how many (`user_namespaces(7)`).
fn is_in_map(map: &str, id: u32) -> bool {
    map.lines().any(|line| {
        let numbers: Vec<u64> = line.split_whitespace().flat_map(str::parse).collect();
        match numbers.as_slice() {
            [inside, _, count] => (*inside..inside.saturating_add(*count)).contains(&u64::from(id)),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_namespace_may_hold_nobody_but_root() {
        let initial = "         0          0 4294967295\n";
        assert!(is_in_map(initial, 65_534));
        let of_root_alone = "         0       1000          1\n";
        assert!(is_in_map(of_root_alone, 0));
        assert!(!is_in_map(of_root_alone, 65_534));
        assert!(!is_in_map("", 0));
    }
}
