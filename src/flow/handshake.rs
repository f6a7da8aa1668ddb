//! What did the handshake say, and when? Keeps the SYNs of a connection and the first and last
//! acknowledgment of each side until a flow's consumer exists to hear of them. Most connections of
//! a flood never get one, so what is kept is small.

use super::Departure;
use super::bare_ack::BareAck;
use super::ecn::EcnBits;
use super::window_scale::Offered;
use super::{Ack, Data};
use crate::units::{Bytes, Duration, FrameNumber, SeqNum, StreamOffset, Timestamp};
use crate::wire::{Segment, TcpTimestamps};

/// Copies of one SYN that are kept apart beside the first. Linux sends seven SYNs at most
/// (`tcp_syn_retries` 6) and six SYN-ACKs.
pub(super) const SYN_COPIES_MAX: usize = 7;

/// Half of the initial retransmission timeout (RFC 6298 section 2.1; so with Linux, Windows and BSD).
const REPEAT_MIN: Duration = Duration::from_millis(500);

/// One side's SYN or SYN-ACK with its repetitions.
#[derive(Debug, Clone)]
pub(super) struct Syn {
    pub(super) seq: SeqNum,
    first: SynCopy,
    /// `None` most of the time; boxed to keep a half-open connection small.
    #[expect(clippy::box_collection, reason = "one word where a vector takes three")]
    repeated: Option<Box<Vec<SynCopy>>>,
    pub(super) mss: Option<u16>,
    pub(super) window_scale: Offered,
    pub(super) is_sack_permitted: bool,
    pub(super) is_multipath: bool,
    /// Of the first copy: a repeated SYN may ask for less.
    pub(super) ecn: EcnBits,
}

/// The SYN of a connection that has shown nothing but copies of it; when the first passed, the
/// connection knows. Of a flood there is one for each connection.
#[derive(Debug, Clone)]
pub(super) struct OpeningSyn {
    pub(super) seq: SeqNum,
    timestamps: Option<TcpTimestamps>,
    ip_id: Option<u16>,
    mss: Option<u16>,
    window_scale: Offered,
    is_sack_permitted: bool,
    is_multipath: bool,
    ecn: EcnBits,
    /// Seen so far.
    packets: u32,
    #[expect(clippy::box_collection, reason = "one word where a vector takes three")]
    repeated: Option<Box<Vec<SynCopy>>>,
}

impl OpeningSyn {
    /// What `segment` says, which is still to be counted.
    pub(super) fn of(segment: &Segment) -> Self {
        let options = &segment.options;
        let window_scale = match options.window_shift {
            Some(shift) => Offered::Shift(shift),
            None if options.is_cut => Offered::Unseen,
            None => Offered::Nothing,
        };
        Self {
            seq: segment.seq,
            timestamps: options.timestamps,
            ip_id: segment.ip_id,
            mss: options.mss,
            window_scale,
            is_sack_permitted: options.is_sack_permitted,
            is_multipath: options.is_multipath,
            ecn: EcnBits::of(segment.flags),
            packets: 0,
            repeated: None,
        }
    }

    /// Takes the first copy, or one more.
    pub(super) fn take(&mut self, segment: &Segment) {
        if self.packets > 0 {
            repeat(&mut self.repeated, segment);
        }
        self.packets = self.packets.saturating_add(1);
    }

    pub(super) fn packets(&self) -> u64 {
        u64::from(self.packets)
    }

    /// Octets held beside the value itself.
    pub(super) fn memory(&self) -> usize {
        memory(self.repeated.as_deref())
    }

    /// The same with the place of its first copy.
    pub(super) fn into_syn(self, frame: FrameNumber, time: Timestamp) -> Syn {
        let Self { timestamps, ip_id, .. } = self;
        Syn {
            seq: self.seq,
            first: SynCopy { frame, time, ip_id, timestamps },
            repeated: self.repeated,
            mss: self.mss,
            window_scale: self.window_scale,
            is_sack_permitted: self.is_sack_permitted,
            is_multipath: self.is_multipath,
            ecn: self.ecn,
        }
    }
}

#[expect(clippy::box_collection, reason = "one word where a vector takes three")]
fn repeat(copies: &mut Option<Box<Vec<SynCopy>>>, segment: &Segment) {
    let copies = copies.get_or_insert_default();
    if copies.len() < SYN_COPIES_MAX {
        copies.push(SynCopy::of(segment));
    }
}

fn memory(copies: Option<&Vec<SynCopy>>) -> usize {
    copies.map_or(0, Vec::capacity).saturating_mul(size_of::<SynCopy>())
}

#[derive(Debug, Clone, Copy)]
struct SynCopy {
    frame: FrameNumber,
    time: Timestamp,
    ip_id: Option<u16>,
    timestamps: Option<TcpTimestamps>,
}

impl SynCopy {
    fn of(segment: &Segment) -> Self {
        Self {
            frame: segment.frame,
            time: segment.time,
            ip_id: segment.ip_id,
            timestamps: segment.options.timestamps,
        }
    }

    fn data(&self) -> Data {
        Data {
            frame: self.frame,
            time: self.time,
            start: StreamOffset(0),
            len: Bytes(0),
            is_syn: true,
            is_fin: false,
            is_pushed: false,
            ip_id: self.ip_id,
            timestamps: self.timestamps,
            headers_len: 0,
            sender_tick: None,
            departure: Departure::Unknown,
        }
    }
}

impl Syn {
    pub(super) fn of(segment: &Segment) -> Self {
        OpeningSyn::of(segment).into_syn(segment.frame, segment.time)
    }

    /// Takes one more copy.
    pub(super) fn repeat(&mut self, segment: &Segment) {
        repeat(&mut self.repeated, segment);
    }

    /// Whether it was sent again; what comes sooner than any timer was captured twice.
    pub(super) fn is_repeated(&self) -> bool {
        let first = self.first.time;
        self.all().any(|copy| copy.time.since(first) >= REPEAT_MIN)
    }

    /// Octets held beside the value itself.
    pub(super) fn memory(&self) -> usize {
        memory(self.repeated.as_deref())
    }

    /// The copies, as the flow's sender put them on the wire.
    pub(super) fn copies(&self) -> impl Iterator<Item = Data> {
        self.all().map(SynCopy::data)
    }

    /// When the copy passed that `answer` belongs to: the one whose timestamp it echoes, or the
    /// only one. `None` where that is ambiguous (Karn's rule).
    fn answered_by(&self, answer: Option<TcpTimestamps>) -> Option<Timestamp> {
        let echo = answer.map(|timestamps| timestamps.echo);
        let sent = |copy: &&SynCopy| copy.timestamps.map(|timestamps| timestamps.value) == echo;
        // No sender repeats it so soon: the capture did.
        let is_copied = |copy: &SynCopy| copy.time.since(self.first.time) < REPEAT_MIN;
        if self.all().all(is_copied) {
            return Some(self.first.time);
        }
        self.all().find(sent).filter(|_| echo.is_some()).map(|copy| copy.time)
    }

    fn all(&self) -> impl Iterator<Item = &SynCopy> {
        let repeated = self.repeated.iter().flat_map(|copies| copies.iter());
        std::iter::once(&self.first).chain(repeated)
    }
}

/// The times at which the three segments of the handshake passed the tap.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Halves {
    server: Half,
    client: Half,
}

/// One of them, if it is known, in the room of one word: there may be a million connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Half(u64);

impl Half {
    fn get(self) -> Option<Duration> {
        (self != Self::default()).then(|| Duration::from_nanos(self.0))
    }

    fn set(&mut self, half: Option<Duration>) {
        *self = half.map_or_else(Self::default, |half| Self(half.as_nanos()));
    }
}

/// Not known: none lasts for 584 years.
impl Default for Half {
    fn default() -> Self {
        Self(u64::MAX)
    }
}

impl Halves {
    /// From the client's SYN to the SYN-ACK: the server's half of the RTT.
    pub(super) fn server(&self) -> Option<Duration> {
        self.server.get()
    }

    /// From the SYN-ACK to the client's answer: the client's half.
    pub(super) fn client(&self) -> Option<Duration> {
        self.client.get()
    }

    /// Both together; `None` if one is not known.
    pub(super) fn rtt(&self) -> Option<Duration> {
        Some(self.server()?.saturating_add(self.client()?))
    }

    /// The SYN-ACK `segment` answers `syn`.
    pub(super) fn on_syn_ack(&mut self, syn: &Syn, segment: &Segment) {
        if self.server().is_none() {
            self.server.set(elapsed(syn.answered_by(segment.options.timestamps), segment.time));
        }
    }

    /// The client's `segment` answers `syn_ack`.
    pub(super) fn on_answer(&mut self, syn_ack: &Syn, segment: &Segment) {
        if self.client().is_none() {
            self.client.set(elapsed(syn_ack.answered_by(segment.options.timestamps), segment.time));
        }
    }

    /// One side answered data `within` this time; whether that is news: its half is known, and was thought
    /// to be longer by a twentieth and more.
    pub(super) fn shorten(&mut self, is_client: bool, within: Duration) -> bool {
        let half = if is_client { &mut self.client } else { &mut self.server };
        let longer = within.saturating_add(within.checked_div(20).unwrap_or_default());
        let is_news = half.get().is_some_and(|half| longer < half);
        if is_news {
            half.set(Some(within));
        }
        is_news
    }
}

/// `None` if the clock went back.
fn elapsed(sent: Option<Timestamp>, answered: Timestamp) -> Option<Duration> {
    sent.filter(|&sent| sent <= answered).map(|sent| answered.since(sent))
}

/// The acknowledgments of a flow that has sent no payload yet: the first (it answers the SYN) and
/// the last (it holds the window that counts). Nothing was sent yet that SACK blocks could tell of.
#[derive(Debug, Clone)]
pub(super) struct EarlyAcks {
    first: BareAck,
    last: Option<BareAck>,
}

impl EarlyAcks {
    pub(super) fn new(ack: &Ack) -> Self {
        Self { first: BareAck::of(ack), last: None }
    }

    pub(super) fn push(&mut self, ack: &Ack) {
        self.last = Some(BareAck::of(ack));
    }

    pub(super) fn acks(&self) -> impl Iterator<Item = Ack> {
        std::iter::once(&self.first).chain(&self.last).map(BareAck::ack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::TcpFlags;

    fn answered_by(copies_ms: &[u64]) -> Option<Timestamp> {
        let copy = |ms: &u64| SynCopy {
            frame: FrameNumber::new(*ms),
            time: Timestamp::default().after(Duration::from_millis(*ms)),
            ip_id: None,
            timestamps: None,
        };
        let mut copies = copies_ms.iter().map(copy);
        let syn = Syn {
            seq: SeqNum(1),
            first: copies.next()?,
            repeated: Some(Box::new(copies.collect())),
            mss: None,
            window_scale: Offered::Unseen,
            is_sack_permitted: false,
            is_multipath: false,
            ecn: EcnBits::of(TcpFlags(TcpFlags::SYN)),
        };
        syn.answered_by(None)
    }

    #[test]
    fn a_syn_that_was_recorded_twice_is_none_that_was_sent_twice() {
        assert_eq!(answered_by(&[0, 2]), Some(Timestamp::default()));
        assert_eq!(answered_by(&[0, 1000]), None);
        assert_eq!(answered_by(&[0, 2, 1000, 1002]), None);
    }
}
