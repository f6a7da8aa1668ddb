//! Keeps each ruling with what it rests on, where a reader asks for it.

use std::sync::Arc;

use super::{Context, DETECTORS, Ruling};
use crate::round::Wait;

/// One wait, how it was judged, and how it would have been without the test that decided.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) wait: Wait,
    pub(crate) ruling: Ruling,
    /// The answer of the next detector that has one.
    pub(crate) next: Option<Ruling>,
    /// The tallies of the rounds around it; `None` unless they are to be kept.
    pub(crate) context: Option<Arc<Context>>,
}

/// What is kept of each ruling.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recording {
    /// Nothing but its time.
    #[default]
    None,
    Rulings,
    /// With the tallies of the rounds around each, which take several times as much.
    WithTallies,
}

/// The records of one flow.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) kept: Vec<Record>,
    /// How many came after the list was full.
    pub(crate) left_out: u64,
    pub(super) what: Recording,
}

impl Records {
    /// Of some 150 octets each; a wait is a hundredth of a round trip at the least.
    const KEPT_MAX: usize = 1 << 18;

    pub(super) fn push(&mut self, wait: &Wait, ruling: Ruling, context: &Arc<Context>) {
        if self.kept.len() >= Self::KEPT_MAX {
            self.left_out = self.left_out.saturating_add(1);
            return;
        }
        let answers = DETECTORS.iter().filter_map(|examine| examine(wait, context));
        let answers: Vec<Ruling> = answers.collect();
        let own = answers.iter().position(|answer| *answer == ruling);
        // What rules over all tests leaves the first of them to come next.
        let next = answers.get(own.map_or(0, |own| own.saturating_add(1))).copied();
        let kept = (self.what == Recording::WithTallies).then(|| Arc::clone(context));
        self.kept.push(Record { wait: *wait, ruling, next, context: kept });
    }
}
