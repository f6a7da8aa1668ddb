//! What had the sender seen when it sent? A capture taken elsewhere shows an acknowledgment before
//! the sender has it, and data after the sender sent it. This stage stands between the flow and
//! the sender's reconstruction and holds each acknowledgment back by the sender's half of the RTT:
//! from the tap to the sender and back. Data get the time at which they were sent by the sender's
//! own clock, `TSval`, where they carry it (see the module `sender_clock`), else keep the tap's. So
//! all times are the sender's plus the way from it to the tap. Data may then have been sent before
//! an acknowledgment that passed the tap before them: acknowledgments wait for the next data.
//!
//! The half begins with the handshake's and then moves only by proof. Data that echo a timestamp
//! (`TSecr`, RFC 7323 section 4.1) older than an acknowledgment's were sent before that arrived: the
//! half is larger than the time between the two. Data that echo it, or a newer one, were sent
//! after: the half is smaller, and the acknowledgment is released at once. A busy sender gives both
//! proofs all the time, so a queue between it and the tap is followed as it grows and drains; an
//! idle application proves nothing. By the sender's clock there are no queues to follow, and the
//! half is the smallest seen that nothing refutes; of a sender that is busy in each tick, the smallest
//! of many echoes may show that it is longer than the handshake's.
//!
//! Without timestamps the handshake's half stays, unless it was too long: a radio that had to wake
//! up, a proxy near the tap that had to ask the server first. Two things prove that: data of the
//! other direction were acknowledged within less, or data passed twice that went beyond the window as
//! the sender would have known it (it never does, but for a probe of one octet: RFC 9293 section 3.8.6;
//! once, the capture may have missed what opened it).
//!
//! It misleads where the sender does not echo the latest timestamp: while data of the reverse
//! direction is missing, `TSecr` stands still (RFC 7323 section 4.3), and the half looks too large.
//! Where that lasts, as it does behind a middlebox that rewrites timestamps, the half is again what it was,
//! and the way without timestamps is gone until `TSecr` moves.

mod buffer;
mod echo;
mod halves;
mod held_up;
mod host_queue;
mod line;
mod position;
mod sender_clock;
mod tap_clock;
mod unprompted;

use std::collections::VecDeque;

pub(crate) use buffer::GSO_MAX;
pub(crate) use host_queue::HeldByHost;
pub use position::Vantage;
pub(crate) use position::{END_PARTS, Place, Told};
pub(crate) use sender_clock::{TIMESTAMP_TICKS_MIN, timestamp_tick};

use buffer::Buffer;
use echo::{BusyEchoes, ECHO_WAIT, EchoProbe};
use halves::Halves;
use host_queue::HostQueue;
use sender_clock::SenderClock;
pub(crate) use tap_clock::BLUR_TICKS;
use tap_clock::TapClock;
use unprompted::HandedOn;

use crate::flow::{Ack, Answer, Consumer, Data, Departure, Handshake};
use crate::units::heap::OnHeap;
use crate::units::{Bytes, Duration, StreamOffset, Timestamp, least};
use crate::wire::TcpTimestamps;

/// Acknowledgments held at most: one a segment for 32768 segments, 47 MB at 1448 octets.
const LINE_MAX: usize = 1 << 15;

/// The timestamp clock of Linux and most others (RFC 7323 section 5.4 allows 1 ms to 1 s).
const TICK: Duration = Duration::from_millis(1);

/// The sender's clock tells something of a round trip that has this many of its ticks: a blocked
/// writer's batches, three a round trip, are then two ticks apart at least.
const TICKS_A_ROUND_TRIP_MIN: u32 = 6;

/// Hands its consumer data and acknowledgments in the order in which the sender knew of them.
#[derive(Debug, Default)]
pub(crate) struct AtSender<C> {
    consumer: C,
    /// The sender's half as far as proven by now; `None` before anything told.
    half: Option<Duration>,
    halves: Halves,
    /// It is a way, and no pause of a writer's: the handshake told it, or an echo and data before it.
    is_half_proven: bool,
    /// Away from the sender, and the clock's tick is short against the RTT.
    is_clock_fine: bool,
    /// Acknowledgments that have not reached the sender yet, by arrival.
    line: VecDeque<Ack>,
    clock: SenderClock,
    tap_clock: TapClock,
    /// The socket buffer that was being sent; `None` without timestamps.
    buffer: Option<Buffer>,
    /// Acknowledgments seen, and those of them with payload.
    acks: u64,
    riding_acks: u64,
    /// For how long the last data prove that an acknowledgment was held up.
    held_for: Duration,
    echo_probe: Option<EchoProbe>,
    busy_echoes: BusyEchoes,
    /// The `TSecr` that stood still for longer than an echo may take: it tells nothing until it moves.
    still_echo: Option<u32>,
    answer: Answer,
    /// Newest `TSval` of the sender.
    newest_sent: Option<u32>,
    host_queue: HostQueue,
    /// The `TSecr` that came last, with its first acknowledgment released.
    proven: Option<u32>,
    /// That of the last data, if nothing held them up on their way to the tap.
    exact_echo: Option<u32>,
    /// The tick of its clock in which the last data were sent, where that is known.
    last_tick: Option<i64>,
    /// The timestamp of the last acknowledgment that was handed on and rode on data.
    rode: Option<u32>,
    handed_on: HandedOn,
    snd_nxt: StreamOffset,
    /// The right edge of the window as far as the sender knows it; at 0 before any.
    edge: StreamOffset,
    /// Time of the last call to the consumer.
    told: Timestamp,
    /// When data last went beyond the window of a half too long, and the half that this left.
    opened: Option<(Timestamp, Duration)>,
    released_early_count: u64,
}

impl<C: Consumer + Default> Consumer for AtSender<C> {
    type Settings = Told<C::Settings>;

    fn with(Told { position: told, consumer }: Self::Settings) -> Self {
        let consumer = C::with(consumer);
        Self { consumer, halves: Halves::told(told), ..Self::default() }
    }

    fn hears_each(settings: &Self::Settings) -> bool {
        C::hears_each(&settings.consumer)
    }

    fn is_watched(settings: &Self::Settings) -> bool {
        C::is_watched(&settings.consumer)
    }

    fn on_handshake(&mut self, handshake: &Handshake) {
        self.half = least(self.half, handshake.sender_half);
        self.is_half_proven |= handshake.sender_half.is_some();
        self.halves.learn_by_handshake(handshake.sender_half, handshake.receiver_half);
        self.compare_tick();
        self.consumer.on_handshake(handshake);
    }

    fn on_data(&mut self, data: &Data) {
        self.read_clock(data.time);
        if !self.is_nothing_told_by(data) {
            return self.on_telling_data(data);
        }
        self.buffer = Buffer::begun_by(data);
        self.await_answer(data);
        self.told = self.told.max(data.time);
        self.consumer.on_data(data);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.read_clock(ack.time);
        let count = u64::from(ack.repeats).saturating_add(1);
        self.acks = self.acks.saturating_add(count);
        self.riding_acks = self.riding_acks.saturating_add(if ack.has_payload { count } else { 0 });
        if self.is_any_due(ack.time) && !self.is_by_clock() {
            self.release_due(ack.time);
        }
        let answered = self.answer.on_ack(ack.ack, ack.time);
        if let Some(within) = answered {
            self.learn(None, Some(within));
        }
        self.probe_echo(ack);
        let is_first = self.line.is_empty();
        let is_there = is_first && ack.time >= self.told;
        if is_there && self.delay_of(ack.timestamps.is_some()).is_zero() {
            // At the sender no line is ever made, and nothing copied.
            self.told = ack.time;
            if ack.timestamps.is_none() {
                self.edge = self.edge.max(edge_of(ack));
            }
            self.consumer.on_ack(ack);
            return;
        }
        self.line.push_back(*ack);
        let is_full = self.line.len() > LINE_MAX;
        // Those before it wait still, unless something else was found out.
        if is_first || is_full || answered.is_some() {
            self.release_behind(is_full, ack.time);
        }
    }

    fn on_clock_set(&mut self, now: Timestamp, back: Duration) {
        self.clock.on_clock_set(back);
        self.echo_probe = None;
        self.answer = Answer::default();
        self.consumer.on_clock_set(now, back);
    }

    fn settle(&mut self) {
        self.line.shrink_to_fit();
        self.consumer.settle();
    }

    fn memory(&self) -> Bytes {
        let own = size_of::<Self>().saturating_sub(size_of::<C>());
        let own = own.saturating_add(self.line.on_heap());
        self.consumer.memory().saturating_add(Bytes(u64::try_from(own).unwrap_or(u64::MAX)))
    }
}

impl<C: Consumer> AtSender<C> {
    /// Releases what is still held; gives the consumer back and tells where the tap stood.
    pub(crate) fn finish(mut self) -> (C, Place) {
        self.half = self.half.or(Some(Duration::ZERO));
        self.release_due(Timestamp(u64::MAX));
        let vantage = self.vantage();
        (self.consumer, vantage)
    }

    pub(crate) fn vantage(&self) -> Place {
        Place {
            position: self.halves.position,
            found_position: self.halves.found,
            sender_half: self.halves.sender,
            receiver_half: self.halves.receiver,
            released_early_count: self.released_early_count,
            sender_tick: self.clock.tick().filter(|_| self.is_by_clock()),
            tap_tick: self.tap_clock.tick(),
            held_by_host: self.held_by_host(),
        }
    }

    #[inline]
    fn read_clock(&mut self, time: Timestamp) {
        if let Some(tick) = self.tap_clock.on_packet(time) {
            self.consumer.on_tap_tick(tick);
        }
    }

    /// As it is by now.
    pub(crate) fn consumer(&self) -> &C {
        &self.consumer
    }

    /// Nearly always, where nothing waits: `data` have the timestamps of those before them, and no echo is
    /// awaited. All that could be found out from them is known.
    #[inline]
    fn is_nothing_told_by(&self, data: &Data) -> bool {
        let is_known = |stamps: TcpTimestamps| {
            self.echo_probe.is_none()
                && self.newest_sent == Some(stamps.value)
                && self.clock.is_again(stamps.value, data.time)
                && self.host_queue.is_one_tick(data.time)
                && !self.is_by_clock()
        };
        self.line.is_empty() && data.timestamps.is_none_or(is_known)
    }

    #[inline(never)]
    fn on_telling_data(&mut self, data: &Data) {
        let tick = self.clock.tick();
        let sent = data.timestamps.and_then(|it| self.clock.on_data(it.value, data.time));
        if self.clock.tick() != tick {
            self.compare_tick();
        }
        let sent = sent.filter(|_| self.is_by_clock());
        if sent.is_some() && self.buffer.as_mut().is_some_and(|buffer| buffer.takes(data)) {
            self.await_answer(data);
            self.hand_on_data(data);
            return;
        }
        self.buffer = Buffer::begun_by(data);
        let latest = sent.map_or(data.time, |sent| sent.latest());
        let told = sent.map_or(data.time, |sent| sent.likely());
        let echo = data.timestamps.filter(|stamps| !data.is_syn && stamps.echo != 0);
        let mut departure = Departure::Unknown;
        if let Some(stamps) = echo {
            self.on_echo(stamps.value, stamps.echo, latest);
            departure = self.departure(stamps, data.time);
        }
        let echo = echo.map(|stamps| stamps.echo);
        let is_held_up = self.release_by_echo(echo, sent.as_ref(), told);
        if sent.is_some_and(|sent| self.is_unprompted(echo, &sent)) {
            departure = Departure::Unprompted;
        }
        if !self.line.is_empty() {
            if !is_held_up {
                self.release_arrived(latest, told);
            }
            if data.timestamps.is_none() || self.still_echo.is_some() {
                self.release_opened(data);
            }
        }
        self.await_answer(data);
        self.told = self.told.max(told);
        let data = Data { departure, ..*data };
        if sent.is_some() {
            self.hand_on_data(&data);
        } else {
            self.consumer.on_data(&data);
        }
    }

    /// Takes a measured half or both.
    fn learn(&mut self, sender_half: Option<Duration>, receiver_half: Option<Duration>) {
        self.halves.learn(sender_half, receiver_half);
        self.compare_tick();
    }

    /// To be asked again whenever the tick, the halves or the position are others.
    fn compare_tick(&mut self) {
        let rtt = self.halves.rtt();
        let is_fine = |tick: Duration| {
            rtt.is_some_and(|rtt| tick.saturating_mul(TICKS_A_ROUND_TRIP_MIN) <= rtt)
        };
        self.is_clock_fine =
            self.halves.position != Vantage::Sender && self.clock.tick().is_some_and(is_fine);
    }

    fn await_answer(&mut self, data: &Data) {
        self.answer.on_data(data, data.start >= self.snd_nxt);
        self.snd_nxt = self.snd_nxt.max(data.end());
    }

    /// Hands on data with its time by the sender's clock.
    fn hand_on_data(&mut self, data: &Data) {
        let sender_tick = self.clock.tick();
        self.consumer.on_data(&Data { time: self.told, sender_tick, ..*data });
    }

    /// How long to hold an acknowledgment. Before the half is known, until it is proven to have
    /// arrived; at once if nothing can prove that.
    #[inline]
    fn delay_of(&self, has_timestamps: bool) -> Duration {
        match self.half {
            // What lies between a sender and a tap on the same host is the host's own doing.
            _ if self.halves.position == Vantage::Sender => Duration::ZERO,
            // Of a writer that pauses: as if at the sender.
            Some(_) if !self.is_half_proven => Duration::ZERO,
            Some(half) => half,
            None if has_timestamps && self.still_echo.is_none() => ECHO_WAIT,
            None => Duration::ZERO,
        }
    }

    /// How far an arrival at the sender may be misjudged: as far as two proofs may lie apart and
    /// still count as one. By the sender's clock, a tick for when the answer was sent, and one for
    /// the half and the least lag, which were read from it, too.
    fn slack(&self) -> Duration {
        match self.halves.position {
            Vantage::Sender => Duration::ZERO,
            _ if self.is_by_clock() => self.clock.tick().unwrap_or_default().saturating_mul(2),
            _ => resolution(self.half.unwrap_or_default()),
        }
    }

    /// Whether data are told by the sender's clock: away from the sender, where the clock's tick is
    /// short against the RTT. Not where most acknowledgments ride on data: with that they wait in the
    /// queues of the way back, so that their half is no constant.
    fn is_by_clock(&self) -> bool {
        self.is_clock_fine && self.riding_acks.saturating_mul(2) <= self.acks
    }
}

/// How well a half of this length can be told.
fn resolution(half: Duration) -> Duration {
    half.checked_div(END_PARTS).unwrap_or_default().max(TICK.saturating_mul(2))
}

/// The right edge of the window that `ack` opens; the start of the stream where it is not known. A closed one
/// opens nothing, and may be all that is known of windows whose scale is not.
fn edge_of(ack: &Ack) -> StreamOffset {
    let open = ack.window.filter(|window| *window > Bytes(0));
    open.map_or(StreamOffset(0), |window| ack.ack.after(window))
}

#[cfg(test)]
mod tests;
