//! What does the capture leave in doubt about one flow?

use super::direction::Direction;
use super::unopened::sent_only_syns;
use super::{Findings, path};
use crate::congestion::EPOCHS_MIN;
use crate::flow::Flow;
use crate::limit::{Limit, Measures, WAKE_UPS_A_ROUND_TRIP};
use crate::model::{Vantage, WindowScale};
use crate::sender::{SenderTotals, initial_window};
use crate::units::host::{RTO_INITIAL, WAKE_UP};
use crate::units::{self, Bytes, Duration};
use crate::vantage;

/// What the capture leaves in doubt about one flow.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent doubts")]
pub(super) struct Doubts {
    /// The receive window's scale is not from the handshake, and another is possible: the windows may be
    /// several times as large as they are taken for.
    pub(super) is_scale_open: bool,
    /// None is in use, for there is no evidence of any.
    pub(super) is_scale_unknown: bool,
    /// Less shows in flight at the tap than the sender counts, half of it or less: enough to fill a window of
    /// unknown size, or not.
    pub(super) hides_full_window: bool,
    /// Segments were sent again.
    pub(super) has_loss: bool,
    /// Losses cut the congestion window so often that no chance is behind it.
    pub(super) is_often_cut: bool,
    /// The capture was not taken at the sender, or it is not known where.
    pub(super) is_remote: bool,
    /// The capture's clock does not tell what prompted a send.
    pub(super) is_coarse: bool,
    /// Nor batches from other sends, the path being short for it.
    pub(super) is_coarse_for_path: bool,
    /// Nor is it known well enough when the sender sent: the path's queues hide it, or the tick of
    /// its clock does.
    pub(super) is_blurred: bool,
    /// The receiver's host answers, and nothing tells how far away the sender is: at the receiver its waits
    /// would be seen without what ended them.
    pub(super) is_place_unknown: bool,
    /// Captured away from the sender, and nothing tells how far away.
    pub(super) is_way_unknown: bool,
    /// The application's waits are longer than a round trip of nearly any path, on average, or all that it
    /// wrote fits into a first window: nothing else can have held that up for long.
    pub(super) are_pauses_its_own: bool,
    /// The way from the capture to an end takes no longer than that end's host: it may have been there, or
    /// not.
    pub(super) is_end_open: bool,
    /// The sender's answers to ACKs pass late, one as late as the other: they look like a writer's timer.
    pub(super) answers_late: bool,
    /// More of what it sent is missing than was captured: a pause in what is there may be none. (The times of
    /// the shares stand: 100 kB may be missing of a moment in a minute of waiting.)
    pub(super) is_mostly_missed: bool,
    /// So many packets are missing, or of a window whose scale is not from the handshake, that more than the
    /// time of the gaps is in doubt.
    pub(super) are_gaps_grave: bool,
    /// The capture's clock jumped ahead: time that counts as not captured, but in which likely nothing was.
    /// The rest stands as it is. (125 captures with one such step of 5 s, and with twenty of 2 s: 105 and 100
    /// are sure, 4 and 46 if this were a doubt; none wrongly.)
    pub(super) is_clock_stepped: bool,
    /// A subflow of multipath TCP: data waits, and windows are counted, for all of them together.
    pub(super) is_multipath: bool,
    /// No ACKs at all, or no data.
    pub(super) is_one_sided: bool,
    /// So it is for the better part of its time: acknowledgments of what it sent are missing.
    pub(super) is_unheard: bool,
    /// A queue between the sender and the tap would not show: it does where the sender's clock tells when it
    /// sent, and nowhere else.
    pub(super) may_hide_queue: bool,
    /// Share of the time in which the flow's own queue stood at the bottleneck; 0 unless that is well
    /// founded.
    pub(super) queued: f64,
}

impl Doubts {
    pub(super) fn of(
        findings: &Findings,
        direction: Direction<'_>,
        place: &vantage::Place,
    ) -> Self {
        let Direction { flow, reverse, .. } = direction;
        let totals = &findings.totals;
        let is_remote = place.position != Vantage::Sender;
        let is_certain = reverse.window_scale.is_some_and(|scale| scale.is_certain);
        let is_inferred = window_scale(reverse) != WindowScale::Known;
        let full = findings.ledger.measures.get(&Limit::ReceiveWindow).copied().unwrap_or_default();
        Self {
            is_scale_open: is_inferred
                && (is_elsewhere(place) || !is_certain || !full.is_more_queued()),
            is_scale_unknown: window_scale(reverse) == WindowScale::Unknown,
            answers_late: findings.answers_late,
            hides_full_window: is_inferred && is_elsewhere(place) && !is_nearer_to_sender(place),
            has_loss: totals.retransmitted_segments > 0,
            is_often_cut: totals.recoveries.saturating_add(totals.timeouts) >= CUTS_MIN,
            is_remote,
            is_coarse: place.tap_tick.is_some(),
            is_coarse_for_path: !tells_batches(place.tap_tick, totals.rtt.min()),
            is_blurred: is_elsewhere(place) && !tells_batches(place.sender_tick, totals.rtt.min()),
            is_mostly_missed: totals.missed.0 > flow.payload_bytes,
            are_gaps_grave: totals.missed > Bytes(0) && (is_inferred || is_grave(totals)),
            is_clock_stepped: totals.clock_steps > 0,
            is_place_unknown: is_place_unknown(place),
            is_way_unknown: is_known_elsewhere(place) && place.sender_half.is_none(),
            are_pauses_its_own: are_pauses_long(findings) || is_little(findings, flow),
            is_end_open: place.is_end_open(),
            is_multipath: totals.is_multipath,
            is_one_sided: flow.packets == 0
                || (reverse.packets == 0 && !sent_only_syns(flow, totals)),
            is_unheard: is_unheard(findings, direction),
            may_hide_queue: (is_known_elsewhere(place) || place.is_end_open())
                && place.sender_tick.is_none(),
            queued: path::queued(&findings.path, direction.duration()),
        }
    }

    /// What was sent, or what was acknowledged, is missing for so long that no limit shows.
    pub(super) fn is_half_heard(&self) -> bool {
        self.is_one_sided || self.is_unheard
    }
}

/// `receiver` is the side whose windows are in question.
pub(super) fn window_scale(receiver: &Flow<()>) -> WindowScale {
    match receiver.window_scale {
        Some(scale) if scale.is_inferred => WindowScale::Inferred,
        Some(_) => WindowScale::Known,
        None => WindowScale::Unknown,
    }
}

/// Not at the sender, as far as is known.
fn is_elsewhere(place: &vantage::Place) -> bool {
    is_known_elsewhere(place) || place.is_end_open()
}

fn is_known_elsewhere(place: &vantage::Place) -> bool {
    matches!(place.position, Vantage::Receiver | Vantage::Middle)
}

/// More than half of what fills a window shows in flight there: it fits under no smaller scale than the
/// window's.
fn is_nearer_to_sender(place: &vantage::Place) -> bool {
    place.sender_half.zip(place.receiver_half).is_some_and(|(sender, receiver)| sender < receiver)
}

/// Whether it may have been the receiver's host, its ACKs coming as soon as one's do, or the sender's on a
/// short path: neither handshake nor timestamps tell.
fn is_place_unknown(place: &vantage::Place) -> bool {
    place.position == Vantage::Unknown
        && place.sender_half.is_none()
        && place.receiver_half.is_some_and(|half| half <= WAKE_UP)
}

/// Chosen to be beyond nearly any RTT.
const LONG_PAUSE: Duration = RTO_INITIAL;

fn are_pauses_long(findings: &Findings) -> bool {
    let measures = findings.ledger.measures.get(&Limit::Application);
    measures.is_some_and(|Measures { waits, time, .. }| {
        *waits > 0 && time.as_secs_f64() >= LONG_PAUSE.as_secs_f64() * units::as_f64(*waits)
    })
}

/// It fits into an initial window (RFC 6928 section 2), and none of it was lost.
fn is_little(findings: &Findings, flow: &Flow<()>) -> bool {
    let is_within = Bytes(flow.payload_bytes) <= initial_window(findings.smss, 0);
    is_within && findings.totals.retransmitted_segments == 0 && findings.totals.missed == Bytes(0)
}

/// For at least half of its time more was out than the acknowledgments in the capture allow: others are
/// missing.
fn is_unheard(findings: &Findings, direction: Direction<'_>) -> bool {
    let since =
        findings.totals.unheard_since.map(|since| direction.connection.last_time.since(since));
    since.is_some_and(|since| since.saturating_mul(2) >= direction.duration())
}

/// One octet in twenty is missing. (Captures of the open corpus and of two waves that lack one packet in a
/// hundred: of 257 directions 213 are sure, none wrongly; one data packet in twenty, or a tenth of all: of
/// 524 three are wrong and sure without this. Wrong at less were some that lack a scale, too: where the ACK
/// that opened it is missing, a window seems exceeded and its scale larger.)
fn is_grave(totals: &SenderTotals) -> bool {
    totals.missed.0.saturating_mul(20) >= totals.acked.0
}

/// As many as bound the epochs from which a congestion control is named: losses that its window follows. (Of
/// 206 directions of `tests/held-out`, `v1` and `v3`, seen away from the sender, 22 more are sure by it, none
/// of them wrong.)
const CUTS_MIN: u64 = 1 + EPOCHS_MIN as u64;

/// A tick for a send and two for an acknowledgment, at either end of what lies between two sends.
const TICKS_LEFT_OPEN: u32 = 6;

/// Whether a clock with this tick tells the batches of a blocked writer from any others: what lies
/// between two of them must be longer than what the clock leaves open.
fn tells_batches(sender_tick: Option<Duration>, min_rtt: Option<Duration>) -> bool {
    let least = |tick: Duration| tick.saturating_mul(WAKE_UPS_A_ROUND_TRIP * TICKS_LEFT_OPEN);
    sender_tick.zip(min_rtt).is_some_and(|(tick, rtt)| least(tick) <= rtt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_path_is_too_short_for_a_coarse_clock() {
        let ms = |ms| Some(Duration::from_millis(ms));
        assert!(tells_batches(ms(1), ms(18)));
        assert!(!tells_batches(ms(1), ms(17)));
        assert!(!tells_batches(ms(10), ms(100)));
        assert!(!tells_batches(None, ms(100)), "no clock");
        assert!(!tells_batches(ms(1), None), "no round trip");
    }
}
