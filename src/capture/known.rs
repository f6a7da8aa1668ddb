//! Which names stand for one file? Asked of inputs, and of an input and the place of a report.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::Path;

use super::source::display_name;

/// What was opened, by what it is, under the name by which it came first. A packet that is read twice looks
/// sent or recorded twice, so that no verdict would be right; and `*.pcap latest.pcap` is soon typed.
#[derive(Debug, Default)]
pub(super) struct Known(BTreeMap<Identity, String>);

impl Known {
    /// What to say of `path` if it came before, by this name or another.
    pub(super) fn again(&mut self, path: &Path) -> Option<String> {
        let name = display_name(path);
        match self.0.entry(identity(path)?) {
            Entry::Vacant(place) => {
                place.insert(name);
                None
            }
            Entry::Occupied(first) if *first.get() == name => {
                Some(format!("{name} was named twice, and is read once"))
            }
            Entry::Occupied(first) => {
                Some(format!("{name} is the same file as {}, which is read once", first.get()))
            }
        }
    }
}

/// Whether both names stand for one file, be it through a link. What does not exist is no file.
#[must_use]
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

/// Device and inode: the same for hard links and what symbolic links point to.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// The path that symbolic links lead to.
#[cfg(not(unix))]
type Identity = std::path::PathBuf;

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    fs::canonicalize(path).ok()
}
