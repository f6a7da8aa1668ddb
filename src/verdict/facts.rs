//! What several parts of a verdict go by, worked out once for a flow.

use super::already::Already;
use super::lever::Lever;
use super::unopened::Unopened;
use crate::model::CongestionClass;
use crate::sender::TooLarge;
use crate::vantage::HeldByHost;

/// Figures of a flow, and how its window and its buffer came to be as large as they are.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct Facts {
    /// Bits per second.
    pub(super) goodput: Option<f64>,
    /// SRTT weighted by time, seconds.
    pub(super) srtt: Option<f64>,
    pub(super) min_rtt: Option<f64>,
    pub(super) smss: u64,
    /// The receiving application, not the size of its buffer, keeps the window small.
    pub(super) is_reader_slow: bool,
    /// All was written at once, and gone within a few round trips.
    pub(super) is_brief: bool,
    /// The share of the time of the handshake and of the close.
    pub(super) handshake_share: f64,
    /// Seconds of the handshake, of slow start and of the close.
    pub(super) opening_s: f64,
    /// Something was sent again.
    pub(super) has_loss: bool,
    /// Of the sender's congestion control.
    pub(super) class: CongestionClass,
    /// Seconds in which nothing moved until lost segments were sent again; those of an opening left out.
    pub(super) lost_s: f64,
    pub(super) duration_s: f64,
    /// Segments that never got through, as smaller ones did.
    pub(super) too_large: Option<TooLarge>,
    /// No connection came of its SYN.
    pub(super) unopened: Option<Unopened>,
    /// A queue between the sender and the tap would not show.
    pub(super) may_hide_queue: bool,
    /// By a queue of the sending host.
    pub(super) held_by_host: HeldByHost,
    /// What makes the receive window larger.
    pub(super) window_lever: Lever,
    /// The same of the send buffer.
    pub(super) send_lever: Lever,
    /// The receive window; `None` where its scale is not known.
    pub(super) window: Option<Already>,
    /// What the send buffer held of payload in flight; `None` where it never limited.
    pub(super) send_buffer: Option<Already>,
}

impl Facts {
    /// The share of the time that passed until lost segments were sent again: a program waits for that, too,
    /// where it has no more to send before.
    pub(super) fn lost_share(&self) -> f64 {
        if self.duration_s > 0.0 { self.lost_s / self.duration_s } else { 0.0 }
    }

    /// Half of the time and more went into opening, slow start and the close.
    pub(super) fn is_mostly_opening(&self) -> bool {
        2.0 * self.opening_s >= self.duration_s
    }

    /// That was most of it.
    pub(super) fn is_mostly_lost(&self) -> bool {
        self.lost_share() >= 0.5
    }
}

#[cfg(test)]
impl Facts {
    /// 8 Mbit/s at a round trip of 100 ms, with losses.
    pub(super) fn sample() -> Self {
        Self {
            goodput: Some(8e6),
            srtt: Some(0.1),
            min_rtt: Some(0.1),
            smss: 1448,
            is_reader_slow: false,
            is_brief: false,
            handshake_share: 0.0,
            opening_s: 0.0,
            has_loss: true,
            class: CongestionClass::Unknown,
            lost_s: 0.0,
            duration_s: 10.0,
            too_large: None,
            unopened: None,
            may_hide_queue: false,
            held_by_host: HeldByHost::default(),
            window_lever: Lever::System,
            send_lever: Lever::System,
            window: None,
            send_buffer: None,
        }
    }
}
