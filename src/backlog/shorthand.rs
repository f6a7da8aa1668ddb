//! What passed, in as few octets as it takes to tell it again: each step as its differences from the one
//! before. It takes 12 to 16 octets where [`Data`] and [`Ack`] take 72 and 144.

mod plain;
mod reader;

use plain::Words;
use reader::Steps;

use super::group::{self, NUMBERS, signed};
use crate::flow::{Ack, Consumer, Data, Handshake};
use crate::units::{Bytes, FrameNumber};
use crate::wire::TcpTimestamps;

/// Steps in capture order.
#[derive(Debug, Default)]
pub(super) struct Shorthand {
    /// Room, of which the first `used` octets are written.
    octets: Box<[u8]>,
    used: u32,
    /// The lower half of the first step's.
    first_frame: u32,
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
    headers_len: u16,
    window_unscaled: u16,
    ip_id: u16,
    window_shift: u8,
}

/// What the first octet of a step says that is not [`plain`]; its flags stand in the second.
mod head {
    pub(super) const DATA: u8 = 0;
    pub(super) const ACK: u8 = 1 << 1;
    pub(super) const HANDSHAKE: u8 = 1 << 2;
}

impl Shorthand {
    /// Octets of room made at a time, at least: a handshake and some steps.
    const ROOM_MIN: usize = 96;

    /// Of the last step; 0 without any.
    pub(super) fn last_frame(&self) -> FrameNumber {
        FrameNumber::from_bits(self.last.frame)
    }

    /// Octets written.
    pub(super) fn len(&self) -> usize {
        self.used as usize
    }

    /// Frames of the capture from the first step to the last one, modulo 2^32.
    pub(super) fn frames(&self) -> u32 {
        low(self.last.frame).wrapping_sub(self.first_frame)
    }

    /// See [`Consumer::fetch`].
    pub(super) fn fetch(&self, is_far: bool) -> u64 {
        if is_far {
            self.octets.get(self.len()).copied().unwrap_or_default().into()
        } else {
            self.last.end ^ u64::from(self.used)
        }
    }

    /// Forgets them, and keeps their room.
    pub(super) fn clear(&mut self) {
        (self.used, self.last) = (0, Last::default());
    }

    /// Holds no room for more.
    pub(super) fn settle(&mut self) {
        let mut octets = std::mem::take(&mut self.octets).into_vec();
        octets.truncate(self.len().saturating_add(group::BEHIND));
        self.octets = octets.into_boxed_slice();
    }

    /// Octets held beside the value itself.
    pub(super) fn memory(&self) -> Bytes {
        Bytes(u64::try_from(self.octets.len()).unwrap_or(u64::MAX))
    }

    pub(super) fn push_handshake(&mut self, handshake: &Handshake) {
        let Handshake { mss, receiver_mss, sender_half, receiver_half, .. } = *handshake;
        let Handshake { is_client, is_sack_permitted, is_multipath, .. } = *handshake;
        let flags = [mss.is_some(), sender_half.is_some(), receiver_half.is_some()];
        let told = bits(&flags) | bits(&[is_client, is_sack_permitted, is_multipath]) << 3;
        let [mss, most] = [mss, receiver_mss].map(|mss| u64::from(mss.unwrap_or_default()));
        let [one, other] = [sender_half, receiver_half].map(|it| it.unwrap_or_default().as_nanos());
        self.push(&[head::HANDSHAKE, told], &[mss, one, other, most, 0, 0, 0, 0]);
    }

    /// `false` for what has no room here.
    pub(super) fn push_data(&mut self, data: &Data) -> bool {
        match plain::of_data(data, &self.last) {
            Some(words) => self.push_plain(words),
            None if !self.push_any_data(data) => return false,
            None => {}
        }
        self.begin_at(data.frame);
        self.last.on_data(data);
        true
    }

    /// `false` for what has no room here.
    pub(super) fn push_ack(&mut self, ack: &Ack) -> bool {
        match plain::of_ack(ack, &self.last) {
            Some(words) => self.push_plain(words),
            None if !self.push_any_ack(ack) => return false,
            None => {}
        }
        if !ack.sack.as_slice().is_empty() {
            self.push_blocks(ack);
        }
        self.begin_at(ack.frame);
        self.last.on_ack(ack);
        true
    }

    #[inline(never)]
    fn push_any_data(&mut self, data: &Data) -> bool {
        let Ok(headers_len) = u16::try_from(data.headers_len) else { return false };
        if data.sender_tick.is_some() {
            return false;
        }
        let Data { is_syn, is_fin, is_pushed, .. } = *data;
        let has = [data.ip_id.is_some(), data.timestamps.is_some()];
        let flags = bits(&[is_syn, is_fin, is_pushed]) | bits(&has) << 3;
        let last = &self.last;
        let [value, echo] = differences(data.timestamps, last.sent);
        let numbers = [
            data.frame.to_bits().wrapping_sub(last.frame),
            signed(data.time.0, last.time),
            signed(data.start.0, last.end),
            data.len.0,
            signed(u64::from(headers_len), u64::from(last.headers_len)),
            data.ip_id.map_or(0, |ip_id| u64::from(ip_id.wrapping_sub(last.ip_id))),
            value,
            echo,
        ];
        self.push(&[head::DATA, flags], &numbers);
        true
    }

    #[inline(never)]
    fn push_any_ack(&mut self, ack: &Ack) -> bool {
        // One number tells of both.
        if !ack.slack.is_zero() || (ack.repeats > 0 && !ack.sack.as_slice().is_empty()) {
            return false;
        }
        let Ack { has_payload, is_syn, is_fin, has_ece, .. } = *ack;
        let blocks = ack.sack.as_slice();
        let has = [ack.window.is_some(), !blocks.is_empty(), ack.timestamps.is_some()];
        let flags = bits(&has) | bits(&[has_payload, is_syn, is_fin, has_ece]) << 3;
        let last = &self.last;
        let [value, echo] = differences(ack.timestamps, last.acked);
        let scaled = last.scaled(ack.window_unscaled);
        let numbers = [
            ack.frame.to_bits().wrapping_sub(last.frame),
            signed(ack.time.0, last.time),
            signed(ack.ack.0, last.ack),
            signed(u64::from(ack.window_unscaled), u64::from(last.window_unscaled)),
            ack.window.map_or(0, |window| signed(window.0, scaled)),
            if blocks.is_empty() { u64::from(ack.repeats) } else { blocks.len() as u64 },
            value,
            echo,
        ];
        self.push(&[head::ACK, flags], &numbers);
        true
    }

    #[inline(never)]
    fn push_blocks(&mut self, ack: &Ack) {
        let mut numbers = [0; NUMBERS];
        for (pair, (start, end)) in numbers.chunks_exact_mut(2).zip(ack.sack.as_slice()) {
            pair.copy_from_slice(&[signed(start.0, ack.ack.0), signed(end.0, start.0)]);
        }
        self.push(&[], &numbers);
    }

    #[inline]
    fn begin_at(&mut self, frame: FrameNumber) {
        if self.last.frame == 0 {
            self.first_frame = low(frame.to_bits());
        }
    }

    /// Tells all of them again.
    pub(super) fn tell(&self, consumer: &mut impl Consumer) {
        let mut steps = Steps { octets: &self.octets, last: Last::default() };
        let unused = self.octets.len().saturating_sub(self.len());
        while steps.octets.len() > unused {
            if steps.tell_next(consumer).is_none() {
                return;
            }
        }
    }

    #[inline]
    fn push_plain(&mut self, words: Words) {
        while self.try_push_plain(words).is_none() {
            self.make_room();
        }
    }

    /// `None` if there is too little room.
    #[inline]
    fn try_push_plain(&mut self, words: Words) -> Option<()> {
        let room = self.octets.get_mut(self.used as usize..)?;
        *room.first_chunk_mut()? = words.to_octets();
        self.written(words.len());
        Some(())
    }

    /// Notes any other step: its head, and its numbers.
    #[inline]
    fn push<const HEAD: usize>(&mut self, head: &[u8; HEAD], numbers: &[u64; NUMBERS]) {
        while self.try_push(head, numbers).is_none() {
            self.make_room();
        }
    }

    /// `None` if there is too little room.
    #[inline]
    fn try_push<const HEAD: usize>(
        &mut self,
        head: &[u8; HEAD],
        numbers: &[u64; NUMBERS],
    ) -> Option<()> {
        let room = self.octets.get_mut(self.used as usize..)?;
        let (first, room) = room.split_first_chunk_mut()?;
        *first = *head;
        let len = group::put(room, numbers)?;
        self.written(HEAD.saturating_add(len));
        Some(())
    }

    #[inline]
    fn written(&mut self, octets: usize) {
        self.used = u32::try_from(self.len().saturating_add(octets)).unwrap_or(u32::MAX);
    }

    #[inline(never)]
    fn make_room(&mut self) {
        let len = self.octets.len();
        let len = len.saturating_add((len / 2).max(Self::ROOM_MIN));
        let mut octets = std::mem::take(&mut self.octets).into_vec();
        octets.reserve_exact(len.saturating_sub(octets.len()));
        octets.resize(len, 0);
        self.octets = octets.into_boxed_slice();
    }
}

impl Last {
    fn on_data(&mut self, data: &Data) {
        (self.frame, self.time) = (data.frame.to_bits(), data.time.0);
        self.end = data.end().0;
        self.headers_len = u16::try_from(data.headers_len).unwrap_or(u16::MAX);
        // The next one has the next number, mostly.
        self.ip_id = data.ip_id.map_or(self.ip_id, |ip_id| ip_id.wrapping_add(1));
        self.sent = data.timestamps.unwrap_or(self.sent);
    }

    fn on_ack(&mut self, ack: &Ack) {
        (self.frame, self.time) = (ack.frame.to_bits(), ack.time.0);
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

/// The lower half.
#[inline]
fn low(bits: u64) -> u32 {
    u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default()
}

/// How far they are from the `last`; zero where there are none.
#[inline]
fn differences(stamps: Option<TcpTimestamps>, last: TcpTimestamps) -> [u64; 2] {
    stamps.map_or([0; 2], |stamps| {
        let value = stamps.value.wrapping_sub(last.value);
        [value, stamps.echo.wrapping_sub(last.echo)].map(u64::from)
    })
}

/// Those that are so far from the `last`.
#[inline]
fn after(differences: [u64; 2], last: TcpTimestamps) -> TcpTimestamps {
    let [value, echo] = differences.map(|number| u32::try_from(number).unwrap_or_default());
    TcpTimestamps { value: last.value.wrapping_add(value), echo: last.echo.wrapping_add(echo) }
}

/// The first in the lowest bit.
#[inline]
fn bits(flags: &[bool]) -> u8 {
    flags.iter().rev().fold(0, |bits, flag| bits << 1 | u8::from(*flag))
}

#[inline]
fn has(flags: u8, bit: u8) -> bool {
    flags >> bit & 1 != 0
}
