//! What was noted, told again in order.

use super::super::group::{self, unsigned};
use super::plain::{self, Words};
use super::{Last, after, has, head};
use crate::flow::{Ack, Consumer, Data, Departure, Handshake, SackRanges};
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};

/// What was noted and is not told yet.
pub(super) struct Steps<'a> {
    pub(super) octets: &'a [u8],
    pub(super) last: Last,
}

impl Steps<'_> {
    /// Tells the first of them; `None` if there is none.
    #[inline]
    pub(super) fn tell_next(&mut self, consumer: &mut impl Consumer) -> Option<()> {
        if self.octets.first()? & plain::PLAIN == 0 {
            return self.tell_any(consumer);
        }
        let words = Words::first_of(self.octets)?;
        self.octets = self.octets.get(words.len()..)?;
        if words.is_ack() {
            let (mut ack, blocks) = plain::ack(words, &self.last);
            if blocks > 0 {
                ack.sack = self.blocks(ack.ack, blocks);
            }
            self.last.on_ack(&ack);
            consumer.on_ack(&ack);
        } else {
            let data = plain::data(words, &self.last);
            self.last.on_data(&data);
            consumer.on_data(&data);
        }
        Some(())
    }

    #[inline(never)]
    fn tell_any(&mut self, consumer: &mut impl Consumer) -> Option<()> {
        let ([kind, flags], rest) = self.octets.split_first_chunk()?;
        self.octets = rest;
        match *kind {
            head::ACK => consumer.on_ack(&self.ack(*flags)),
            head::HANDSHAKE => consumer.on_handshake(&self.handshake(*flags)),
            _ => consumer.on_data(&self.data(*flags)),
        }
        Some(())
    }

    fn handshake(&mut self, flags: u8) -> Handshake {
        let [mss, sender_half, receiver_half, most, ..] = group::take(&mut self.octets);
        let [mss, most] = [mss, most].map(|mss| u16::try_from(mss).unwrap_or(u16::MAX));
        Handshake {
            mss: has(flags, 0).then_some(mss),
            receiver_mss: (most > 0).then_some(most),
            sender_half: has(flags, 1).then_some(Duration::from_nanos(sender_half)),
            receiver_half: has(flags, 2).then_some(Duration::from_nanos(receiver_half)),
            is_client: has(flags, 3),
            is_sack_permitted: has(flags, 4),
            is_multipath: has(flags, 5),
        }
    }

    fn data(&mut self, flags: u8) -> Data {
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
            is_syn: has(flags, 0),
            is_fin: has(flags, 1),
            is_pushed: has(flags, 2),
            ip_id: has(flags, 3).then_some(last.ip_id.wrapping_add(ip_id)),
            timestamps: has(flags, 4).then_some(after([value, echo], last.sent)),
            headers_len: u32::try_from(headers_len).unwrap_or(u32::MAX),
            sender_tick: None,
            departure: Departure::Unknown,
        };
        last.on_data(&data);
        data
    }

    fn ack(&mut self, flags: u8) -> Ack {
        let [frame, time, ack, window_unscaled, window, count, value, echo] =
            group::take(&mut self.octets);
        let ack = StreamOffset(unsigned(ack, self.last.ack));
        let (sack, repeats) = if has(flags, 1) {
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
            window: has(flags, 0).then_some(window),
            window_unscaled,
            sack,
            timestamps: has(flags, 2).then_some(after([value, echo], last.acked)),
            has_payload: has(flags, 3),
            is_syn: has(flags, 4),
            is_fin: has(flags, 5),
            slack: Duration::ZERO,
            has_ece: has(flags, 6),
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
