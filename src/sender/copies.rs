//! Packets seen twice without the sender having sent them twice. A retransmission is a packet of
//! its own: Linux gives it a new IP identification, and its TSval tells the time. A copy made by
//! the network or by the capture has both of the first. IPv6 has no identification, so there only a
//! copy that comes at once can be told: no sender repeats itself so soon.

use super::DuplicateCause;
use crate::flow::Data;
use crate::units::{Bytes, Duration, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// The last packets, enough to meet a copy that follows a burst of 64 kB.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// At most [`Copies::KEPT`].
    recent: Vec<Packet>,
    next: usize,
}

#[derive(Debug, Clone, Copy)]
struct Packet {
    time: Timestamp,
    start: StreamOffset,
    len: Bytes,
    ip_id: Option<u16>,
    timestamps: Option<TcpTimestamps>,
}

/// Two taps of one host see a packet within this time (a bridge, a bond, `any`); a copy made on the
/// way queues behind the original.
const TAP_TO_TAP: Duration = Duration::from_micros(100);

impl Copies {
    const KEPT: usize = 48;

    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.recent.capacity().saturating_mul(size_of::<Packet>())
    }

    /// Notes a packet; tells who copied it, if `is_old` and one like it came before.
    pub(super) fn on_data(&mut self, data: &Data, is_old: bool) -> Option<DuplicateCause> {
        let packet = Packet {
            time: data.time,
            start: data.start,
            len: data.len,
            ip_id: data.ip_id,
            timestamps: data.timestamps,
        };
        let first = self.recent.iter().filter(|_| is_old).find(|first| first.is_same(&packet));
        let is_at_once = first.is_some_and(|it| packet.time.since(it.time) <= TAP_TO_TAP);
        if is_at_once {
            return Some(DuplicateCause::Capture);
        }
        if first.is_some() && packet.ip_id.is_some() {
            return Some(DuplicateCause::Network);
        }
        match self.recent.get_mut(self.next) {
            Some(slot) => *slot = packet,
            None => self.recent.push(packet),
        }
        self.next = self.next.saturating_add(1) % Self::KEPT;
        None
    }
}

impl Packet {
    fn is_same(&self, other: &Self) -> bool {
        (self.start, self.len, self.ip_id, self.timestamps)
            == (other.start, other.len, other.ip_id, other.timestamps)
    }
}
