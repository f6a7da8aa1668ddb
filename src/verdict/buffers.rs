//! How large are the buffers that limit? The send buffer by what was in flight whenever it was full,
//! the receive buffer by the window and how that moved.

use super::already::Already;
use super::shares::SHARE_MIN;
use crate::limit::{Ledger, Limit, Measures};
use crate::model::{ReceiveBuffer, SendBuffer, WindowGrowth};
use crate::sender::{Acknowledge, Recovery, SenderEvent, TIMESTAMPS_LEN, Unchanged};
use crate::units::{Bytes, Timestamp};

/// Linux `sk_sndbuf` over the payload in flight when it is full. It counts the memory of socket
/// buffers: 2304 octets for a segment of 1448 sent alone, or for a write of 1000. But it is looked at
/// only before a buffer of up to 64 kB is begun, so large writes go over it, many times where it is
/// small (`tcp_sendmsg_locked`).
const SEND_BUFFER: [f64; 2] = [0.33, 2.3];

/// The same over the payload in flight where a blocked writer is woken: two thirds of the memory are
/// in use then, however far the last write went over it (`sk_stream_is_writeable`).
const WOKEN: f64 = 1.5;

/// Linux `rcvbuf` over the largest window: half of it is window at first
/// (`TCP_DEFAULT_SCALING_RATIO`), nearly all with full segments in large frames
/// (`tcp_measure_rcv_mss`).
const RECEIVE_BUFFER: [f64; 2] = [1.05, 2.0];

/// Follows the advertised window.
#[derive(Debug, Default)]
pub(crate) struct WindowTrack {
    /// First one after the handshake.
    first: Option<Bytes>,
    max: Bytes,
    /// When the largest last grew by an eighth, and to what.
    grown: Option<(Timestamp, Bytes)>,
    /// Right now.
    now: Bytes,
    /// The last ACK of a repair, so far.
    repaired: Option<Timestamp>,
    /// The receiver's application was seen to read what had waited.
    has_late_read: bool,
    begun: Timestamp,
    last: Timestamp,
}

impl WindowTrack {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    pub(crate) fn on_event(&mut self, event: &SenderEvent) {
        let SenderEvent::Acknowledge(ack) = event else { return };
        let Some(window) = ack.after.snd_wnd else { return };
        self.last = ack.time;
        if self.first.is_none() {
            if window == Bytes(0) {
                return; // That much is known at any scale, and says nothing of the buffer's size.
            }
            (self.first, self.begun) = (Some(window), ack.time);
            self.grown = Some((ack.time, window));
            (self.now, self.max) = (window, window);
        }
        if ack.after.recovery != Recovery::Open {
            self.repaired = Some(ack.time);
        }
        if window == self.now && window > Bytes(0) {
            return; // It neither opens nor grows.
        }
        self.change(ack, window);
    }

    #[inline(never)]
    fn change(&mut self, ack: &Acknowledge, window: Bytes) {
        self.has_late_read |= self.is_late_read(ack, window);
        self.now = window;
        self.max = self.max.max(window);
        let mark = self.grown.map_or(Bytes(0), |(_, mark)| mark);
        if window.0.saturating_mul(8) >= mark.0.saturating_mul(9) {
            self.grown = Some((ack.time, window));
        }
    }

    pub(crate) fn on_unchanged(&mut self, ack: &Unchanged) {
        self.last = ack.time;
    }

    /// A window that had shrunk opens again: though nothing is newly acknowledged
    /// (`tcp_cleanup_rbuf`), or from below half of what it was. A receiver that keeps up has
    /// read each segment by the time it acknowledges it, so that its window is never less than the
    /// buffer allows: of 78 such flows of Linux none did either, of 43 with a slow reader all but the
    /// two whose reader was about as fast as its buffer allowed.
    fn is_late_read(&self, ack: &Acknowledge, window: Bytes) -> bool {
        if window <= self.now || window > self.max {
            return false; // It has not opened.
        }
        let is_news = ack.newly_acked.saturating_add(ack.newly_sacked) > Bytes(0);
        let is_lost_room = self.now.0.saturating_mul(2) < self.max.0;
        // What a repair made whole is much at once to read.
        let is_repair = self.repaired.is_some_and(|last| {
            ack.after.srtt.is_none_or(|srtt| ack.time.since(last) <= srtt.saturating_mul(2))
        });
        !is_repair && (is_lost_room || !is_news)
    }

    /// The largest; `None` before a window with a known scale was seen.
    pub(super) fn max(&self) -> Option<Bytes> {
        self.first.map(|_| self.max)
    }

    /// It never doubled.
    pub(super) fn is_fixed(&self) -> bool {
        self.growth() == Some(WindowGrowth::Fixed)
    }

    /// The receiving application reads more slowly than data comes, at least at times.
    pub(super) fn is_drained_slowly(&self) -> bool {
        self.has_late_read
    }

    /// It does so for most of the time in which the window limits: more than a quarter of the largest
    /// window holds data that waits to be read. (Less is gone as soon as a larger buffer is there. It
    /// only chooses the advice.)
    pub(super) fn is_held_by_reader(&self, ledger: &Ledger) -> bool {
        let measures = ledger.measures.get(&Limit::ReceiveWindow);
        let mean = measures.and_then(Measures::wnd_mean);
        self.has_late_read && mean.is_some_and(|mean| mean < 0.75 * self.max.as_f64())
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

/// The window that limited. Linux counts the memory of segments against the buffer, which leaves less window
/// than the first one offered (`tcp_clamp_window`); on average over the time that it was full.
pub(super) fn window_already(track: &WindowTrack, ledger: &Ledger) -> Option<Already> {
    let whole = track.max()?.as_f64();
    let full = ledger.measures.get(&Limit::ReceiveWindow).and_then(Measures::wnd_mean);
    Some(Already { used: full.unwrap_or(whole), whole, is_fixed: track.is_fixed() })
}

/// What a send buffer held when it was full, and of that `flight` on average: it empties by a third before a
/// blocked writer is woken (`sk_stream_is_writeable`).
pub(super) fn send_already(ledger: &Ledger, flight: Option<f64>) -> Option<Already> {
    let whole = ledger.measures.get(&Limit::SendBuffer)?.flight_mean()?;
    Some(Already { used: flight.unwrap_or(whole), whole, is_fixed: true })
}

/// The receive buffer, where it limits for some of the time.
pub(super) fn receive(track: &WindowTrack, ledger: &Ledger, smss: Bytes) -> Option<ReceiveBuffer> {
    share_of(ledger, Limit::ReceiveWindow)?;
    let [low, high] = RECEIVE_BUFFER;
    let size_low_bytes = low * track.max.as_f64();
    // One segment of the announced size is kept back of what could be offered (`tcp_init_buffer_space`).
    let announced = smss.saturating_add(Bytes(TIMESTAMPS_LEN));
    let size_high_bytes = high * track.max.saturating_add(announced).as_f64();
    Some(ReceiveBuffer {
        growth: track.growth()?,
        window_max_bytes: track.max.0,
        is_drained_slowly: track.is_drained_slowly(),
        size_low_bytes,
        size_high_bytes,
    })
}

/// The send buffer, where it limits for some of the time. `smss`: an ACK of two segments may have
/// been what woke the writer (RFC 9293 section 3.8.6.3).
pub(super) fn send(ledger: &Ledger, smss: Bytes) -> Option<SendBuffer> {
    share_of(ledger, Limit::SendBuffer)?;
    let measures = ledger.measures.get(&Limit::SendBuffer)?;
    let held_bytes = measures.flight_mean()?;
    let [low, high] = SEND_BUFFER;
    let [size_low_bytes, size_high_bytes] = match measures.woken_mean() {
        Some(woken) => [WOKEN * (woken - 2.0 * smss.as_f64()).max(0.0), WOKEN * high * woken],
        None => [low * held_bytes, high * held_bytes],
    };
    Some(SendBuffer { held_bytes, size_low_bytes, size_high_bytes })
}

/// The limit's share of the time, if it is worth a look.
fn share_of(ledger: &Ledger, limit: Limit) -> Option<f64> {
    let time = ledger.measures.get(&limit)?.time.as_secs_f64();
    let share = time / ledger.total().as_secs_f64().max(1e-9);
    (share >= SHARE_MIN).then_some(share)
}
