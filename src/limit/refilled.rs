//! Send-buffer limit of a stack that wakes its writer at each ACK (BSD's `sowwakeup`, lwIP's `sent`
//! callback): the writer keeps the buffer full, and each ACK lets out what it frees, as it does at a
//! congestion window. But that would have grown.

use super::{Cause, Context, Limit, Ruling};
use crate::round::{EndedBy, QueueSign, Wait, WindowSign};
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
        && context.is_stuck()
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
const LEVEL_ROUNDS: u32 = 17;

/// One in so many sends may come without an ACK: as many as a host may answer late (see `round::reaction`).
const WOKEN_PARTS: u32 = 32;

#[cfg(test)]
mod tests {
    use super::super::Judge;
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::round::{Round, Sign};
    use crate::units::{Bytes, Duration};

    /// What most of the time of 40 round trips of three answers goes to, with so much in flight in each.
    fn main_limit(
        sign: Sign,
        srtt_us: u64,
        flight: impl Fn(u64) -> u64,
    ) -> Option<(Limit, Option<Cause>)> {
        let mut judge = Judge::default();
        for number in 0..40 {
            let mut round = Round {
                srtt: Some(Duration::from_micros(srtt_us)),
                min_rtt: Some(Duration::from_micros(30_000)),
                ..round(&[sign, sign, sign])
            };
            round.flight_peak = Bytes(flight(number));
            judge.on_round(round);
        }
        let time = judge.finish().time;
        let main = time.iter().max_by_key(|(_, time)| **time);
        main.map(|((limit, cause, _), _)| (*limit, *cause))
    }

    #[test]
    fn a_window_that_never_grows_is_a_buffer() {
        let clocked = Sign { window: WindowSign::Open, ..CLOCKED };
        let buffer = Some((Limit::SendBuffer, Some(Cause::BufferRefilled)));
        let window = Some((Limit::CongestionWindow, Some(Cause::Avoidance)));
        assert_eq!(main_limit(clocked, 31_000, |_| 6000), buffer);
        assert_eq!(main_limit(clocked, 31_000, |round| 6000 + round * 1000), window, "it grows");
        assert_eq!(main_limit(clocked, 45_000, |_| 6000), window, "two segments are queued");
        let fallen = |round| if round == 0 { 9000 } else { 6000 };
        assert_eq!(main_limit(clocked, 31_000, fallen), window, "it was larger");
    }
}
