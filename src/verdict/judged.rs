//! Which limit is named for a flow, how sure is it, and why? What its report tells follows from this.

use super::confidence::{headline, is_short, is_timer_guessed};
use super::direction::Direction;
use super::doubts::{Doubts, window_scale};
use super::facts::Facts;
use super::lever::Lever;
use super::notes::Grounds;
use super::second::Second;
use super::shares::{Outside, Shares};
use super::unopened::Unopened;
use super::why;
use super::{Findings, bearing, buffers, congestion, large, path, what_if};
use crate::episode::{List, StallCause};
use crate::flow::{Flow, Offered};
use crate::limit::{Cause, Ledger, Limit, Measures};
use crate::model::{
    Advice, Confidence, CongestionClass, CongestionControl, PathReport, PathVerdict, Vantage,
    Verdict, WhatIf, codes,
};
use crate::path::Record;
use crate::sender::SenderTotals;
use crate::units::{Duration, Timestamp};
use crate::vantage;

/// A limit and its main cause.
type Named = (Limit, Option<Cause>);

/// What was found out about a direction, and the limit that is named.
#[derive(Debug)]
pub(super) struct Judged {
    /// See [`Direction`].
    pub(super) span: (Timestamp, Timestamp),
    pub(super) findings: Findings,
    pub(super) facts: Facts,
    pub(super) shares: Shares,
    pub(super) outside: Outside,
    pub(super) grounds: Grounds,
    /// Of the headline's limit.
    pub(super) cause: Option<Cause>,
}

impl Judged {
    pub(super) fn new(
        direction: Direction<'_>,
        mut findings: Findings,
        place: &vantage::Place,
    ) -> Self {
        let Direction { connection, flow, reverse, .. } = direction;
        let place = &place.told_by_ttl(flow.ttl, reverse.ttl);
        let (found_vantage, vantage) = (place.found_position, place.position);
        let sender_tick = place.sender_tick;
        let scale = window_scale(reverse);
        let doubts = Doubts::of(&findings, direction, place);
        direction.correct(&mut findings, doubts, vantage);
        let mut facts = direction.facts(&findings, place, doubts);
        let srtt = facts.srtt.and_then(Duration::try_from_secs_f64);
        let outside = direction.outside(doubts);
        let shares = Shares::new(&findings.ledger, direction.duration(), outside, srtt);
        // What reached the receiver was not too large for the path.
        facts.too_large = facts.too_large.filter(|_| vantage != Vantage::Receiver);
        if doubts.is_way_unknown {
            (facts.srtt, facts.min_rtt) = (None, None);
        }
        facts.is_brief = is_short(shares.round_trips()) && is_written_at_once(&findings.ledger);
        facts.handshake_share = shares.of(Limit::HandshakeClose);
        let headline = headline(&shares, doubts);
        let cause = shares.main_cause(headline.limit);
        let grounds = Grounds {
            doubts,
            headline,
            vantage,
            found_vantage,
            sender_tick,
            tap_tick: place.tap_tick,
            held_by_host: facts.held_by_host,
            scale,
            shift: reverse.window_scale.map(|scale| scale.shift),
            has_handshake: connection.has_handshake,
            is_timer_guessed: is_timer_guessed(&shares, doubts, headline.limit),
            unopened: facts.unopened,
            is_reset: flow.reset_time.is_some() || reverse.reset_time.is_some(),
            round_trips: shares.round_trips(),
        };
        let span = direction.span;
        Self { span, findings, facts, shares, outside, grounds, cause }
    }

    /// The sender's congestion control; what follows is told of its class.
    pub(super) fn identify(&mut self) -> Option<CongestionControl> {
        let control = congestion::of(&self.findings, self.span.0, self.grounds.doubts);
        self.facts.class = control.as_ref().map(|found| found.class).unwrap_or_default();
        control
    }

    /// What the report says of the path, and what follows from that.
    pub(super) fn path(&self) -> Along {
        let mut path = path::of(&self.findings, self.span);
        let mut what_if = self.what_if();
        let Grounds { headline, doubts, .. } = self.grounds;
        let limit = headline.limit;
        if matches!(limit, Limit::CaptureGap | Limit::Unknown) || doubts.is_mostly_missed {
            // What the capture misses bears on the path and on rates as it does on the limit.
            what_if.clear();
            doubt(&mut path);
        } else if doubts.is_place_unknown || doubts.is_way_unknown || self.may_hide_queue(&path) {
            path.confidence = Confidence::Low;
        }
        path.utilization = path.utilization.filter(|used| !self.may_be_missed(*used));
        path.remark = bearing::remark(limit, &path, &self.facts, &what_if);
        Along { verdict: self.verdict(&path, &what_if), what_if, path }
    }

    /// Whether it is not known how much of the capacity was used: what was not captured may have passed at
    /// any time, and it is most of all, or may be most of what exceeds the capacity.
    fn may_be_missed(&self, used: f64) -> bool {
        let SenderTotals { acked, missed, .. } = &self.findings.totals;
        let excess = acked.as_f64() * (1.0 - used.max(1.0).recip());
        self.grounds.doubts.is_mostly_missed || (excess > 0.0 && excess <= 2.0 * missed.as_f64())
    }

    /// Whether it is a guess that no queue stood.
    fn may_hide_queue(&self, path: &PathReport) -> bool {
        self.grounds.doubts.may_hide_queue
            && matches!(
                path.verdict,
                PathVerdict::NotFull | PathVerdict::Lossy | PathVerdict::Policed
            )
    }

    /// What it takes to tell the path anew once all flows beside this one are known; `None` where that
    /// cannot change it.
    pub(super) fn into_open(mut self) -> Option<Box<Self>> {
        self.findings.path.record.as_ref()?;
        self.findings.bare();
        Some(Box::new(self))
    }

    /// Octets held, about, with its own.
    pub(super) fn memory(&self) -> u64 {
        let record = self.findings.path.record.as_ref().map_or(0, Record::memory);
        u64::try_from(size_of::<Self>().saturating_add(record)).unwrap_or(u64::MAX)
    }

    /// The rates with a limit lifted.
    fn what_if(&self) -> Vec<WhatIf> {
        what_if::of(&what_if::Basis {
            findings: &self.findings,
            facts: &self.facts,
            shares: &self.shares,
            shift: self.grounds.shift,
        })
    }

    fn verdict(&self, path: &PathReport, what_if: &[WhatIf]) -> Verdict {
        let Self { findings, facts, shares, cause, .. } = self;
        let headline = self.grounds.headline;
        let named = (headline.limit, *cause);
        Verdict {
            limit: headline.limit,
            runner_up: headline.runner_up,
            share: shares.with_hidden(headline.limit).clamp(0.0, 1.0),
            confidence: headline.confidence,
            text: why::headline(headline, shares, facts, path.remark.as_deref()),
            why: why::numbers(findings, facts, named),
            advice: self.advice(named, path, what_if),
        }
    }

    /// The headline's, then that of the limit that is close behind, where it is another.
    fn advice(&self, named: Named, path: &PathReport, what_if: &[WhatIf]) -> Vec<Advice> {
        let advice = |named| bearing::advice(named, path, &self.facts, what_if);
        let told = advice(named);
        let beside = Second { headline: self.grounds.headline, facts: &self.facts, what_if };
        let told = match beside.limit(&self.shares, named.1) {
            Some(second) => beside.add(told, advice((second, self.shares.main_cause(second)))),
            None => told,
        };
        self.with_large(told)
    }

    /// What large segments ask for comes first where they held it up for most of the time, in place of the
    /// advice on loss; else last.
    fn with_large(&self, mut told: Vec<Advice>) -> Vec<Advice> {
        let Some(large) = large::advice(&self.facts) else { return told };
        if !self.facts.is_mostly_lost() {
            told.push(large);
            return told;
        }
        told.retain(|advice| advice.code != codes::FIND_LOSS);
        told.insert(0, large);
        told
    }
}

/// What shows of a path by its absence, congestion, may be in what is not captured.
fn doubt(path: &mut PathReport) {
    path.confidence = Confidence::Low;
    if path.verdict == PathVerdict::NotFull {
        path.verdict = PathVerdict::Unknown;
    }
    if let Some(capacity) = &mut path.capacity {
        capacity.confidence = Confidence::Low;
    }
}

/// The path, and the parts of a report that it bears on.
#[derive(Debug)]
pub(super) struct Along {
    pub(super) path: PathReport,
    pub(super) what_if: Vec<WhatIf>,
    pub(super) verdict: Verdict,
}

impl Direction<'_> {
    /// What held it while nothing of it passed. Where no SYN did, nothing was opening: who neither sends nor
    /// awaits an acknowledgment has nothing to send.
    fn outside(self, doubts: Doubts) -> Outside {
        if doubts.is_half_heard() {
            (Limit::CaptureGap, None)
        } else if self.flow.syn.is_some() || self.reverse.syn.is_some() {
            (Limit::HandshakeClose, None)
        } else {
            (Limit::Application, Some(Cause::Idle))
        }
    }

    /// Takes back what was found and cannot be so, as far as the whole connection tells.
    fn correct(self, findings: &mut Findings, doubts: Doubts, vantage: Vantage) {
        if doubts.is_half_heard() {
            findings.ledger.forget_rulings();
        }
        if doubts.is_one_sided {
            // It is ACKs that end a repair: the first would seem to last until the end.
            findings.episodes.losses = List::default();
        }
        let (first, last) = self.span;
        findings.ledger.begin_at(first);
        findings.ledger.end_at(last);
        findings.episodes.keep_within(first, last);
        if doubts.queued > 0.0 {
            findings.ledger.had_slow_writer(self.duration().mul_f64(1.0 - doubts.queued));
        }
        // What the snap length cut off a SYN may have offered it.
        findings.totals.is_without_sack &= ![self.flow, self.reverse].into_iter().any(is_syn_cut);
        if vantage != Vantage::Sender {
            // Behind the bottleneck the spacing of a burst is what the queue made of it already.
            findings.path.dispersion = None;
        }
    }

    fn facts(self, findings: &Findings, place: &vantage::Place, doubts: Doubts) -> Facts {
        let (goodput, srtt) = (self.goodput(findings), findings.totals.srtt_mean());
        let flight = goodput.zip(srtt).map(|(goodput, srtt)| goodput * srtt / 8.0);
        Facts {
            goodput,
            srtt,
            min_rtt: findings.totals.rtt.min().map(Duration::as_secs_f64),
            smss: findings.smss.0,
            is_brief: false,
            handshake_share: 0.0,
            opening_s: opening(&findings.ledger, self.duration()).as_secs_f64(),
            has_loss: findings.totals.retransmitted_segments > 0,
            class: CongestionClass::Unknown, // See `identify`.
            lost_s: lost(findings).as_secs_f64(),
            duration_s: self.duration().as_secs_f64(),
            too_large: findings.totals.too_large,
            unopened: Unopened::of((self.flow, self.reverse), &findings.totals, self.duration()),
            is_reader_slow: findings.window.is_held_by_reader(&findings.ledger),
            may_hide_queue: doubts.may_hide_queue,
            held_by_host: place.held_by_host,
            window_lever: Lever::of_window(self, findings),
            send_lever: Lever::of_send_buffer(findings),
            window: buffers::window_already(&findings.window, &findings.ledger),
            send_buffer: buffers::send_already(&findings.ledger, flight),
        }
    }
}

/// How long nothing moved until lost segments were sent again, in the stalls that are kept.
fn lost(findings: &Findings) -> Duration {
    let stalls = findings.episodes.stalls.kept.iter();
    let is_of_data =
        |cause: StallCause| cause.is_loss() && cause != StallCause::HandshakeUnanswered;
    stalls.filter(|stall| is_of_data(stall.cause)).map(|stall| stall.extent.duration()).sum()
}

/// How much of the `duration` went into the handshake, slow start and the close.
fn opening(ledger: &Ledger, duration: Duration) -> Duration {
    let is_other = |limit: Limit, cause: Option<Cause>| {
        limit != Limit::HandshakeClose && cause != Some(Cause::SlowStart)
    };
    let waits = ledger.time.iter().filter(|((limit, cause, _), _)| is_other(*limit, *cause));
    let other: Duration = waits.map(|(_, time)| *time).sum();
    duration.saturating_sub(other)
}

/// Not all options of its SYN were captured.
fn is_syn_cut(flow: &Flow<()>) -> bool {
    flow.syn == Some(Offered::Unseen)
}

/// Nothing was waited for but the first write and, when all was out, the end.
fn is_written_at_once(ledger: &Ledger) -> bool {
    const WAITS_MAX: u64 = 2;
    ledger
        .measures
        .get(&Limit::Application)
        .is_some_and(|Measures { waits, .. }| *waits <= WAITS_MAX)
}
