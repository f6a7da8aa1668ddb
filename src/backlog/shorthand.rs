//! What passed, in as few octets as it takes to tell it again: each step as its differences from the one
//! before, small numbers in few octets. A step takes some 14 octets where [`Data`] and [`Ack`] take 72 and
//! 144; most flows of a capture with many are never told again.

use super::varint::{put, signed, take, unsigned};
use crate::flow::{Ack, Consumer, Data, Handshake, SackRanges};
use crate::units::heap::OnHeap;
use crate::units::{Bytes, Duration, FrameNumber, StreamOffset, Timestamp};
use crate::wire::TcpTimestamps;

/// Steps in capture order.
#[derive(Debug, Default)]
pub(super) struct Shorthand {
    octets: Vec<u8>,
    last: Last,
}

/// What the next step is told by; writer and reader keep the same.
#[derive(Debug, Default, Clone, Copy)]
struct Last {
    frame: u64,
    time: u64,
    /// One past the last octet of the data.
    end: u64,
    ack: u64,
    sent: TcpTimestamps,
    acked: TcpTimestamps,
    headers_len: u64,
    window_unscaled: u16,
    ip_id: u16,
    window_shift: u8,
}

/// What the first octet of a step says: which kind it is, and its flags.
mod head {
    /// Of an [`Ack`](super::Ack).
    pub(super) const ACK: u8 = 1;
    /// Of a [`Handshake`](super::Handshake); data have neither.
    pub(super) const HANDSHAKE: u8 = 1 << 7;
}

impl Shorthand {
    /// Room made for a step; few take more.
    const STEP_ROOM: usize = 32;
    const ROOM_MIN: usize = 96;

    /// Of the last step; 0 without any.
    pub(super) fn last_frame(&self) -> FrameNumber {
        FrameNumber(self.last.frame)
    }

    /// Octets written.
    pub(super) fn len(&self) -> usize {
        self.octets.len()
    }

    /// Octets held beside the value itself.
    pub(super) fn memory(&self) -> usize {
        self.octets.on_heap()
    }

    pub(super) fn push_handshake(&mut self, handshake: &Handshake) {
        let Handshake { mss, sender_half, receiver_half, .. } = *handshake;
        let Handshake { is_client, is_sack_permitted, is_multipath, .. } = *handshake;
        let flags = [mss.is_some(), sender_half.is_some(), receiver_half.is_some()];
        let told = bits(&flags) | bits(&[is_client, is_sack_permitted, is_multipath]) << 3;
        self.begin(head::HANDSHAKE | told << 1);
        let halves = [sender_half, receiver_half].into_iter().flatten();
        for number in mss.map(u64::from).into_iter().chain(halves.map(Duration::as_nanos)) {
            put(&mut self.octets, number);
        }
    }

    /// `false` for what has no room here.
    pub(super) fn push_data(&mut self, data: &Data) -> bool {
        if data.sender_tick.is_some() {
            return false;
        }
        let Data { is_syn, is_fin, is_pushed, has_cwr, .. } = *data;
        let has = [data.ip_id.is_some(), data.timestamps.is_some()];
        self.begin(bits(&[is_syn, is_fin, is_pushed, has_cwr]) << 1 | bits(&has) << 5);
        self.put_place(data.frame, data.time);
        let Self { octets, last } = self;
        put(octets, signed(data.start.0, last.end));
        put(octets, data.len.0);
        put(octets, signed(u64::from(data.headers_len), last.headers_len));
        if let Some(ip_id) = data.ip_id {
            put(octets, u64::from(ip_id.wrapping_sub(last.ip_id)));
        }
        if let Some(stamps) = data.timestamps {
            put_timestamps(octets, stamps, last.sent);
        }
        last.on_data(data);
        true
    }

    /// `false` for what has no room here.
    pub(super) fn push_ack(&mut self, ack: &Ack) -> bool {
        if !ack.slack.is_zero() {
            return false;
        }
        let Ack { has_payload, is_syn, is_fin, has_ece, .. } = *ack;
        let blocks = ack.sack.as_slice();
        let has = [ack.window.is_some(), !blocks.is_empty(), ack.timestamps.is_some()];
        let flags = bits(&[has_payload, is_syn, is_fin, has_ece]);
        self.begin(head::ACK | bits(&has) << 1 | flags << 4);
        self.put_place(ack.frame, ack.time);
        let Self { octets, last } = self;
        put(octets, signed(ack.ack.0, last.ack));
        put(octets, signed(u64::from(ack.window_unscaled), u64::from(last.window_unscaled)));
        if let Some(window) = ack.window {
            put(octets, signed(window.0, last.scaled(ack.window_unscaled)));
        }
        if !blocks.is_empty() {
            put(octets, blocks.len() as u64);
        }
        for (start, end) in blocks {
            put(octets, signed(start.0, ack.ack.0));
            put(octets, signed(end.0, start.0));
        }
        if let Some(stamps) = ack.timestamps {
            put_timestamps(octets, stamps, last.acked);
        }
        last.on_ack(ack);
        true
    }

    /// Tells all of them again.
    pub(super) fn tell(&self, consumer: &mut impl Consumer) {
        let mut steps = Steps { octets: &self.octets, last: Last::default() };
        while let Some((&head, octets)) = steps.octets.split_first() {
            steps.octets = octets;
            if head & head::ACK != 0 {
                consumer.on_ack(&steps.ack(head));
            } else if head & head::HANDSHAKE != 0 {
                consumer.on_handshake(&steps.handshake(head));
            } else {
                consumer.on_data(&steps.data(head));
            }
        }
    }

    fn begin(&mut self, head: u8) {
        let room = self.octets.capacity().saturating_sub(self.octets.len());
        if room < Self::STEP_ROOM {
            self.octets.reserve_exact((self.octets.len() / 2).max(Self::ROOM_MIN));
        }
        self.octets.push(head);
    }

    fn put_place(&mut self, frame: FrameNumber, time: Timestamp) {
        put(&mut self.octets, frame.0.wrapping_sub(self.last.frame));
        put(&mut self.octets, signed(time.0, self.last.time));
        (self.last.frame, self.last.time) = (frame.0, time.0);
    }
}

impl Last {
    fn on_data(&mut self, data: &Data) {
        self.end = data.end().0;
        self.headers_len = u64::from(data.headers_len);
        // The next one has the next number, mostly.
        self.ip_id = data.ip_id.map_or(self.ip_id, |ip_id| ip_id.wrapping_add(1));
        self.sent = data.timestamps.unwrap_or(self.sent);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.ack = ack.ack.0;
        self.window_unscaled = ack.window_unscaled;
        self.acked = ack.timestamps.unwrap_or(self.acked);
        if let Some(window) = ack.window.filter(|it| it.0 != self.scaled(ack.window_unscaled)) {
            let zeros = window.0.trailing_zeros();
            let shift = zeros.saturating_sub(u32::from(ack.window_unscaled).trailing_zeros());
            self.window_shift = u8::try_from(shift % u64::BITS).unwrap_or(0);
        }
    }

    /// The window as it probably is.
    fn scaled(&self, window_unscaled: u16) -> u64 {
        u64::from(window_unscaled) << self.window_shift
    }
}

/// What was noted and is not told yet.
struct Steps<'a> {
    octets: &'a [u8],
    last: Last,
}

impl Steps<'_> {
    fn handshake(&mut self, head: u8) -> Handshake {
        let mut number = |bit| has(head, bit).then(|| take(&mut self.octets));
        Handshake {
            mss: number(1).map(|mss| u16::try_from(mss).unwrap_or(u16::MAX)),
            sender_half: number(2).map(Duration::from_nanos),
            receiver_half: number(3).map(Duration::from_nanos),
            is_client: has(head, 4),
            is_sack_permitted: has(head, 5),
            is_multipath: has(head, 6),
        }
    }

    #[inline]
    fn data(&mut self, head: u8) -> Data {
        let (frame, time) = self.place();
        let Self { octets, last } = self;
        let start = StreamOffset(unsigned(take(octets), last.end));
        let len = Bytes(take(octets));
        let headers_len = unsigned(take(octets), last.headers_len);
        let mut short = || u16::try_from(take(octets)).unwrap_or_default();
        let ip_id = has(head, 5).then(|| last.ip_id.wrapping_add(short()));
        let data = Data {
            frame,
            time,
            start,
            len,
            is_syn: has(head, 1),
            is_fin: has(head, 2),
            is_pushed: has(head, 3),
            has_cwr: has(head, 4),
            ip_id,
            timestamps: has(head, 6).then(|| take_timestamps(octets, last.sent)),
            headers_len: u32::try_from(headers_len).unwrap_or(u32::MAX),
            sender_tick: None,
        };
        last.on_data(&data);
        data
    }

    #[inline]
    fn ack(&mut self, head: u8) -> Ack {
        let (frame, time) = self.place();
        let Self { octets, last } = self;
        let ack = StreamOffset(unsigned(take(octets), last.ack));
        let window_unscaled = unsigned(take(octets), u64::from(last.window_unscaled));
        let window_unscaled = u16::try_from(window_unscaled).unwrap_or(u16::MAX);
        let window = has(head, 1).then(|| unsigned(take(octets), last.scaled(window_unscaled)));
        let mut sack = SackRanges::default();
        for _ in 0..if has(head, 2) { take(octets) } else { 0 } {
            let start = unsigned(take(octets), ack.0);
            let end = unsigned(take(octets), start);
            sack.push(StreamOffset(start), StreamOffset(end));
        }
        let ack = Ack {
            frame,
            time,
            ack,
            window: window.map(Bytes),
            window_unscaled,
            sack,
            timestamps: has(head, 3).then(|| take_timestamps(octets, last.acked)),
            has_payload: has(head, 4),
            is_syn: has(head, 5),
            is_fin: has(head, 6),
            slack: Duration::ZERO,
            has_ece: has(head, 7),
        };
        last.on_ack(&ack);
        ack
    }

    #[inline]
    fn place(&mut self) -> (FrameNumber, Timestamp) {
        let Self { octets, last } = self;
        last.frame = last.frame.wrapping_add(take(octets));
        last.time = unsigned(take(octets), last.time);
        (FrameNumber(last.frame), Timestamp(last.time))
    }
}

fn put_timestamps(octets: &mut Vec<u8>, stamps: TcpTimestamps, last: TcpTimestamps) {
    put(octets, u64::from(stamps.value.wrapping_sub(last.value)));
    put(octets, u64::from(stamps.echo.wrapping_sub(last.echo)));
}

fn take_timestamps(octets: &mut &[u8], last: TcpTimestamps) -> TcpTimestamps {
    let mut after = |last: u32| last.wrapping_add(u32::try_from(take(octets)).unwrap_or_default());
    TcpTimestamps { value: after(last.value), echo: after(last.echo) }
}

/// The first in the lowest bit.
fn bits(flags: &[bool]) -> u8 {
    flags.iter().rev().fold(0, |bits, flag| bits << 1 | u8::from(*flag))
}

fn has(head: u8, bit: u8) -> bool {
    head >> bit & 1 != 0
}
