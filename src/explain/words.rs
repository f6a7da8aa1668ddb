//! What a ruling rests on, in words with numbers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::signs::{batch, ended_by, pacing, queue};
use crate::limit::{
    Cause, Context, DRAINED_PARTS, HELD_PARTS, LEVEL_CHANCE_MAX, LEVEL_ROUNDS, Limit,
    PACED_WAITS_MIN, Record,
};
use crate::model::{figures, words};
use crate::response::SLOW_START_GROWTH;
use crate::round::{EndedBy, QueueSign, Sign};
use crate::units::Duration;

/// The test that names this cause, and where its rule comes from.
pub(super) fn fired(limit: Limit, cause: Option<Cause>, records: &[Record]) -> Cow<'static, str> {
    match cause {
        Some(Cause::BufferRefilled) => Cow::Owned(format!(
            "each ACK was at once followed by as much as it freed, and for {LEVEL_ROUNDS} round trips and more \
             never was more in flight, without a loss and with less than a segment queued on the path: a \
             congestion window would have grown"
        )),
        Some(Cause::SlowStart) => Cow::Owned(format!(
            "window open, data queued, and the pipe holding {SLOW_START_GROWTH} times as much as a round trip \
             before, with a send at once after each ACK; or twice as much twice in a row, with late sends (RFC \
             5681 section 3.1)"
        )),
        _ => Cow::Borrowed(fired_without_numbers(limit, cause, records)),
    }
}

fn fired_without_numbers(limit: Limit, cause: Option<Cause>, records: &[Record]) -> &'static str {
    match (limit, cause) {
        (_, Some(Cause::WindowFull)) => {
            "less than one segment of the advertised window was left (RFC 9293 section 3.8.6.2.1); or less than \
             segmentation offload may wait for, where another send of the round trip filled the window, or no \
             more than one segment was left again and again; or no clock tells when the sender sent, so that what a \
             full window let out at once seems to follow ACKs, but what is in flight does not grow"
        }
        (_, Some(Cause::ZeroWindow)) => "the advertised window held less than one segment",
        (_, Some(Cause::WriterBlocked)) => {
            "ACKs for a third of the data in flight released nothing, then one prompted a large batch: a \
             blocked application is woken once a third of the buffer is free (Linux sk_stream_is_writeable); or \
             for less, and as much was left in flight each time; or no clock tells when the sender sent, so that \
             what left at once seems to follow ACKs, but what is in flight does not grow"
        }
        (_, Some(Cause::PacedAtBuffer)) => {
            "pacing had drained the buffer down to a last single segment, and the next send followed an ACK, \
             again and again"
        }
        (_, Some(Cause::Avoidance)) => {
            "window open, data queued, and each ACK at once followed by about as much as it freed; or the congestion \
             window just as large as another limit, up to which it had grown"
        }
        (_, Some(Cause::Recovery)) => {
            "a loss was being repaired (RFC 6675) or probed for (RFC 8985)"
        }
        (_, Some(Cause::RtoWait)) => {
            "the retransmission timer ran, or what it had declared lost was being retransmitted \
             (RFC 6298 section 5)"
        }
        (_, Some(Cause::Pacing)) => {
            "data queued, and the next send came without any ACK, as the pacing timer lets it (Linux \
             tcp_update_skb_after_send); after ACKs for a third of the flight and more, if whole segments leave at \
             an even pace, and more was in flight before"
        }
        (_, Some(Cause::Idle)) => {
            "everything was acknowledged (or nothing sent yet), and the next send came without an ACK"
        }
        (_, Some(Cause::Trickle)) => trickle(records),
        (_, Some(Cause::Nagle)) => {
            "a partial segment was held back until all data, or the partial segment before it, was acknowledged \
             (RFC 9293 section 3.7.4)"
        }
        (Limit::HandshakeClose, _) => "the SYN or the FIN was on its way",
        (Limit::CaptureGap, _) => "packets of this time are missing in the capture",
        _ => "no test answered",
    }
}

/// What of the application's tests named most of the time.
fn trickle(records: &[Record]) -> &'static str {
    let time = |names: fn(Sign) -> bool| -> Duration {
        records.iter().filter(|it| names(it.wait.sign)).map(|it| it.wait.duration()).sum()
    };
    let [dry, prompted] = [time(is_dry), time(is_prompted)];
    let unprompted = time(|_| true).saturating_sub(dry).saturating_sub(prompted);
    match dry.max(prompted).max(unprompted) {
        most if most == dry => {
            "the send queue had run dry (a partial segment or a whole write went last), and the next send did \
             not wait for a window or a timer"
        }
        most if most == prompted => {
            "the next send followed an ACK by chance: around it sends came without one and at no timer's pace, \
             or what is in flight stays as it is and ACKs come within a tick of the sender's clock, or the send \
             queue ran dry, or ACKs released nothing for longer than segmentation offload explains"
        }
        _ => {
            "the next send came without an ACK or long after one, with the window open and not when a pacing timer \
             would allow it: what went before, full segments or not, was all that had been written"
        }
    }
}

fn is_dry(sign: Sign) -> bool {
    matches!(sign.queue, QueueSign::Dry | QueueSign::Written)
}

fn is_prompted(sign: Sign) -> bool {
    !is_dry(sign) && sign.ended_by == EndedBy::Ack
}

/// Counts over the waits of an interval.
pub(super) fn facts(records: &[Record], smss: u64) -> Vec<String> {
    let mut facts = Vec::new();
    let count: u64 = records.iter().map(|record| u64::from(record.wait.count)).sum();
    if count == 0 {
        return facts;
    }
    let longest = records.iter().map(|record| record.wait.longest).max().unwrap_or_default();
    let longest = figures::seconds(longest.as_secs_f64());
    facts.push(match count {
        1 => format!("1 wait of {longest}"),
        many => format!("{}, the longest {longest}", figures::counted(many, "wait")),
    });
    facts.push(format!("ended by: {}", tallied(records, |sign| Some(ended_by(sign.ended_by)))));
    facts.push(format!("sent before them: {}", tallied(records, |sign| Some(queue(sign.queue)))));
    let room = records.iter().filter_map(|record| {
        Some((
            record.wait.snd_wnd?.saturating_sub(record.wait.flight_before).0,
            record.wait.snd_wnd?.0,
        ))
    });
    match room.min() {
        Some((left, window)) => facts.push(format!(
            "advertised window: at least {} of {} left (a segment has {})",
            figures::bytes(left),
            figures::bytes(window),
            figures::bytes(smss)
        )),
        // Before it is over, the handshake has advertised nothing that counts.
        None if records.iter().all(|record| record.wait.sign.queue == QueueSign::Opening) => {}
        None => facts.push("advertised window: its scale is not known".to_owned()),
    }
    for (name, of) in
        [("unanswered", batch as fn(Sign) -> Option<&'static str>), ("pacing", pacing)]
    {
        let told = tallied(records, of);
        if !told.is_empty() {
            facts.push(format!("{name}: {told}"));
        }
    }
    facts
}

/// What else the same waits would fit, by time.
pub(super) fn nearly(records: &[Record]) -> Vec<String> {
    let mut rivals: BTreeMap<Limit, Duration> = BTreeMap::new();
    let mut next: BTreeMap<(Limit, Option<Cause>), Duration> = BTreeMap::new();
    for record in records {
        let time = record.wait.duration();
        if let Some(rival) = record.ruling.rival {
            let sum = rivals.entry(rival).or_default();
            *sum = sum.saturating_add(time);
        }
        let other = record.next.filter(|next| next.limit != record.ruling.limit);
        if let Some(other) = other {
            let sum = next.entry((other.limit, other.cause)).or_default();
            *sum = sum.saturating_add(time);
        }
    }
    let mut told: Vec<(Duration, String)> = Vec::new();
    for (limit, time) in rivals {
        told.push((time, format!("{}: the same facts fit", words::limit(limit))));
    }
    for ((limit, cause), time) in next {
        let cause = cause.map_or_else(String::new, |cause| format!(" ({})", words::cause(cause)));
        told.push((time, format!("{}{cause}: its test comes next", words::limit(limit))));
    }
    told.sort_by(|a, b| b.cmp(a));
    // What another test would have of no time at all is not near.
    told.into_iter()
        .filter(|(time, _)| !time.is_zero())
        .map(|(time, text)| format!("{text}, for {}", figures::seconds(time.as_secs_f64())))
        .collect()
}

/// The tallies of the rounds around, each beside what it is compared with.
pub(super) fn tallies(context: &Context) -> Vec<String> {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let woken = context.woken();
    vec![
        format!("over {} round trips around it:", context.rounds),
        format!(
            "writer blocked: {} (batches that an ACK prompted: {} of {}, four in five: {}; one in two round \
             trips, or more than chance brings: {}; ends of writes held back: {}; perhaps in step with a \
             timer: {})",
            yes(context.is_writer_blocked()),
            woken.prompted,
            woken.prompted.saturating_add(woken.unprompted),
            yes(woken.prompted > 0 && woken.are_nearly_all()),
            yes(woken.is_often),
            yes(context.is_held_back()),
            yes(context.is_perhaps_in_step()),
        ),
        format!(
            "woken with as much left in flight each time: {} (chance of that: {:.3}, less than \
             {LEVEL_CHANCE_MAX} needed)",
            yes(context.level_chance() < LEVEL_CHANCE_MAX),
            context.level_chance().min(1.0),
        ),
        format!(
            "paced: {} (full segments without a prompt: {}, needed: {PACED_WAITS_MIN}; with more held back: \
             {}, at most one in {HELD_PARTS}; queue seldom dry: {}; timer steps: {})",
            yes(context.is_paced()),
            context.unprompted_pushed.count,
            context.unprompted_held.count,
            yes(!context.is_drained()),
            context.pacing_steps.count,
        ),
        format!(
            "queue ran dry: in {} of {} round trips, seldom: less than one in {DRAINED_PARTS}; only ends of \
             writes: {}",
            context.drained_rounds,
            context.rounds,
            yes(context.is_written_apart()),
        ),
        format!("window filled: {} times", context.window_full.count),
        format!("loss: {}", yes(context.has_loss)),
        format!(
            "flight at its peak: {} to {}",
            figures::bytes(context.flight_peak_min.0),
            figures::bytes(context.flight_peak_max.0)
        ),
    ]
}

/// `12 × a send at once after an ACK, 3 × the FIN`, most first.
fn tallied(records: &[Record], of: impl Fn(Sign) -> Option<&'static str>) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for record in records {
        if let Some(what) = of(record.wait.sign) {
            let count = counts.entry(what).or_default();
            *count = count.saturating_add(u64::from(record.wait.count));
        }
    }
    let mut counts: Vec<(u64, &str)> =
        counts.into_iter().map(|(what, count)| (count, what)).collect();
    counts.sort_by_key(|(count, what)| (std::cmp::Reverse(*count), *what));
    let parts: Vec<String> =
        counts.iter().map(|(count, what)| format!("{} × {what}", figures::count(*count))).collect();
    parts.join(", ")
}
