//! When was something lost, how much had passed by then, and was there a queue?

use std::collections::VecDeque;

use super::controls::Controls;
use super::stretch::Stretch;
use super::track::{Mark, Place};
use crate::units::heap::{self, OnHeap};
use crate::units::{Duration, Timestamp, as_f64, halve, median};

/// Octets that the receiver's answers were the first to pass over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Loss {
    /// The last octets before the gap: the next ones were dropped right behind them.
    pub(super) at: Place,
    /// Octets of frames missing.
    pub(super) octets: f64,
    /// The last round-trip time by then, seconds.
    pub(super) rtt: f64,
}

/// Losses in bounded memory: all of them at first, then every second, fourth and so on.
#[derive(Debug, Default)]
pub(super) struct Losses {
    pub(super) list: Vec<Loss>,
    /// All gaps.
    pub(super) count: u64,
    /// All that was missing, octets of frames.
    pub(super) octets: f64,
    /// Of all gaps, the first of each unloaded round trip.
    firsts: u64,
    last_first: Option<Timestamp>,
    /// One of this many is kept, less one.
    skip: u64,
    /// What had passed at a few times in the round trip that goes on.
    recent: VecDeque<Place>,
    /// How many there were, ever.
    remembered: u64,
    /// When that was for the last time.
    remembered_at: Option<Timestamp>,
    /// The last one.
    last: Option<Place>,
    /// The same in the round trips before losses: a bucket may fill up and empty in one of them. One list
    /// would be moved whenever it grows.
    noted: Vec<Box<[Mark]>>,
    /// How many places all of them hold.
    noted_len: usize,
    pub(super) controls: Controls,
}

impl Losses {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        let noted = self.noted_len.saturating_mul(size_of::<Mark>());
        let lists = [self.list.on_heap(), self.recent.on_heap(), self.noted.on_heap()];
        heap::sum(&lists).saturating_add(heap::sum(&[noted, self.controls.memory()]))
    }

    /// Hardly anything will come any more: gives back the room that is held for more.
    pub(super) fn settle(&mut self) {
        self.list.shrink_to_fit();
        self.recent.shrink_to_fit();
        self.noted.shrink_to_fit();
        self.controls.settle();
    }

    /// Losses kept: enough to tell a share of them to a percent.
    const MAX: usize = 256;
    /// Places remembered, a bit more than a round trip of them with the starts of bursts.
    const RECENT_MAX: usize = 32;
    pub(super) const PER_ROUND_TRIP: u32 = 12;
    /// Times kept in all, of 128 round trips.
    const BEFORE_MAX: usize = 2048;

    /// `spacing` is the unloaded round trip over [`Losses::PER_ROUND_TRIP`], and `segment` a full frame.
    pub(super) fn deliver(&mut self, at: Place, spacing: Duration, segment: f64) {
        let last = self.last.replace(at);
        if let Some(last) = last.filter(|last| at.sent.since(last.sent) >= spacing) {
            // Nothing went out in between: what passed meanwhile did so in the burst that begins.
            self.remember(Place { passed: last.passed, ..at });
        }
        if self.remembered_at.is_none_or(|last| at.time.since(last) >= spacing) {
            self.remember(at);
        }
        self.controls.pass(at, &self.recent, self.remembered, segment);
    }

    #[inline(never)]
    fn remember(&mut self, at: Place) {
        if self.recent.len() >= Self::RECENT_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back(at);
        self.remembered = self.remembered.saturating_add(1);
        self.remembered_at = Some(at.time);
    }

    /// The last known place of what went out before `sent`; `None` if nothing later is known.
    pub(super) fn before(&self, sent: Timestamp) -> Option<Place> {
        self.recent.back().filter(|last| last.sent > sent)?;
        self.recent.iter().rev().find(|place| place.sent <= sent).copied()
    }

    /// Something may have been lost here.
    pub(super) fn note(&mut self) {
        let len = self.noted_len.saturating_add(self.recent.len());
        if len > Self::BEFORE_MAX {
            return;
        }
        self.remembered_at = None;
        if len > self.noted_len {
            self.noted_len = len;
            self.noted.push(self.recent.drain(..).map(|place| place.mark()).collect());
        }
    }

    /// How many [`Self::noted`] gives.
    pub(super) fn noted_len(&self) -> usize {
        self.noted_len
    }

    /// What had passed by a few times in the round trips before losses, in order.
    pub(super) fn noted(&self) -> impl Iterator<Item = &Mark> {
        self.noted.iter().flatten()
    }

    /// `base` is the unloaded round trip so far, seconds.
    pub(super) fn push(&mut self, loss: Loss, base: f64) {
        let nth = self.count;
        if is_first(self.last_first, &loss, base) {
            self.firsts = self.firsts.saturating_add(1);
            self.last_first = Some(loss.at.sent);
        }
        self.count = self.count.saturating_add(1);
        self.octets += loss.octets;
        if self.list.len() >= Self::MAX && nth & self.skip == 0 {
            self.halve();
        }
        if nth & self.skip == 0 {
            self.list.push(loss);
        }
    }

    /// Octets lost over octets sent, of which `passed` arrived.
    pub(super) fn rate(&self, passed: f64) -> f64 {
        let sent = passed + self.octets;
        if sent > 0.0 { self.octets / sent } else { 0.0 }
    }

    /// Queueing delay at half of the losses, seconds; 0 of none.
    pub(super) fn queued(&self, base: f64) -> f64 {
        let mut delays: Vec<f64> = self.list.iter().map(|loss| loss.rtt - base).collect();
        median(&mut delays).unwrap_or_default()
    }

    /// The same over the first loss of each round trip.
    pub(super) fn queued_first(&self, base: f64) -> f64 {
        let mut delays: Vec<f64> = self.firsts(base).map(|loss| loss.rtt - base).collect();
        median(&mut delays).unwrap_or_default()
    }

    /// Segments lost in a round trip that lost some, over what it would be if each were lost on its own:
    /// of W segments with probability p, `W p / (1 - exp(-W p))` on average where any are.
    pub(super) fn clustering(&self, carried: Stretch, base: f64, segment: f64) -> f64 {
        let lost = self.octets / segment;
        let rounds = as_f64(self.firsts.max(1));
        // W p: what is lost per round trip, were the losses spread over all of them.
        let mean = (lost * base / carried.seconds).max(1e-9);
        lost / rounds * (1.0 - (-mean).exp()) / mean
    }

    /// The losses but for those less than a round trip after one that counts.
    pub(super) fn firsts(&self, base: f64) -> impl Iterator<Item = &Loss> {
        let mut last: Option<Timestamp> = None;
        self.list.iter().filter(move |loss| {
            let is_first = is_first(last, loss, base);
            if is_first {
                last = Some(loss.at.sent);
            }
            is_first
        })
    }

    /// The first loss of each round trip that had some, a queue's delay included: one overflow lasts for as
    /// long, whatever the path takes without it.
    pub(super) fn episodes(&self, base: f64) -> Vec<Loss> {
        let mut firsts: Vec<Loss> = Vec::new();
        for loss in &self.list {
            let since = |first: &Loss| loss.at.time.since(first.at.time).as_secs_f64();
            if firsts.last().is_none_or(|first| since(first) > base.max(first.rtt)) {
                firsts.push(*loss);
            }
        }
        firsts
    }

    fn halve(&mut self) {
        halve(&mut self.list);
        self.skip = self.skip.saturating_mul(2).saturating_add(1);
    }
}

/// Whether it is no less than a round trip after the `last` that was.
fn is_first(last: Option<Timestamp>, loss: &Loss, base: f64) -> bool {
    last.is_none_or(|last| loss.at.sent.since(last).as_secs_f64() >= base)
}

#[cfg(test)]
mod tests;
