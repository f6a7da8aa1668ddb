//! What a flow's sender did, summed up in bounded memory.

use crate::units::{Bytes, Timestamp};

use super::rtt::RttSummary;
use super::{DuplicateCause, RetransmitCause, SendKind};

/// Sums over a flow.
#[derive(Debug, Default)]
pub(crate) struct SenderTotals {
    /// Payload octets that the sender sent again.
    pub(crate) retransmitted: Bytes,
    /// Wire segments that the sender sent again, SYN and FIN included: Linux `total_retrans`.
    pub(crate) retransmitted_segments: u64,
    /// Of these: fast retransmissions and the repairs of the same recovery.
    pub(crate) fast_segments: u64,
    /// Of these: by the retransmission timer, and the slow start after it.
    pub(crate) timeout_segments: u64,
    /// Of these: tail loss probes.
    pub(crate) loss_probe_segments: u64,
    /// Tail loss probes that carried new data, so that nothing was sent again.
    pub(crate) loss_probes_of_new_data: u64,
    /// Of the segments sent again: SYN or SYN-ACK.
    pub(crate) handshake_segments: u64,
    /// Of these: proven needless by D-SACK (RFC 2883), or by Eifel (RFC 3522) where the receiver
    /// sends no SACK.
    pub(crate) spurious_segments: u64,
    /// Segments that D-SACKs reported, whoever made the copy: Linux `dsack_dups`.
    pub(crate) dsack_segments: u64,
    /// Expiries of the retransmission timer, the SYN's included.
    pub(crate) timeouts: u64,
    /// Episodes of fast recovery.
    pub(crate) recoveries: u64,
    pub(crate) reordered_packets: u64,
    pub(crate) network_duplicates: u64,
    pub(crate) capture_duplicates: u64,
    pub(crate) keep_alives: u64,
    pub(crate) window_probes: u64,
    /// Octets that the capture missed.
    pub(crate) missed: Bytes,
    /// How often its clock jumped ahead.
    pub(crate) clock_steps: u64,
    /// Payload octets acknowledged while watching.
    pub(crate) acked: Bytes,
    /// Largest FlightSize.
    pub(crate) flight_max: Bytes,
    /// The handshake was seen, and one side does not speak SACK (RFC 2018).
    pub(crate) is_without_sack: bool,
    /// One subflow of a multipath connection (RFC 8684).
    pub(crate) is_multipath: bool,
    /// A bound of the scoreboard was hit: loss counts are lower bounds.
    pub(crate) is_scoreboard_limit_reached: bool,
    pub(crate) rtt: RttSummary,
    srtt: TimeMean,
    flight: TimeMean,
    rwnd: TimeMean,
    clock: Option<Timestamp>,
}

impl SenderTotals {
    /// SRTT weighted by time, as the mean of a host's `tcpi_rtt` polled at even intervals;
    /// seconds. `None` without a sample.
    pub(crate) fn srtt_mean(&self) -> Option<f64> {
        self.srtt.mean().map(|ns| ns / 1e9)
    }

    /// FlightSize weighted by time while data was in flight, octets.
    pub(crate) fn flight_mean(&self) -> Option<f64> {
        self.flight.mean()
    }

    /// Advertised window weighted by time, octets; `None` where its scale was never known.
    pub(crate) fn rwnd_mean(&self) -> Option<f64> {
        self.rwnd.mean()
    }

    /// Weighs the state that held since the last step with the time until `now`.
    pub(super) fn advance(&mut self, now: Timestamp, held: Held) {
        let clock = self.clock.unwrap_or(now);
        self.clock = Some(clock.max(now));
        let passed_ns = now.0.saturating_sub(clock.0);
        if passed_ns == 0 {
            return;
        }
        if held.srtt_ns > 0 {
            self.srtt.take(held.srtt_ns, passed_ns);
        }
        if held.flight_size > Bytes(0) {
            self.flight.take(held.flight_size.0, passed_ns);
        }
        if let Some(window) = held.snd_wnd {
            self.rwnd.take(window.0, passed_ns);
        }
    }

    /// Counts one send: `segments` of it, and `octets` of payload, for the second time.
    pub(super) fn count(&mut self, kind: SendKind, segments: u32, octets: Bytes) {
        let counter = match kind {
            SendKind::New => return,
            SendKind::Retransmit(cause) => {
                self.retransmitted = self.retransmitted.saturating_add(octets);
                return self.count_retransmitted(cause, segments);
            }
            SendKind::KeepAlive => &mut self.keep_alives,
            SendKind::WindowProbe => &mut self.window_probes,
            SendKind::Duplicate(DuplicateCause::Network) => &mut self.network_duplicates,
            SendKind::Duplicate(DuplicateCause::Capture) => &mut self.capture_duplicates,
            SendKind::Reordered => &mut self.reordered_packets,
        };
        *counter = counter.saturating_add(1);
    }

    pub(super) fn count_new_probe(&mut self, is_one: bool) {
        self.loss_probes_of_new_data =
            self.loss_probes_of_new_data.saturating_add(u64::from(is_one));
    }

    fn count_retransmitted(&mut self, cause: RetransmitCause, segments: u32) {
        let counter = match cause {
            RetransmitCause::Fast => &mut self.fast_segments,
            RetransmitCause::Timeout => &mut self.timeout_segments,
            RetransmitCause::LossProbe => &mut self.loss_probe_segments,
            RetransmitCause::Handshake => &mut self.handshake_segments,
        };
        *counter = counter.saturating_add(u64::from(segments));
        self.retransmitted_segments =
            self.retransmitted_segments.saturating_add(u64::from(segments));
    }
}

/// What held since the last step, of the sender's variables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    /// 0 before the first sample.
    pub(super) srtt_ns: u64,
    pub(super) flight_size: Bytes,
    pub(super) snd_wnd: Option<Bytes>,
}

/// A mean weighted by time.
#[derive(Debug, Default)]
struct TimeMean {
    /// Value times nanoseconds.
    area: u128,
    nanoseconds: u64,
}

impl TimeMean {
    fn take(&mut self, value: u64, ns: u64) {
        // Two factors of 64 bits: the product always fits.
        let product = u128::from(value).wrapping_mul(u128::from(ns));
        self.area = self.area.saturating_add(product);
        self.nanoseconds = self.nanoseconds.saturating_add(ns);
    }

    fn mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
        let mean = self.area as f64 / self.nanoseconds as f64;
        (self.nanoseconds > 0).then_some(mean)
    }
}
