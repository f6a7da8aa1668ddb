//! What a flow's sender did, summed up in bounded memory.

use crate::units::{Bytes, Duration, Timestamp};

use super::passage::TooLarge;
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
    /// Payload octets of these.
    pub(crate) recorded_twice: Bytes,
    pub(crate) keep_alives: u64,
    pub(crate) window_probes: u64,
    /// Octets that the capture missed.
    pub(crate) missed: Bytes,
    /// How often its clock jumped ahead.
    pub(crate) clock_steps: u64,
    /// How far it was set back.
    pub(crate) clock_set_back: Duration,
    /// Payload octets acknowledged while watching.
    pub(crate) acked: Bytes,
    /// Since when went out what no acknowledgment in the capture covers, where no sender may have as much
    /// out; `None` of less.
    pub(crate) unheard_since: Option<Timestamp>,
    /// Segments that never got through, as smaller ones did; `None` if all did, or too few were sent to tell.
    pub(crate) too_large: Option<TooLarge>,
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
    clock: Timestamp,
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

    /// Advertised window weighted by time, octets; `None` where its scale was never known, so that nothing
    /// but its being closed was.
    pub(crate) fn rwnd_mean(&self) -> Option<f64> {
        self.rwnd.mean().filter(|mean| *mean > 0.0)
    }

    /// The clock goes on to `now`.
    #[inline]
    pub(super) fn advance(&mut self, now: Timestamp) {
        self.clock = self.clock.max(now);
    }

    /// All RTT samples so far were too short.
    pub(super) fn forget_rtt(&mut self) {
        (self.rtt, self.srtt) = (RttSummary::default(), TimeMean::default());
    }

    /// From now on this is the smoothed RTT, in ns.
    #[inline]
    pub(super) fn hold_srtt(&mut self, srtt: Option<u64>) {
        self.srtt.hold(srtt, self.clock);
    }

    /// From now on so much is in flight.
    #[inline]
    pub(super) fn hold_flight(&mut self, flight_size: Bytes) {
        self.flight_max = self.flight_max.max(flight_size);
        self.flight.hold((flight_size > Bytes(0)).then_some(flight_size.0), self.clock);
    }

    /// From now on this is the advertised window.
    #[inline]
    pub(super) fn hold_window(&mut self, window: Option<Bytes>) {
        self.rwnd.hold(window.map(|window| window.0), self.clock);
    }

    /// Weighs what has not been yet, to be called at the end.
    pub(super) fn settle(&mut self) {
        for mean in [&mut self.srtt, &mut self.flight, &mut self.rwnd] {
            mean.weigh(self.clock);
        }
    }

    /// Counts one send that is no plain new data: `segments` of it, and `octets` of payload, for the second
    /// time, or a tail loss probe of new data.
    #[inline(never)]
    pub(super) fn count(&mut self, kind: SendKind, segments: u32, octets: Bytes) {
        let counter = match kind {
            SendKind::New => &mut self.loss_probes_of_new_data,
            SendKind::Retransmit(cause) => {
                self.retransmitted = self.retransmitted.saturating_add(octets);
                return self.count_retransmitted(cause, segments);
            }
            SendKind::KeepAlive => &mut self.keep_alives,
            SendKind::WindowProbe => &mut self.window_probes,
            SendKind::Duplicate(DuplicateCause::Network) => &mut self.network_duplicates,
            SendKind::Duplicate(DuplicateCause::Capture) => {
                self.recorded_twice = self.recorded_twice.saturating_add(octets);
                &mut self.capture_duplicates
            }
            SendKind::Reordered => &mut self.reordered_packets,
        };
        *counter = counter.saturating_add(1);
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

/// A mean weighted by time. Each value is weighed once it gives way to another.
#[derive(Debug, Default)]
struct TimeMean {
    /// Value times nanoseconds: as times that go back count as none, less than 2^64 times 2^64.
    area: u128,
    nanoseconds: u64,
    /// Not weighed yet from `since` on; `None` for what does not count.
    value: Option<u64>,
    since: Timestamp,
}

impl TimeMean {
    /// `value` holds from `since` on, if it is another than before.
    #[inline]
    fn hold(&mut self, value: Option<u64>, since: Timestamp) {
        if self.value != value {
            self.weigh(since);
            self.value = value;
        }
    }

    #[inline]
    fn weigh(&mut self, until: Timestamp) {
        if let Some(value) = self.value {
            let passed = until.since(self.since).as_nanos();
            let product = u128::from(value).wrapping_mul(u128::from(passed));
            self.area = self.area.wrapping_add(product);
            self.nanoseconds = self.nanoseconds.wrapping_add(passed);
        }
        self.since = until;
    }

    fn mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits")]
        let mean = self.area as f64 / self.nanoseconds as f64;
        (self.nanoseconds > 0).then_some(mean)
    }
}
