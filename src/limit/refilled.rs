//! Send-buffer limit of a stack that wakes its writer at each ACK (BSD's `sowwakeup`, lwIP's `sent`
//! callback): the writer keeps the buffer full, and each ACK lets out what it frees, as it does at a
//! congestion window. But that would have grown.

use super::{Cause, Context, Limit, Ruling};
use crate::round::{ALL_BUT_PARTS, EndedBy, QueueSign, Wait, WindowSign};
use crate::sender::Recovery;

pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let sign = &wait.sign;
    if sign.recovery != Recovery::Open || sign.window != WindowSign::Open {
        return None;
    }
    // Nothing is queued, as far as is known, and yet each ACK lets out what it frees.
    let may_be_dry = sign.queue == QueueSign::Dry || context.is_always_drained();
    if sign.ended_by == EndedBy::Ack && may_be_dry && is_in_bunches(context) {
        return Some(rather_than(Limit::Application));
    }
    let is_answer = matches!(sign.ended_by, EndedBy::Ack | EndedBy::LateAck | EndedBy::Payload);
    let may_be_full = is_answer && !sign.is_pacing_step() && !context.is_slow_start();
    (may_be_full && is_level(context)).then(|| rather_than(Limit::CongestionWindow))
}

fn rather_than(limit: Limit) -> Ruling {
    Ruling::rather(Limit::SendBuffer, Cause::BufferRefilled, limit)
}

/// Each write ends below SMSS, too. A writer's timer may keep step with the ACKs of its writes, which come as
/// evenly; those of a window that is sent at once come bunched.
pub(super) fn is_in_bunches(context: &Context) -> bool {
    context.bunched_rounds.saturating_mul(4) >= context.rounds.saturating_mul(3)
        && is_level(context)
}

/// Each ACK is answered, and yet for all these round trips nothing more is in flight at the peak, though
/// nothing is lost and less than a segment queues on the path. A congestion window would have grown: Reno's
/// by 16 segments, CUBIC's by eight, and those that hold still for the sake of a short queue let two to four
/// segments stand in it (Vegas `alpha` and `beta`, give or take one as ACKs are delayed). Nor was more in
/// flight before, as where a BBR has learned of a policer (`bbr_lt_bw_sampling`).
fn is_level(context: &Context) -> bool {
    let alone = context.unprompted().saturating_add(context.pacing_steps.count);
    context.level_rounds >= LEVEL_ROUNDS
        && context.flight_peak_max < context.flight_peak_min.saturating_add(context.smss)
        && context.flight_max < context.flight_peak_here.saturating_add(context.smss)
        && !context.has_loss
        && alone.saturating_mul(WOKEN_PARTS) <= context.clocked.count
        && queued_at_peak(context).is_some_and(|queued| queued < context.smss.as_f64())
}

/// The octets in the path's queue when most is in flight, by Vegas's estimate (Brakmo, Peterson 1995): the
/// share of the flight that the RTT has beyond its minimum. `None` without an RTT.
fn queued_at_peak(context: &Context) -> Option<f64> {
    let (srtt, min) = context.srtt.zip(context.min_rtt)?;
    let share = srtt.saturating_sub(min).as_secs_f64() / srtt.as_secs_f64();
    Some(context.flight_peak_here.as_f64() * share)
}

/// In as many CUBIC's window grows by eight segments: by 0.53 a round trip (RFC 9438 section 4.3).
pub(crate) const LEVEL_ROUNDS: u32 = 17;

/// One in so many sends may come without an ACK: as many as a host may answer late.
const WOKEN_PARTS: u32 = ALL_BUT_PARTS;

#[cfg(test)]
mod tests {
    use super::super::Judge;
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::round::{Round, Sign};
    use crate::units::{Bytes, Duration};

    /// For 17 round trips nothing more is in flight, though nothing queues and more never was.
    #[test]
    fn what_never_grows_is_no_congestion_window() {
        let ms = Duration::from_millis;
        let main_of = |srtt: Duration, rounds: u32, peak: u64| {
            let mut judge = Judge::default();
            let with = |peak: u64| Round {
                srtt: Some(srtt),
                min_rtt: Some(ms(40)),
                flight_peak: Bytes(peak),
                pipe_peak: Bytes(peak),
                ..round(&[CLOCKED; 4])
            };
            judge.on_next_round(with(peak));
            (0..rounds).for_each(|_| judge.on_next_round(with(30_000)));
            let time = judge.finish().time;
            time.into_iter().max_by_key(|(_, time)| *time).map(|((limit, ..), _)| limit)
        };
        let buffer = Some(Limit::SendBuffer);
        let window = Some(Limit::CongestionWindow);
        assert_eq!(main_of(ms(41), 60, 30_000), buffer);
        assert_eq!(main_of(ms(42), 60, 30_000), window, "a segment queues, as of Vegas");
        assert_eq!(main_of(ms(41), 15, 30_000), window, "too few round trips");
        assert_eq!(main_of(ms(41), 60, 31_000), window, "more was in flight before");
    }

    /// Each send ends below SMSS and each answers an ACK.
    #[test]
    fn a_writer_s_timer_in_step_with_the_acks_is_even() {
        let dry = Sign { queue: QueueSign::Dry, ..CLOCKED };
        let main_of = |longest_ms: u64| {
            let mut judge = Judge::default();
            for _ in 0..60 {
                let mut round = round(&[dry; 8]);
                (round.srtt, round.min_rtt) =
                    (Some(Duration::from_millis(40)), Some(Duration::from_millis(40)));
                let last = round.waits.last_mut().unwrap();
                last.longest = Duration::from_millis(longest_ms);
                last.end = last.start.after(last.longest);
                judge.on_next_round(round);
            }
            let time = judge.finish().time;
            time.into_iter().max_by_key(|(_, time)| *time).map(|((limit, ..), _)| limit)
        };
        assert_eq!(main_of(10), Some(Limit::Application));
        assert_eq!(main_of(40), Some(Limit::SendBuffer));
    }
}
