//! How much memory may analyses take that run beside each other? Each takes a [`Lease`] and has it
//! grow with what it holds; together they keep to one bound.
//!
//! Analyses have ranks, in the order in which their outcomes are due. Where memory is short, the one
//! with the lower rank gets it: the one with the highest is recalled, drops what it has, also when it
//! is done and waits for its turn, and is to be run again when its turn has come; until then there is
//! nothing more for those between. The one whose turn it is so has the whole bound in the end, as if it
//! ran alone: what its own bounds make it give up depends neither on how many run nor on which was
//! faster. (Wound-wait, with the order of the output as the age: Rosenkrantz, Stearns and Lewis,
//! System level concurrency control, 1978.)

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often one that waits looks whether it is to stop: a signal wakes nobody.
const PATIENCE: Duration = Duration::from_millis(50);

/// Memory, and places to run, that analyses share.
#[derive(Debug)]
pub struct Budget {
    octets: u64,
    jobs: usize,
    stop: Arc<AtomicBool>,
    state: Mutex<State>,
    changed: Condvar,
}

/// One analysis's part of a [`Budget`]; given back when it is dropped.
#[derive(Debug)]
pub struct Lease {
    budget: Arc<Budget>,
    rank: usize,
}

#[derive(Debug, Default)]
struct State {
    /// The rank whose turn it is.
    due: usize,
    /// Nobody wants any more outcomes.
    is_closed: bool,
    /// Ranks that wait to begin.
    waiting: BTreeSet<usize>,
    /// By rank.
    held: BTreeMap<usize, Held>,
}

#[derive(Debug)]
struct Held {
    octets: u64,
    is_recalled: bool,
    /// Neither done nor waiting for memory: the one that is due may have to begin for it to come.
    is_running: bool,
}

impl Budget {
    /// What an analysis may take beyond what it asked for: it asks once in a thousand packets, each of
    /// which may begin a connection; and it holds blocks of its file.
    const MARGIN: u64 = 8 << 20;

    /// Of so many `octets`, for `jobs` that run at a time; once `stop` is set, none waits any more.
    #[must_use]
    pub(crate) fn new(octets: u64, jobs: NonZero<usize>, stop: Arc<AtomicBool>) -> Arc<Self> {
        let (state, changed) = (Mutex::default(), Condvar::new());
        Arc::new(Self { octets, jobs: jobs.get(), stop, state, changed })
    }

    /// Waits until there is room to begin the analysis of this rank, or, where it `must_be_due`, until
    /// its turn has come. Who cannot begin again must be due: then nothing recalls it. `None` once no
    /// outcome is wanted any more.
    #[must_use]
    pub fn lease(self: &Arc<Self>, rank: usize, must_be_due: bool) -> Option<Lease> {
        let mut state = self.lock();
        if !must_be_due {
            state.waiting.insert(rank);
        }
        while !self.may_begin(&state, rank, must_be_due) {
            state = self.wait(state);
        }
        state.waiting.remove(&rank);
        if state.is_closed {
            return None;
        }
        let octets = self.margin();
        state.held.insert(rank, Held { octets, is_recalled: false, is_running: true });
        // Who waits behind it may be next.
        self.changed.notify_all();
        Some(Lease { budget: Arc::clone(self), rank })
    }

    /// Says that all outcomes before that of `rank` are dealt with.
    pub fn advance(&self, rank: usize) {
        self.lock().due = rank;
        self.changed.notify_all();
    }

    /// Says that no outcome is wanted any more: all that run or wait are recalled.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn may_begin(&self, state: &State, rank: usize, must_be_due: bool) -> bool {
        if self.is_stopped(state) {
            return true;
        }
        let is_due = rank <= state.due;
        let is_next = !must_be_due && state.waiting.first() == Some(&rank);
        let running = state.held.values().filter(|held| held.is_running).count();
        let free = self.octets.saturating_sub(state.octets(|_| true));
        running < self.jobs && (is_due || is_next && free >= self.share())
    }

    /// Room without which nothing more is begun: a part for each that runs, and one for the outcomes
    /// that wait for their turn.
    fn share(&self) -> u64 {
        let parts = u64::try_from(self.jobs).unwrap_or(u64::MAX).saturating_add(1);
        self.octets.checked_div(parts).unwrap_or(self.octets)
    }

    fn margin(&self) -> u64 {
        Self::MARGIN.min(self.share() / 2)
    }

    fn is_stopped(&self, state: &State) -> bool {
        state.is_closed || self.stop.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_timeout(state, PATIENCE);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl State {
    /// What those hold that are `counted`.
    fn octets(&self, counted: impl Fn(usize) -> bool) -> u64 {
        let held = self.held.iter().filter(|(rank, _)| counted(**rank));
        held.fold(0, |sum, (_, held)| sum.saturating_add(held.octets))
    }

    /// What will be given back.
    fn recalled_octets(&self) -> u64 {
        let recalled = self.held.values().filter(|held| held.is_recalled);
        recalled.fold(0, |sum, held| sum.saturating_add(held.octets))
    }

    /// Recalls the last one behind `rank` that is not recalled yet.
    fn recall_behind(&mut self, rank: usize) {
        let mut behind = self.held.range_mut(rank.saturating_add(1)..);
        if let Some((_, last)) = behind.rfind(|(_, held)| !held.is_recalled) {
            last.is_recalled = true;
        }
    }
}

impl Lease {
    /// Asks for memory so that there are `octets` in all, or gives back what is more; waits where it is
    /// short. `false` if the analysis is recalled.
    pub(crate) fn cover(&self, octets: u64) -> bool {
        let budget = &self.budget;
        let wanted = octets.saturating_add(budget.margin());
        let mut state = budget.lock();
        loop {
            let others = state.octets(|rank| rank != self.rank);
            let coming = state.recalled_octets();
            let is_stopped = budget.is_stopped(&state);
            let is_closed = state.is_closed;
            let is_alone = state.held.len() <= 1;
            let Some(held) = state.held.get_mut(&self.rank) else { return false };
            if held.is_recalled || is_closed {
                return false;
            }
            let all = others.saturating_add(wanted);
            // Alone it has its own bounds.
            if wanted <= held.octets || all <= budget.octets || is_alone || is_stopped {
                held.octets = wanted;
                held.is_running = true;
                budget.changed.notify_all();
                return true;
            }
            held.is_running = false;
            if all.saturating_sub(coming) > budget.octets {
                state.recall_behind(self.rank);
            }
            budget.changed.notify_all();
            state = budget.wait(state);
        }
    }

    /// Says that the analysis is done, and waits until its outcome is due. `false` if it is recalled
    /// before: the outcome is to be dropped.
    #[must_use]
    pub fn wait_until_due(&self) -> bool {
        let mut state = self.budget.lock();
        loop {
            let (due, is_closed) = (state.due, state.is_closed);
            let Some(held) = state.held.get_mut(&self.rank) else { return false };
            if held.is_running {
                held.is_running = false;
                self.budget.changed.notify_all();
            }
            if held.is_recalled || is_closed {
                return false;
            }
            if self.rank <= due {
                return true;
            }
            state = self.budget.wait(state);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.budget.lock().held.remove(&self.rank);
        self.budget.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
