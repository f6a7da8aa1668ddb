//! Cuts a flow into epochs: a back-off begins one's end, the end of its repair the next.

use super::epoch::{BackOff, Epoch};
use super::fit::{self, Fit};
use super::identify::is_usable;
use super::law::{self, Origin};
use super::samples::{Sample, Samples};
use crate::response::SLOW_START_GROWTH;
use crate::sender::{Acknowledge, Recovery, Send, SendKind, SenderEvent};
use crate::units::heap::OnHeap;
use crate::units::{Bytes, Duration, StreamOffset, Timestamp};

/// What was found of one sender.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The first ones.
    pub(crate) epochs: Vec<Epoch>,
    /// How many there were.
    pub(crate) count: u64,
    /// Largest segment, payload octets.
    pub(crate) smss: Bytes,
}

/// Follows one sender.
#[derive(Debug, Default)]
pub(crate) struct Epochs {
    found: Findings,
    state: State,
    /// Of slow start, or of the epoch that goes on; while the window is being reduced they tell nothing.
    samples: Samples,
    smss: Bytes,
    /// Largest RTT sample so far.
    rtt_max: Duration,
    /// Windows of the round trips in slow start, the last two.
    doubling: [Bytes; 2],
    /// Window before the last back-off, segments.
    before: Option<f64>,
    /// The last sample before it; `None` after slow start.
    earlier: Option<Sample>,
}

#[derive(Debug, Default)]
enum State {
    /// Nothing sent yet.
    #[default]
    New,
    SlowStart,
    /// The window is being reduced; it may grow again from `until` on.
    Reducing {
        after: BackOff,
        until: StreamOffset,
    },
    Open(Box<Open>),
}

#[derive(Debug)]
struct Open {
    start: Timestamp,
    after: BackOff,
    regained: Option<(Duration, u64)>,
    falls: u64,
    /// Window of the last two round trips.
    peaks: [Bytes; 2],
}

impl Epochs {
    /// Octets held beside its own size.
    pub(crate) fn memory(&self) -> usize {
        let open = if matches!(self.state, State::Open(_)) { size_of::<Open>() } else { 0 };
        let samples = self.samples.memory().saturating_add(open);
        let epochs = &self.found.epochs;
        // Each that is fitted is by the same laws.
        let fits = epochs.iter().map(|epoch| epoch.fits.on_heap()).max().unwrap_or_default();
        samples.saturating_add(epochs.on_heap()).saturating_add(fits.saturating_mul(epochs.len()))
    }

    /// Epochs kept; the count goes on.
    const KEPT_MAX: usize = 64;

    /// Takes the next event; times never decrease.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    pub(crate) fn on_event(&mut self, event: &SenderEvent) {
        match event {
            SenderEvent::Send(send) => self.on_send(send),
            SenderEvent::Acknowledge(ack) => self.on_ack(ack),
            SenderEvent::Gap(_) => {}
        }
    }

    /// Closes the books at `end`.
    pub(crate) fn finish(mut self, end: Timestamp) -> Findings {
        self.close(end);
        self.found.smss = self.smss;
        self.found
    }

    fn on_send(&mut self, send: &Send) {
        let is_step = matches!(send.kind, SendKind::New | SendKind::Retransmit(_));
        if !is_step || send.len == Bytes(0) {
            return;
        }
        self.smss = self.smss.max(send.smss);
        let vars = &send.after;
        match vars.recovery {
            Recovery::Open => self.samples.on_send(send),
            Recovery::Fast => self.reduce(BackOff::Loss, send),
            Recovery::Timeout => self.reduce(BackOff::Timeout, send),
        }
    }

    /// A repair is on.
    #[inline(never)]
    fn reduce(&mut self, why: BackOff, send: &Send) {
        match &mut self.state {
            State::Reducing { after, .. } => {
                if why == BackOff::Timeout {
                    *after = why;
                }
            }
            _ => self.back_off(why, send.time, send.after.snd_nxt),
        }
    }

    fn on_ack(&mut self, ack: &Acknowledge) {
        if let Some(sample) = ack.rtt {
            self.rtt_max = self.rtt_max.max(sample.rtt);
        }
        let is_marked = ack.has_ece && !matches!(self.state, State::New | State::Reducing { .. });
        if is_marked {
            self.back_off(BackOff::Ecn, ack.time, ack.after.snd_nxt);
        }
        if matches!(self.state, State::New | State::Reducing { .. }) {
            return self.await_growth(ack);
        }
        if let Some(peak) = self.samples.on_ack(ack, self.smss, self.rtt_max) {
            self.on_round(peak, ack);
        }
    }

    /// The window may grow from `ack` on, or not yet.
    #[inline(never)]
    fn await_growth(&mut self, ack: &Acknowledge) {
        match &self.state {
            State::New => {
                self.state = State::SlowStart;
                self.samples = Samples::starting(ack);
            }
            State::Reducing { after, until } => {
                let is_over = match after {
                    BackOff::Ecn => ack.after.snd_una >= *until,
                    _ => ack.after.recovery == Recovery::Open,
                };
                if is_over && ack.after.recovery == Recovery::Open {
                    let after = *after;
                    self.open(after, ack);
                }
            }
            State::SlowStart | State::Open(_) => {}
        }
    }

    /// A round trip ends with `ack`, whose window was `peak`.
    #[inline(never)]
    fn on_round(&mut self, peak: Bytes, ack: &Acknowledge) {
        let State::Open(open) = &mut self.state else {
            return self.on_slow_start_round(peak, ack);
        };
        let has_fallen = peak.0.saturating_mul(10) < open.peaks[0].0.saturating_mul(9);
        open.falls = open.falls.saturating_add(u64::from(has_fallen));
        open.peaks = [peak, open.peaks[0]];
        let window = peak.as_f64() / self.smss.as_f64().max(1.0);
        if open.regained.is_none() && self.before.is_some_and(|before| window >= before) {
            open.regained = Some((ack.time.since(open.start), self.samples.trips));
        }
    }

    /// Two round trips in a row that grow by less than slow start does are none: with one too many an epoch's
    /// windows follow no law, and one too few it can do without.
    fn on_slow_start_round(&mut self, peak: Bytes, ack: &Acknowledge) {
        let [last, earlier] = self.doubling;
        let is_slow = |new: Bytes, old: Bytes| new.as_f64() < SLOW_START_GROWTH * old.as_f64();
        self.doubling = [peak, last];
        if is_slow(peak, last) && is_slow(last, earlier) {
            self.open(BackOff::SlowStart, ack);
        }
    }

    fn open(&mut self, after: BackOff, ack: &Acknowledge) {
        self.samples = Samples::starting(ack);
        let peaks = [Bytes(0); 2];
        let (start, regained, falls) = (ack.time, None, 0);
        self.state = State::Open(Box::new(Open { start, after, regained, falls, peaks }));
    }

    fn back_off(&mut self, after: BackOff, time: Timestamp, until: StreamOffset) {
        let peak = match &self.state {
            State::Open(open) => {
                let [last, earlier] = open.peaks;
                self.samples.peak().max(last).max(earlier)
            }
            State::SlowStart => self.samples.peak().max(self.doubling[0]),
            State::New | State::Reducing { .. } => Bytes(0),
        };
        let earlier = match &self.state {
            State::Open(_) => self.samples.kept().last().copied(),
            _ => None,
        };
        self.close(time);
        self.earlier = earlier;
        if peak > Bytes(0) {
            self.before = Some(peak.as_f64() / self.smss.as_f64().max(1.0));
        }
        self.state = State::Reducing { after, until };
    }

    fn close(&mut self, end: Timestamp) {
        let all = std::mem::take(&mut self.samples);
        let State::Open(open) = std::mem::take(&mut self.state) else { return };
        let samples = all.kept();
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return };
        self.found.count = self.found.count.saturating_add(1);
        if self.found.epochs.len() >= Self::KEPT_MAX {
            return;
        }
        let before = self.before.filter(|_| open.after != BackOff::SlowStart);
        let mut epoch = Epoch {
            start: open.start,
            end,
            after: open.after,
            before,
            first: first.window,
            last: last.window,
            rounds: all.rounds,
            regained: open.regained,
            falls: open.falls,
            queued: law::queued_mean(samples),
            fits: Vec::new(),
        };
        if is_usable(&epoch) {
            epoch.fits = fits(samples, before, self.earlier);
        }
        self.found.epochs.push(epoch);
    }
}

fn fits(samples: &[Sample], before: Option<f64>, earlier: Option<Sample>) -> Vec<Fit> {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return Vec::new();
    };
    // As far as `htcp_beta_update` goes either way.
    let left = before.map_or(0.5, |before| (first.window / before).clamp(0.5, 0.8));
    let ack_share = (last.acks / last.acked.max(1.0)).clamp(0.01, 1.0);
    // In slow start the window doubles until the loss is known: it says little of the back-off.
    let judged = before.filter(|_| earlier.is_some());
    let origin =
        Origin { before: judged, first: first.window, aim: before, earlier, ack_share, left };
    fit::all(samples, origin, &aims(before))
}

/// What CUBIC and BIC aim at: the window before the loss; less, if it was less than the time
/// before (fast convergence: 0.85 of it in RFC 9438 section 4.7, 0.9 in `tcp_bic.c`). Which of them
/// hangs on a difference too small to see, so all are tried.
fn aims(before: Option<f64>) -> Vec<Option<f64>> {
    let Some(before) = before else { return vec![None] };
    vec![Some(before), Some(0.85 * before), Some(0.9 * before)]
}
