//! Sums up the rounds around each that is judged. The windows of rounds that follow each other have most
//! of theirs in common, so that part is summed up once for a few of them: of a long flow six or seven
//! rounds are looked at for each that is judged, not seventeen (`benches/connections.rs`).

use std::collections::VecDeque;

use super::{Context, Judge};
use crate::round::Round;

/// What a few windows have in common.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    common: Option<Box<Context>>,
    /// Which rounds are in it: places among those held, the second one past the last.
    from: usize,
    to: usize,
    /// For so many windows more.
    left: usize,
}

impl Neighbours {
    /// Windows that share a sum: with fewer it is made too often, with more too little is in it.
    const SHARED: usize = 4;
    /// So few rounds are as soon summed up.
    const FEW: usize = 3;

    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.common.as_ref().map_or(0, |_| size_of::<Context>())
    }

    /// All of `rounds`, of which the one at `here` is under judgment; from call to call that is the next.
    pub(super) fn context(&mut self, rounds: &VecDeque<Round>, here: usize) -> Context {
        let mut context = if rounds.len() <= Self::FEW {
            (self.from, self.to) = (0, 0);
            Context::of_none()
        } else {
            self.common(rounds, here).clone()
        };
        for round in rounds.range(..self.from).chain(rounds.range(self.to..)) {
            context.add(round);
        }
        context.place(rounds, here);
        context
    }

    /// The first of the rounds is held no more.
    pub(super) fn pop_front(&mut self) {
        (self.from, self.to) = (self.from.saturating_sub(1), self.to.saturating_sub(1));
    }

    fn common(&mut self, rounds: &VecDeque<Round>, here: usize) -> &Context {
        if self.left == 0 {
            self.left = Self::SHARED;
            // Those before are gone by the last of these windows.
            let more = Self::SHARED.saturating_sub(1);
            self.from = here.saturating_add(more).saturating_sub(Judge::AHEAD).min(rounds.len());
            self.to = rounds.len();
            let mut sum = Context::of_none();
            rounds.range(self.from..).for_each(|round| sum.add(round));
            self.common = Some(Box::new(sum));
        }
        self.left = self.left.saturating_sub(1);
        self.common.get_or_insert_with(|| Box::new(Context::of_none()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::units::Bytes;

    /// What a judge does, against the sum of all rounds; no two sets of rounds sum up to the same.
    #[test]
    fn what_is_shared_and_the_rest_are_all_rounds() {
        for all in 1..40_u32 {
            let mut judge = Judged::default();
            for nth in 0..all {
                let flight_peak = Bytes(u64::from(1000 - nth));
                let short_sends = 1 << (nth % 20);
                judge.rounds.push_back(Round { flight_peak, short_sends, ..round(&[CLOCKED]) });
                if judge.rounds.len() > judge.here + Judge::AHEAD {
                    judge.next();
                }
            }
            while judge.here < judge.rounds.len() {
                judge.next();
            }
        }
    }

    #[derive(Default)]
    struct Judged {
        rounds: VecDeque<Round>,
        here: usize,
        neighbours: Neighbours,
    }

    impl Judged {
        fn next(&mut self) {
            let mut sum = Context::of_none();
            self.rounds.iter().for_each(|round| sum.add(round));
            sum.place(&self.rounds, self.here);
            let found = self.neighbours.context(&self.rounds, self.here);
            assert_eq!(format!("{found:?}"), format!("{sum:?}"));
            self.here = self.here.saturating_add(1);
            if self.here > Judge::AHEAD {
                self.rounds.pop_front();
                self.neighbours.pop_front();
                self.here = self.here.saturating_sub(1);
            }
        }
    }
}
