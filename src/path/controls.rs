//! Places at which nothing was lost, spread evenly over all that passed: what losses that come as they
//! like would have met. Each with as much before it as is kept of a loss.

use std::collections::VecDeque;

use super::track::{Mark, Place};
use crate::units::halve;
use crate::units::heap::{self, OnHeap};

/// In bounded memory. Most of what is before two that are near each other is the same, and kept once.
#[derive(Debug, Default)]
pub(super) struct Controls {
    list: Vec<Control>,
    /// What was remembered before them, in order.
    before: Vec<Mark>,
    /// How many places had been remembered by the last of them, ever; 0 where nothing of it is kept.
    remembered: u64,
    /// Octets from one to the next.
    step: f64,
    next: f64,
}

#[derive(Debug)]
struct Control {
    at: Mark,
    /// From where to where in [`Controls::before`].
    first: u16,
    end: u16,
}

/// All but those outside of some time.
pub(super) struct Chosen {
    pub(super) controls: Vec<Mark>,
    /// What was remembered before them, in order, each with how many of them it is before.
    pub(super) before: Vec<(Mark, u32)>,
}

impl Controls {
    /// Kept at most: enough for a share of them to two percent.
    const MAX: usize = 96;
    /// Segments from one to the next at first.
    const SEGMENTS: f64 = 8.0;

    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        heap::sum(&[self.list.on_heap(), self.before.on_heap()])
    }

    /// Hardly anything will come any more: gives back the room that is held for more.
    pub(super) fn settle(&mut self) {
        self.list.shrink_to_fit();
        self.before.shrink_to_fit();
    }

    /// `recent` are the last of all places that have been `remembered`, ever.
    pub(super) fn pass(
        &mut self,
        at: Place,
        recent: &VecDeque<Place>,
        remembered: u64,
        segment: f64,
    ) {
        if at.passed >= self.next {
            self.keep(at, recent, remembered, segment);
        }
    }

    #[inline(never)]
    fn keep(&mut self, at: Place, recent: &VecDeque<Place>, remembered: u64, segment: f64) {
        self.step = self.step.max(Self::SEGMENTS * segment);
        if self.list.len() >= Self::MAX {
            self.step *= 2.0;
            self.halve();
        }
        self.next = at.passed + self.step;
        let news = remembered.saturating_sub(self.remembered);
        let known = recent.len().saturating_sub(usize::try_from(news).unwrap_or(usize::MAX));
        let first = self.before.len().saturating_sub(known);
        self.remembered = remembered;
        heap::make_room(&mut self.before, recent.len().saturating_sub(known));
        self.before.extend(recent.iter().skip(known).map(Place::mark));
        let [first, end] = [first, self.before.len()].map(place);
        heap::make_room(&mut self.list, 1);
        self.list.push(Control { at: at.mark(), first, end });
    }

    /// Drops every second one, and what was before that alone.
    fn halve(&mut self) {
        halve(&mut self.list);
        // Where it stands: a list made anew would grow step by step, and be moved each time.
        let (mut end, mut len) = (0, 0_usize);
        for control in &mut self.list {
            let known = end.max(control.first);
            let shared = usize::from(known.saturating_sub(control.first));
            end = control.end.max(known);
            control.first = place(len.saturating_sub(shared));
            for from in usize::from(known)..usize::from(end) {
                let Some(mark) = self.before.get(from).copied() else { break };
                let Some(slot) = self.before.get_mut(len) else { break };
                *slot = mark;
                len = len.saturating_add(1);
            }
            control.end = place(len);
        }
        self.before.truncate(len);
        self.remembered = 0;
    }

    /// Those of which `is_among` says so.
    pub(super) fn chosen(&self, is_among: impl Fn(&Mark) -> bool) -> Chosen {
        // How many begin here, less those that ended.
        let mut turns = vec![0_i32; self.before.len().saturating_add(1)];
        let mut controls = Vec::new();
        for Control { at, first, end } in &self.list {
            if !is_among(at) {
                continue;
            }
            controls.push(*at);
            for (place, by) in [(first, 1), (end, -1)] {
                if let Some(turn) = turns.get_mut(usize::from(*place)) {
                    *turn = turn.saturating_add(by);
                }
            }
        }
        let mut times = 0_i32;
        let counted = self.before.iter().zip(turns).map(|(mark, turn)| {
            times = times.saturating_add(turn);
            (*mark, u32::try_from(times).unwrap_or_default())
        });
        Chosen { before: counted.filter(|(_, times)| *times > 0).collect(), controls }
    }
}

/// There are no more than [`Controls::MAX`] times what is remembered at a time.
fn place(place: usize) -> u16 {
    u16::try_from(place).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::arithmetic_side_effects, reason = "test code")]

    use proptest::prelude::*;

    use super::*;
    use crate::units::Timestamp;

    proptest! {
        /// Against lists of their own, with places forgotten all at once now and then.
        #[test]
        fn each_has_what_was_remembered_before_it(
            steps in prop::collection::vec((1_u32..30, 0_u32..4, prop::bool::weighted(0.02)), 1..900),
        ) {
            const REMEMBERED: usize = 32;
            let mut controls = Controls::default();
            let mut apart: Vec<(Place, Vec<Place>)> = Vec::new();
            let (mut recent, mut remembered) = (VecDeque::new(), 0_u64);
            let mut at = Place { time: Timestamp(0), sent: Timestamp(0), passed: 0.0 };
            for (octets, count, is_forgotten) in steps {
                for _ in 0..count {
                    (at.sent.0, at.passed) = (at.sent.0 + 1, at.passed + f64::from(octets));
                    recent.truncate(REMEMBERED);
                    if recent.len() == REMEMBERED {
                        recent.pop_front();
                    }
                    recent.push_back(at);
                    remembered += 1;
                }
                if is_forgotten {
                    recent.clear();
                }
                let (next, is_full) = (controls.next, apart.len() >= Controls::MAX);
                controls.pass(at, &recent, remembered, 1.0);
                if at.passed >= next {
                    if is_full {
                        let mut is_kept = false;
                        apart.retain(|_| { is_kept = !is_kept; is_kept });
                    }
                    apart.push((at, recent.iter().copied().collect()));
                }
            }
            let is_among = |mark: &Mark| mark.sent.0 % 3 != 0;
            let Chosen { controls, before } = controls.chosen(is_among);
            apart.retain(|(at, _)| is_among(&at.mark()));
            let expected: Vec<Mark> = apart.iter().map(|(at, _)| at.mark()).collect();
            prop_assert_eq!(controls, expected);
            let order = |mark: &Mark| mark.sent;
            let mut all: Vec<Mark> =
                before.iter().flat_map(|(at, times)| vec![*at; *times as usize]).collect();
            let mut expected: Vec<Mark> =
                apart.iter().flat_map(|(_, before)| before.iter().map(Place::mark)).collect();
            all.sort_by_key(order);
            expected.sort_by_key(order);
            prop_assert_eq!(all, expected);
        }
    }
}
