//! How large are the buffers that limit? The send buffer by what was in flight whenever it was full,
//! the receive buffer by the window and how that moved.

use crate::limit::{Ledger, Limit};
use crate::report::{ReceiveBuffer, SendBuffer, WindowGrowth};
use crate::sender::SenderEvent;
use crate::units::{Bytes, Timestamp};

/// Linux `sk_sndbuf` over the payload in flight when it is full. It counts the memory of socket
/// buffers: 2304 octets for a segment of 1448 sent alone, or for a write of 1000. But it is looked at
/// only before a write begins, so large writes go over it, two or three times where segmentation
/// offload takes them up (`tcp_sendmsg_locked`).
const SEND_BUFFER: [f64; 2] = [0.33, 2.3];

/// Linux `rcvbuf` over the largest window: half of it is window at first
/// (`TCP_DEFAULT_SCALING_RATIO`), nearly all with full segments in large frames
/// (`tcp_measure_rcv_mss`).
const RECEIVE_BUFFER: [f64; 2] = [1.05, 2.0];

/// Smaller shares of the time are no reason to look at a buffer.
const SHARE_MIN: f64 = 0.05;

/// Follows the advertised window.
#[derive(Debug, Default)]
pub(super) struct WindowTrack {
    /// First one after the handshake.
    first: Option<Bytes>,
    max: Bytes,
    /// When the largest last grew by an eighth, and from what.
    grown: Option<(Timestamp, Bytes)>,
    /// Smallest since then.
    least: Option<Bytes>,
    begun: Timestamp,
    last: Timestamp,
}

impl WindowTrack {
    pub(super) fn on_event(&mut self, event: &SenderEvent) {
        let SenderEvent::Acknowledge(ack) = event else { return };
        let Some(window) = ack.after.snd_wnd else { return };
        self.last = ack.time;
        if self.first.is_none() {
            (self.first, self.begun) = (Some(window), ack.time);
            self.grown = Some((ack.time, window));
        }
        self.max = self.max.max(window);
        self.least = Some(self.least.map_or(window, |least| least.min(window)));
        let mark = self.grown.map_or(Bytes(0), |(_, mark)| mark);
        if window.0.saturating_mul(8) >= mark.0.saturating_mul(9) {
            self.grown = Some((ack.time, window));
            self.least = Some(window);
        }
    }

    /// The largest; `None` before a window with a known scale was seen.
    pub(super) fn max(&self) -> Option<Bytes> {
        self.first.map(|_| self.max)
    }

    /// The smallest since it last grew by an eighth.
    pub(super) fn least(&self) -> Option<Bytes> {
        self.least
    }

    /// It never doubled.
    pub(super) fn is_fixed(&self) -> bool {
        self.growth() == Some(WindowGrowth::Fixed)
    }

    /// `None` before a window with a known scale was seen.
    fn growth(&self) -> Option<WindowGrowth> {
        let (first, (grown, _)) = (self.first?, self.grown?);
        let all = self.last.since(self.begun);
        Some(match () {
            () if self.max.0 < first.0.saturating_mul(2) => WindowGrowth::Fixed,
            () if self.last.since(grown).saturating_mul(4) <= all => WindowGrowth::Growing,
            () => WindowGrowth::Capped,
        })
    }
}

/// The receive buffer, where it limits for some of the time.
pub(super) fn receive(track: &WindowTrack, ledger: &Ledger) -> Option<ReceiveBuffer> {
    share_of(ledger, Limit::ReceiveWindow)?;
    let [size_low_bytes, size_high_bytes] = RECEIVE_BUFFER.map(|part| part * octets(track.max));
    Some(ReceiveBuffer {
        growth: track.growth()?,
        window_max_bytes: track.max.0,
        is_drained_slowly: track.least.is_some_and(|least| least.0 < track.max.0 / 2),
        size_low_bytes,
        size_high_bytes,
    })
}

/// The send buffer, where it limits for some of the time.
pub(super) fn send(ledger: &Ledger) -> Option<SendBuffer> {
    share_of(ledger, Limit::SendBuffer)?;
    let held_bytes = ledger.measures.get(&Limit::SendBuffer)?.flight_mean()?;
    let [size_low_bytes, size_high_bytes] = SEND_BUFFER.map(|part| part * held_bytes);
    Some(SendBuffer { held_bytes, size_low_bytes, size_high_bytes })
}

/// The limit's share of the time, if it is worth a look.
fn share_of(ledger: &Ledger, limit: Limit) -> Option<f64> {
    let time = ledger.measures.get(&limit)?.time.as_secs_f64();
    let share = time / ledger.total().as_secs_f64().max(1e-9);
    (share >= SHARE_MIN).then_some(share)
}

#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 octets")]
fn octets(count: Bytes) -> f64 {
    count.0 as f64
}
