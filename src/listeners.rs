//! What listens to a sender's steps? Follows one direction of a connection behind the flow table, and gives
//! the verdict what all listeners found.
//!
//! # What a listener costs
//!
//! Each packet makes one or two events, and every listener hears each of them, so its cost is that of
//! all packets (`.ci/instructions.py` counts it). A new one stays cheap if it
//!
//! - returns at once from events that it makes nothing of (a `match` on the kind, then on a field of
//!   [`SenderVars`](crate::sender::SenderVars), which are computed once an event),
//! - divides, allocates and uses floating point per round trip or per episode, not per event,
//! - asks no question that walks over a window or a scoreboard,
//! - makes what only long or lossy flows need when the first of it comes (`Option<Box<..>>`): most flows
//!   are short, and there are a million of them,
//! - collects what only some outputs show when [`Wanted`] says so.

use crate::backlog::Backlog;
use crate::congestion::Epochs;
use crate::cwnd::Shadow;
use crate::episode::Episodes;
use crate::flow::{Ack, Connection, Consumer, Data, Handshake};
use crate::limit::lu2007::Lu2007;
use crate::limit::{Cause, Judge, Limit, Records};
use crate::path::Gauge;
use crate::round::RoundBuilder;
use crate::sender::{Sender, SenderEvent, Unchanged};
use crate::series::Listener;
use crate::units::{Bytes, Duration, FrameNumber, Timestamp, heap};
use crate::vantage::{AtSender, Told};
use crate::verdict::{self, Capture, Ended, Findings, Floor, Found, Wanted, WindowTrack};

/// One direction of a connection, behind the flow table.
pub(crate) type Followed<S> = Backlog<AtSender<Analysis<S>>>;

/// What is told of a connection that ended; a direction below `floor` is only counted.
pub(crate) fn of_connection<S: Listener>(
    connection: Connection<Followed<S>>,
    capture: Capture,
    floor: Floor,
) -> Ended {
    let finish = |followed, end| found(followed, end, &capture);
    verdict::of_connection(connection, finish, capture, floor)
}

/// What a direction without a follower shows is what one finds that nobody told anything but the settings.
fn found<S: Listener>(
    followed: Option<Box<Followed<S>>>,
    end: Timestamp,
    capture: &Capture,
) -> Found<S> {
    let settings = || Told { position: capture.told_position, consumer: capture.wanted };
    let at_sender =
        followed.map_or_else(|| AtSender::with(settings()), |followed| *followed.into_consumer());
    let (analysis, place) = at_sender.finish();
    let (findings, lines) = analysis.finish(end);
    Found { findings, place, lines }
}

/// The rulings of one direction up to `end`, where they were asked for.
pub(crate) fn records<S: Listener>(followed: Followed<S>, end: Timestamp) -> Records {
    let (analysis, _) = followed.into_consumer().finish();
    analysis.into_records(end)
}

/// All that is followed of one direction: its sender, and what listens to each step of it. `S`
/// keeps its series, where they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Analysis<S = ()> {
    sender: Sender,
    listeners: Listeners,
    series: S,
    last_frame: FrameNumber,
}

/// What makes something of a sender's steps. A new question to ask of them stands here.
#[derive(Debug, Default)]
struct Listeners {
    rounds: RoundBuilder,
    judge: Judge,
    shadow: Shadow,
    epochs: Epochs,
    episodes: Episodes,
    window: WindowTrack,
    lu2007: Option<Box<Lu2007>>,
    path: Gauge,
    smss: Bytes,
    super_frame_max: Bytes,
}

impl<S> Analysis<S> {
    /// What limited it most over the `last` of the time that was judged so far; `None` before any
    /// was.
    pub(crate) fn limit_over(&self, last: Duration) -> Option<(Limit, Option<Cause>)> {
        self.listeners.judge.limit_over(last)
    }

    /// Payload octets of what the capture holds twice, so far.
    pub(crate) fn recorded_twice(&self) -> Bytes {
        self.sender.recorded_twice()
    }

    /// Closes the books at `end`, the connection's last packet; gives back what keeps the series.
    fn finish(self, end: Timestamp) -> (Findings, S) {
        let Self { sender, listeners, last_frame, series } = self;
        let Listeners {
            rounds,
            judge,
            shadow,
            epochs,
            episodes,
            window,
            lu2007,
            path,
            smss,
            super_frame_max,
        } = listeners;
        let (answers_late, opens_as_bbr) = (rounds.answers_late(), rounds.opens_as_bbr());
        let findings = Findings {
            ledger: last_judged(rounds, judge, end, last_frame).finish(),
            cwnd: shadow.finish(),
            congestion: epochs.finish(end),
            episodes: episodes.finish(end),
            window,
            totals: sender.into_totals(),
            lu2007,
            path: path.finish(),
            smss,
            super_frame_max,
            answers_late,
            opens_as_bbr,
        };
        (findings, series)
    }

    fn into_records(self, end: Timestamp) -> Records {
        let Listeners { rounds, judge, .. } = self.listeners;
        last_judged(rounds, judge, end, self.last_frame).finish_recorded().1
    }
}

/// With the round that `end` cuts short.
fn last_judged(
    rounds: RoundBuilder,
    mut judge: Judge,
    end: Timestamp,
    last_frame: FrameNumber,
) -> Judge {
    if let Some(round) = rounds.finish(end, last_frame) {
        judge.on_round(round);
    }
    judge
}

impl<S: Listener> Consumer for Analysis<S> {
    type Settings = Wanted;

    fn with(wanted: Wanted) -> Self {
        let mut analysis = Self { series: S::with(wanted.stretch), ..Self::default() };
        analysis.listeners.lu2007 = wanted.lu2007.then(Box::default);
        analysis.listeners.judge = Judge::recording(wanted.recording);
        analysis
    }

    fn hears_each(wanted: &Wanted) -> bool {
        S::IS_EACH_STEP_HEARD || wanted.lu2007
    }

    fn is_watched(wanted: &Wanted) -> bool {
        wanted.is_watched
    }

    fn on_handshake(&mut self, handshake: &Handshake) {
        self.sender.on_handshake(handshake);
    }

    fn on_tap_tick(&mut self, tick: Duration) {
        self.sender.on_tap_tick(tick);
        self.listeners.episodes.on_tap_tick(tick);
        self.listeners.path.on_tap_tick(tick);
    }

    fn on_way_found(&mut self) {
        self.sender.on_way_found();
        self.listeners.path.on_way_found();
    }

    fn on_clock_set(&mut self, now: Timestamp, back: Duration) {
        self.sender.on_clock_set(now, back);
    }

    fn on_data(&mut self, data: &Data) {
        self.last_frame = data.frame;
        let Self { sender, listeners, series, .. } = self;
        sender.on_data(data, &mut |event| {
            listeners.on_event(&event);
            series.on_event(&event);
        });
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.last_frame = ack.frame;
        let Self { sender, listeners, series, .. } = self;
        let is_each_step_heard = S::IS_EACH_STEP_HEARD || listeners.lu2007.is_some();
        if !is_each_step_heard {
            if let Some(unchanged) = sender.take_unchanged(ack) {
                return listeners.on_unchanged(&unchanged);
            }
        }
        series.on_ack(ack);
        sender.on_ack(ack, &mut |event| {
            listeners.on_event(&event);
            series.on_event(&event);
        });
    }

    fn settle(&mut self) {
        let Listeners { rounds, judge, shadow, path, .. } = &mut self.listeners;
        self.sender.settle();
        rounds.settle();
        judge.settle();
        shadow.settle();
        path.settle();
    }

    fn memory(&self) -> Bytes {
        let Listeners { rounds, judge, shadow, epochs, episodes, path, .. } = &self.listeners;
        let own = heap::sum(&[size_of::<Self>(), self.sender.memory(), self.series.memory()]);
        let rulings = heap::sum(&[rounds.memory(), judge.memory(), shadow.memory()]);
        let findings = heap::sum(&[epochs.memory(), episodes.memory(), path.memory()]);
        Bytes(u64::try_from(heap::sum(&[own, rulings, findings])).unwrap_or(u64::MAX))
    }
}

impl Listeners {
    /// What the others know is what they knew.
    fn on_unchanged(&mut self, ack: &Unchanged) {
        self.episodes.on_unchanged(ack);
        self.window.on_unchanged(ack);
        self.rounds.on_unchanged(ack);
    }

    fn on_event(&mut self, event: &SenderEvent) {
        // What each listener makes of it is compiled apart for each kind, so that none asks again.
        match event {
            SenderEvent::Send(send) => {
                self.smss = send.smss;
                if send.segments > 1 {
                    self.super_frame_max = self.super_frame_max.max(send.len);
                }
                self.tell(event);
            }
            SenderEvent::Acknowledge(_) => self.tell(event),
            SenderEvent::Gap(_) => self.tell_gap(event),
        }
    }

    #[inline(never)]
    fn tell_gap(&mut self, event: &SenderEvent) {
        self.tell(event);
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    fn tell(&mut self, event: &SenderEvent) {
        self.shadow.on_event(event);
        self.epochs.on_event(event);
        self.episodes.on_event(event);
        self.window.on_event(event);
        if let Some(lu2007) = &mut self.lu2007 {
            lu2007.on_event(event);
        }
        self.path.on_event(event);
        if let Some(round) = self.rounds.on_event(event) {
            self.judge.on_round(round);
        }
    }
}
