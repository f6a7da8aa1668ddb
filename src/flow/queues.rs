//! Who goes first when memory runs out: one queue of places per standing, each in the order of
//! entry. Everything is O(1), and the records themselves are not touched.

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Link {
    before: u32,
    behind: u32,
    queue: u8,
}

#[derive(Debug, Clone, Copy)]
struct Ends {
    front: u32,
    back: u32,
    len: usize,
}

/// `N` queues; a place is in at most one of them.
#[derive(Debug)]
pub(super) struct Queues<const N: usize> {
    links: Vec<Link>,
    ends: [Ends; N],
}

impl<const N: usize> Queues<N> {
    /// Octets a place costs.
    pub(super) const LINK_COST: u64 = 16;

    pub(super) fn new() -> Self {
        Self { links: Vec::new(), ends: [Ends { front: NONE, back: NONE, len: 0 }; N] }
    }

    /// The place that has waited longest in `queue`.
    pub(super) fn front(&self, queue: u8) -> Option<u32> {
        self.ends.get(usize::from(queue)).map(|ends| ends.front).filter(|&place| place != NONE)
    }

    /// Places in `queue`.
    pub(super) fn len(&self, queue: u8) -> usize {
        self.ends.get(usize::from(queue)).map_or(0, |ends| ends.len)
    }

    /// Puts a place that is in no queue at the end of one.
    pub(super) fn push(&mut self, place: u32, queue: u8) {
        let Some(ends) = self.ends.get_mut(usize::from(queue)) else { return };
        let before = std::mem::replace(&mut ends.back, place);
        if before == NONE {
            ends.front = place;
        }
        ends.len = ends.len.saturating_add(1);
        let at = place as usize;
        if self.links.len() <= at {
            let unused = Link { before: NONE, behind: NONE, queue: 0 };
            self.links.resize(at.saturating_add(1), unused);
        }
        self.set_behind(before, place);
        if let Some(link) = self.links.get_mut(at) {
            *link = Link { before, behind: NONE, queue };
        }
    }

    /// Takes a place out of the queue that it is in.
    pub(super) fn remove(&mut self, place: u32) {
        let Some(&Link { before, behind, queue }) = self.links.get(place as usize) else { return };
        self.set_behind(before, behind);
        self.set_before(behind, before);
        let Some(ends) = self.ends.get_mut(usize::from(queue)) else { return };
        ends.len = ends.len.saturating_sub(1);
        if ends.front == place {
            ends.front = behind;
        }
        if ends.back == place {
            ends.back = before;
        }
    }

    /// Puts a place at the end of `queue`, wherever it was.
    pub(super) fn requeue(&mut self, place: u32, queue: u8) {
        self.remove(place);
        self.push(place, queue);
    }

    fn set_behind(&mut self, place: u32, behind: u32) {
        if let Some(link) = self.links.get_mut(place as usize) {
            link.behind = behind;
        }
    }

    fn set_before(&mut self, place: u32, before: u32) {
        if let Some(link) = self.links.get_mut(place as usize) {
            link.before = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_goes_first_wherever_one_is_taken_out() {
        let mut queues = Queues::<2>::new();
        for place in 0..4 {
            queues.push(place, 0);
        }
        queues.requeue(0, 1);
        queues.remove(2);
        queues.requeue(1, 0);
        assert_eq!((queues.front(0), queues.front(1)), (Some(3), Some(0)));
        assert_eq!((queues.len(0), queues.len(1)), (2, 1));
        queues.remove(3);
        assert_eq!(queues.front(0), Some(1));
        queues.remove(1);
        assert_eq!(queues.front(0), None);
    }
}
