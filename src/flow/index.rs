//! From a hash to the places that may hold its key: open addressing with linear probing over
//! eight octets an entry, so that a lookup touches one cache line before it touches a record.

/// Empty entries hold this place, which [`Index::insert`] never stores.
const EMPTY: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Low half of the key's hash; its low bits are the entry's home.
    tag: u32,
    place: u32,
}

/// What of a key's hash is kept.
pub(super) fn tag(hash: u64) -> u32 {
    u32::try_from(hash & u64::from(u32::MAX)).unwrap_or(0)
}

/// Places by hash; a power of two of entries, at most three quarters of them in use.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: Vec<Entry>,
    len: usize,
}

impl Index {
    /// Octets an entry costs at the lowest fill, right after the entries were doubled.
    pub(super) const ENTRY_COST: u64 = 8 * 8 / 3;

    /// Entries of a cache line.
    const NEAR: usize = 8;

    /// The first place with this tag that `is_match` accepts.
    pub(super) fn find(&self, tag: u32, mut is_match: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut at = self.home(tag);
        // An empty entry ends every run: a quarter of them are empty.
        while let Some(entry) = self.entries.get(at).filter(|entry| entry.place != EMPTY) {
            if entry.tag == tag && is_match(entry.place) {
                return Some(entry.place);
            }
            at = self.next(at);
        }
        None
    }

    /// The first place with this tag, if that is near its home; else [`u32::MAX`].
    pub(super) fn likely(&self, tag: u32) -> u32 {
        let mut at = self.home(tag);
        for _ in 0..Self::NEAR {
            match self.entries.get(at) {
                Some(entry) if entry.tag == tag || entry.place == EMPTY => return entry.place,
                _ => at = self.next(at),
            }
        }
        EMPTY
    }

    /// Adds a place that is not in yet with this tag.
    pub(super) fn insert(&mut self, tag: u32, place: u32) {
        debug_assert!(place != EMPTY, "the largest place marks empty entries");
        if self.len.saturating_mul(4) >= self.entries.len().saturating_mul(3) {
            self.grow();
        }
        self.put(Entry { tag, place });
        self.len = self.len.saturating_add(1);
    }

    /// Takes a place out from where it is with this tag.
    pub(super) fn remove(&mut self, tag: u32, place: u32) {
        let mut at = self.home(tag);
        loop {
            match self.entries.get(at) {
                Some(entry) if entry.place == EMPTY => return,
                Some(entry) if entry.tag == tag && entry.place == place => break,
                Some(_) => at = self.next(at),
                None => return,
            }
        }
        self.len = self.len.saturating_sub(1);
        self.close_hole(at);
    }

    /// Moves the entries behind a hole back, as far as that brings them nearer to their homes.
    fn close_hole(&mut self, mut hole: usize) {
        let mut at = self.next(hole);
        while let Some(entry) = self.entries.get(at).copied().filter(|entry| entry.place != EMPTY) {
            let behind_home = self.distance(self.home(entry.tag), at);
            if behind_home >= self.distance(hole, at) {
                self.set(hole, entry);
                hole = at;
            }
            at = self.next(at);
        }
        self.set(hole, Entry { tag: 0, place: EMPTY });
    }

    fn grow(&mut self) {
        let len = self.entries.len().saturating_mul(2).max(16);
        let old = std::mem::replace(&mut self.entries, vec![Entry { tag: 0, place: EMPTY }; len]);
        for entry in old.into_iter().filter(|entry| entry.place != EMPTY) {
            self.put(entry);
        }
    }

    fn put(&mut self, entry: Entry) {
        let mut at = self.home(entry.tag);
        while self.entries.get(at).is_some_and(|other| other.place != EMPTY) {
            at = self.next(at);
        }
        self.set(at, entry);
    }

    fn set(&mut self, at: usize, entry: Entry) {
        if let Some(slot) = self.entries.get_mut(at) {
            *slot = entry;
        }
    }

    fn mask(&self) -> usize {
        self.entries.len().saturating_sub(1)
    }

    fn home(&self, tag: u32) -> usize {
        tag as usize & self.mask()
    }

    fn next(&self, at: usize) -> usize {
        at.wrapping_add(1) & self.mask()
    }

    fn distance(&self, from: usize, to: usize) -> usize {
        to.wrapping_sub(from) & self.mask()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever the order of insertions and removals, exactly what is in can be found.
        #[test]
        fn holds_what_was_put_in(steps in prop::collection::vec((any::<bool>(), 0..64_u32), 0..400)) {
            // Few distinct homes, so that runs collide and wrap round the end.
            let tag = |place: u32| (place % 5).wrapping_sub(2);
            let (mut index, mut model) = (Index::default(), BTreeSet::new());
            for (is_insert, place) in steps {
                if is_insert && model.insert(place) {
                    index.insert(tag(place), place);
                } else if !is_insert && model.remove(&place) {
                    index.remove(tag(place), place);
                }
                for place in 0..64 {
                    let found = index.find(tag(place), |at| at == place);
                    prop_assert_eq!(found.is_some(), model.contains(&place));
                }
            }
        }
    }
}
