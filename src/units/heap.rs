//! How many octets do collections hold beside their own size?

use std::collections::{BTreeMap, VecDeque};

/// A collection that holds memory of its own. What its items hold is not counted.
pub(crate) trait OnHeap {
    /// Octets, about.
    fn on_heap(&self) -> usize;
}

impl<T> OnHeap for Vec<T> {
    fn on_heap(&self) -> usize {
        self.capacity().saturating_mul(size_of::<T>())
    }
}

impl<T> OnHeap for VecDeque<T> {
    fn on_heap(&self) -> usize {
        self.capacity().saturating_mul(size_of::<T>())
    }
}

/// A node has room for eleven entries, and five at least unless it is the only one.
impl<K, V> OnHeap for BTreeMap<K, V> {
    fn on_heap(&self) -> usize {
        self.len().div_ceil(5).saturating_mul(size_of::<(K, V)>().saturating_mul(11))
    }
}

/// Makes room for `more` where there is none: for half as many again, not for twice as many, where many
/// lists are filled a bit.
pub(crate) fn make_room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity().saturating_sub(list.len()) < more {
        list.reserve_exact(more.max(list.len() / 2).max(4));
    }
}

/// All of them together.
pub(crate) fn sum(parts: &[usize]) -> usize {
    parts.iter().copied().fold(0, usize::saturating_add)
}
