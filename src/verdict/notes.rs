//! Doubts and remarks about one flow.

mod place;

use super::Findings;
use super::confidence::{Headline, is_short};
use super::doubts::Doubts;
use super::shares::{SHARE_MIN, Shares};
use super::unopened::Unopened;
use crate::limit::{Cause, Limit};
use crate::model::figures::{bytes, counted, percent, seconds};
use crate::model::{Code, LEAD_MIN, Note, Vantage, WindowScale, codes, words};
use crate::sender::SenderTotals;
use crate::units::{Bytes, Duration, WindowShift};
use crate::vantage::HeldByHost;

/// What the notes speak of, beside the findings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grounds {
    pub(super) doubts: Doubts,
    pub(super) headline: Headline,
    pub(super) vantage: Vantage,
    /// What the times of the packets say; another where the user told it.
    pub(super) found_vantage: Vantage,
    /// One tick of the clock that told when the sender sent; see
    /// [`Place`](crate::vantage::Place).
    pub(super) sender_tick: Option<Duration>,
    /// One tick of the capture's clock, where it is coarse.
    pub(super) tap_tick: Option<Duration>,
    pub(super) held_by_host: HeldByHost,
    pub(super) scale: WindowScale,
    /// Of the receiver's windows; `None` where it is not known.
    pub(super) shift: Option<WindowShift>,
    pub(super) has_handshake: bool,
    /// The headline is the application's for what may be a host's lateness.
    pub(super) is_timer_guessed: bool,
    /// Its SYN was seen, and no answer but a reset: there is no more of a handshake to capture.
    pub(super) unopened: Option<Unopened>,
    /// Either side sent a reset.
    pub(super) is_reset: bool,
    /// Round trips in the connection's duration.
    pub(super) round_trips: u32,
}

/// What a reader of the verdict should know about its grounds: warnings first.
pub(super) fn of(findings: &Findings, grounds: &Grounds, shares: &Shares) -> Vec<Note> {
    let mut notes = warnings(findings, grounds);
    notes.extend(remarks(findings, grounds, shares));
    notes
}

fn warnings(findings: &Findings, grounds: &Grounds) -> Vec<Note> {
    let totals = &findings.totals;
    let doubts = grounds.doubts;
    let mut notes = Vec::new();
    let mut add = |code, text: String| notes.push(Note { code, text });
    if doubts.is_one_sided {
        add(
            codes::ONE_DIRECTION,
            "only one direction of this connection is in the capture: RTT, receive window and \
             bytes in flight are unknown"
                .to_owned(),
        );
    } else if doubts.is_unheard {
        add(
            codes::ONE_DIRECTION,
            "more was sent than the acknowledgments in the capture allow, so most of those are missing: do not \
             rely on goodput, RTT, receive window and bytes in flight"
                .to_owned(),
        );
    } else if grounds.scale == WindowScale::Unknown && grounds.unopened.is_none() {
        // Zero is zero at any scale.
        let judged = match findings.episodes.zero_windows.count {
            0 => "the receive window cannot be judged",
            _ => "the receive window can only be judged while it was closed",
        };
        let why = without_scale(grounds);
        add(codes::WINDOW_SCALE_UNKNOWN, format!("{why} and the window scale unknown: {judged}"));
    }
    if totals.missed > Bytes(0) {
        let missed = bytes(totals.missed.0);
        let text = format!(
            "the capture is missing packets of this flow ({missed} never seen): loss figures leave \
             them out"
        );
        add(codes::CAPTURE_LOST_PACKETS, text);
    }
    warn_of_clock(totals, &mut add);
    if totals.is_scoreboard_limit_reached {
        add(
            codes::BOUND_REACHED,
            "scoreboard limit reached: loss counts are lower bounds".to_owned(),
        );
    }
    notes
}

/// The capture's clock was set while the flow lasted.
fn warn_of_clock(totals: &SenderTotals, add: &mut impl FnMut(Code, String)) {
    if totals.clock_steps > 0 {
        let steps = match totals.clock_steps {
            1 => "once".to_owned(),
            steps => counted(steps, "time"),
        };
        let text = format!(
            "judging by the sender's timestamps, the capture's clock jumped ahead {steps} (or the sender \
             was suspended): what happened in between is unknown"
        );
        add(codes::CLOCK_STEPPED_AHEAD, text);
    }
    if totals.clock_set_back > Duration::ZERO {
        let back = seconds(totals.clock_set_back.as_secs_f64());
        let text = format!(
            "the capture's clock was set back by {back} while this flow lasted: its times go on from there, \
             without what passed meanwhile"
        );
        add(codes::CLOCK_STEPPED_BACK, text);
    }
}

fn remarks(findings: &Findings, grounds: &Grounds, shares: &Shares) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut add = |code, text: String| notes.push(Note { code, text });
    place::notes(grounds, &mut add);
    // What passed for one before the segments' size was known was none.
    if findings.super_frame_max > findings.smss {
        let text = format!(
            "segments of up to {}: TSO or GRO at this capture point; the spacing of single \
             segments is not visible (does not change the verdict)",
            bytes(findings.super_frame_max.0)
        );
        add(codes::SUPER_FRAMES, text);
    }
    if is_short(grounds.round_trips) && findings.totals.srtt_mean().is_some() {
        let round_trips = counted(u64::from(grounds.round_trips), "round trip");
        add(
            codes::TOO_SHORT,
            format!("only {round_trips} long: a longer transfer may be limited otherwise"),
        );
    }
    match (grounds.has_handshake, grounds.scale) {
        (_, WindowScale::Inferred) if !grounds.doubts.is_unheard => {
            add(codes::WINDOW_SCALE_INFERRED, inferred_scale(grounds));
        }
        (false, _) if !grounds.doubts.is_one_sided && grounds.unopened.is_none() => {
            add(
                codes::NO_HANDSHAKE,
                "the start of the connection is not in the capture".to_owned(),
            );
        }
        _ => {}
    }
    notes_on_doubts(grounds, &mut add);
    notes_on_nagle(findings, &mut add);
    note_on_host_queue(findings, grounds.held_by_host, &mut add);
    if let Some(unopened) = grounds.unopened {
        add(codes::NOT_OPENED, unopened.note().to_owned());
    } else if grounds.is_reset {
        add(codes::RESET, "the connection was reset".to_owned());
    }
    let duplicates = findings.totals.capture_duplicates;
    if duplicates > 0 {
        let packets = counted(duplicates, "packet");
        add(codes::RECORDED_TWICE, format!("{packets} recorded twice: the copies are left out"));
    }
    if findings.ledger.are_spans_joined {
        let text = "the limit changed too often to keep every interval: where it did, one interval stands for \
                    all of its kind nearby";
        add(codes::INTERVALS_JOINED, text.to_owned());
    }
    if let Some(second) = grounds.headline.runner_up {
        add(codes::CLOSE_CALL, close_call(grounds.headline, second, shares));
    }
    notes
}

/// Which scale was assumed, and what would tell whether it is that.
fn inferred_scale(grounds: &Grounds) -> String {
    let shift = grounds.shift.unwrap_or_default();
    let times = shift.scale(1).0;
    let taken =
        format!("{}: a window scaling factor of {times} is assumed", without_scale(grounds));
    if !grounds.doubts.is_scale_open {
        return format!("{taken}, because what was sent fills that window and never exceeds it");
    }
    let place = if grounds.doubts.hides_full_window { ", or one taken at the sender," } else { "" };
    format!(
        "{taken}, the least that fits what was seen in flight; it may be larger, so do not rely on the receive \
         window: a capture of whole headers that begins before the connection{place} would tell"
    )
}

/// Why the window scale is not known from the handshake.
fn without_scale(grounds: &Grounds) -> &'static str {
    if grounds.has_handshake {
        "the handshake's options cut off"
    } else {
        "handshake not in the capture"
    }
}

/// The first two limits with their shares, or with their ranges where the order is open.
fn close_call(headline: Headline, second: Limit, shares: &Shares) -> String {
    let (first, names) = (headline.limit, [headline.limit, second].map(words::limit));
    let [first_share, second_share] =
        [first, second].map(|limit| percent(shares.with_hidden(limit)));
    if !headline.is_order_open {
        return format!(
            "{} has {first_share} of the time, {} {second_share}: less than {:.0} points apart",
            names[0],
            names[1],
            100.0 * LEAD_MIN
        );
    }
    let [least, most] =
        [shares.low_with_hidden(first), shares.high_with_hidden(second)].map(percent);
    format!(
        "{} has {first_share} of the time, perhaps only {least}; {} has {second_share}, perhaps {most}: \
         either may be the larger",
        names[0], names[1]
    )
}

/// What makes a verdict less sure, and is no fault of the capture's place.
fn notes_on_doubts(grounds: &Grounds, add: &mut impl FnMut(Code, String)) {
    if grounds.doubts.is_multipath {
        let text = "a subflow of multipath TCP: what the other subflows carry is not seen here, and all of them \
                    share the receive window";
        add(codes::MULTIPATH, text.to_owned());
    }
    if grounds.is_timer_guessed {
        let text = "sends follow ACKs with a constant delay: either the application writes by a timer in step with \
                    the round trips, or the host (or the capture point ahead of it) is late, and the application \
                    is not the limit";
        add(codes::LATE_ANSWERS, text.to_owned());
    }
    if let Some(tick) = grounds.tap_tick {
        let tick = seconds(tick.as_secs_f64());
        let text = format!(
            "the capture's clock ticks every {tick}: too coarse to tell what prompted a send, and for RTT, \
             queueing and rates within a few ticks"
        );
        add(codes::COARSE_CLOCK, text);
    }
}

/// Linux `TCP_DELACK_MIN`: an ACK this much later than the fastest was delayed by the receiver.
const DELAYED_ACK: Duration = Duration::from_millis(40);

fn notes_on_nagle(findings: &Findings, add: &mut impl FnMut(Code, String)) {
    let Some(held) = much_time_of(Cause::Nagle, findings) else { return };
    let rtt = &findings.totals.rtt;
    let late = rtt
        .percentile(0.95)
        .zip(rtt.min())
        .filter(|(late, min)| late.saturating_sub(*min) >= DELAYED_ACK);
    let late = late.map(|(late, min)| {
        format!(
            "; ACKs took up to {} where the path needs {}: the receiver delays them",
            seconds(late.as_secs_f64()),
            seconds(min.as_secs_f64())
        )
    });
    let held = seconds(held.as_secs_f64());
    add(
        codes::NAGLE,
        format!("small writes waited {held} for ACKs (Nagle){}", late.unwrap_or_default()),
    );
}

/// Where that is what paces the sender.
fn note_on_host_queue(findings: &Findings, held: HeldByHost, add: &mut impl FnMut(Code, String)) {
    if !held.is_shown() || much_time_of(Cause::Pacing, findings).is_none() {
        return;
    }
    let longest = match held.longest {
        Duration::ZERO => String::new(),
        longest => format!(", once for {} at least", seconds(longest.as_secs_f64())),
    };
    let times = counted(u64::from(held.sends), "time");
    let text = format!(
        "a queue of the sending host itself, its qdisc's or its line's, held data back {times}{longest}: \
         `tc -s qdisc` there shows it"
    );
    add(codes::HOST_QUEUE, text);
}

/// How long this held the sender; `None` if that is too little of the time to speak of.
fn much_time_of(wanted: Cause, findings: &Findings) -> Option<Duration> {
    let ledger = &findings.ledger;
    let of_it = ledger.time.iter().filter(|((_, cause, _), _)| *cause == Some(wanted));
    let held: Duration = of_it.map(|(_, time)| *time).sum();
    let is_little = held.as_secs_f64() < SHARE_MIN * ledger.total().as_secs_f64();
    (!is_little && !held.is_zero()).then_some(held)
}
