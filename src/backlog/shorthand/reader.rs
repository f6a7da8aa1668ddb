//! What was noted, told again in order.

use super::super::group::{self, unsigned};
use super::Last;
use crate::flow::{Ack, Data, Handshake, HostQueued, SackRanges};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;
/// What was noted and is not told yet.
pub(super) struct Steps<'a> {
    pub(super) octets: &'a [u8],
    pub(super) last: Last,
}

impl Steps<'_> {
    pub(super) fn handshake(&mut self, head: u8) -> Handshake {
        let [mss, sender_half, receiver_half, most, ..] = group::take(&mut self.octets);
        let [mss, most] = [mss, most].map(|mss| u16::try_from(mss).unwrap_or(u16::MAX));
        Handshake {
            mss: has(head, 1).then_some(mss),
            receiver_mss: (most > 0).then_some(most),
            sender_half: has(head, 2).then_some(Duration::from_nanos(sender_half)),
            receiver_half: has(head, 3).then_some(Duration::from_nanos(receiver_half)),
            is_client: has(head, 4),
            is_sack_permitted: has(head, 5),
            is_multipath: has(head, 6),
        }
    }

    #[inline]
    pub(super) fn data(&mut self, head: u8) -> Data {
        let [frame, time, start, len, headers_len, ip_id, value, echo] =
            group::take(&mut self.octets);
        let last = &mut self.last;
        let headers_len = unsigned(headers_len, u64::from(last.headers_len));
        let ip_id = u16::try_from(ip_id).unwrap_or_default();
        let data = Data {
            frame: FrameNumber::from_bits(last.frame.wrapping_add(frame)),
            time: Timestamp(unsigned(time, last.time)),
            start: StreamOffset(unsigned(start, last.end)),
            len: Bytes(len),
            is_syn: has(head, 1),
            is_fin: has(head, 2),
            is_pushed: has(head, 3),
            ip_id: has(head, 4).then_some(last.ip_id.wrapping_add(ip_id)),
            timestamps: has(head, 5).then_some(after([value, echo], last.sent)),
            headers_len: u32::try_from(headers_len).unwrap_or(u32::MAX),
            sender_tick: None,
            queued: HostQueued::No,
        };
        last.on_data(&data);
        data
    }

    #[inline]
    pub(super) fn ack(&mut self, head: u8) -> Ack {
        let [frame, time, ack, window_unscaled, window, count, value, echo] =
            group::take(&mut self.octets);
        let ack = StreamOffset(unsigned(ack, self.last.ack));
        let (sack, repeats) = if has(head, 2) {
            (self.blocks(ack, count), 0)
        } else {
            (SackRanges::default(), u32::try_from(count).unwrap_or(u32::MAX))
        };
        let last = &mut self.last;
        let window_unscaled = unsigned(window_unscaled, u64::from(last.window_unscaled));
        let window_unscaled = u16::try_from(window_unscaled).unwrap_or(u16::MAX);
        let window = Bytes(unsigned(window, last.scaled(window_unscaled)));
        let ack = Ack {
            frame: FrameNumber::from_bits(last.frame.wrapping_add(frame)),
            time: Timestamp(unsigned(time, last.time)),
            ack,
            window: has(head, 1).then_some(window),
            window_unscaled,
            sack,
            timestamps: has(head, 3).then_some(after([value, echo], last.acked)),
            has_payload: has(head, 4),
            is_syn: has(head, 5),
            is_fin: has(head, 6),
            slack: Duration::ZERO,
            has_ece: has(head, 7),
            repeats,
        };
        last.on_ack(&ack);
        ack
    }

    #[inline(never)]
    fn blocks(&mut self, ack: StreamOffset, count: u64) -> SackRanges {
        let numbers = group::take(&mut self.octets);
        let mut sack = SackRanges::default();
        for (pair, _) in numbers.chunks_exact(2).zip(0..count) {
            let &[start, end] = pair else { continue };
            let start = unsigned(start, ack.0);
            sack.push(StreamOffset(start), StreamOffset(unsigned(end, start)));
        }
        sack
    }
}

/// Those that are so far from the `last`.
#[inline]
fn after(differences: [u64; 2], last: TcpTimestamps) -> TcpTimestamps {
    let [value, echo] = differences.map(|number| u32::try_from(number).unwrap_or_default());
    TcpTimestamps { value: last.value.wrapping_add(value), echo: last.echo.wrapping_add(echo) }
}

fn has(head: u8, bit: u8) -> bool {
    head >> bit & 1 != 0
}
