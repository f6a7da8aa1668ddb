//! Receive-window limit: "Receiver Limited" in RFC 4898 (`SndLimTimeRwin`). Linux counts it from
//! the moment when the next segment does not fit into the window (`tcp_snd_wnd_test`) until one
//! does.

use super::{Cause, Context, Limit, Ruling};
use crate::round::{BatchSign, EndedBy, Round, Wait, WindowSign};
use crate::sender::Recovery;

/// A window is full once less than one SMSS of it is left: a sender never cuts a segment short for
/// its sake (RFC 9293 section 3.8.6.2.1). While segmentation is deferred up to a third of the
/// window may stay open (Linux `tcp_tso_should_defer`); such a wait counts if another send of the
/// same round did fill it, or if no more stayed open than a segment for which another was waited for.
pub(super) fn examine(wait: &Wait, context: &Context) -> Option<Ruling> {
    let sign = &wait.sign;
    match sign.window {
        WindowSign::Zero => Some(Ruling::sure(Limit::ReceiveWindow, Cause::ZeroWindow)),
        WindowSign::Full if is_reopened(wait) => None,
        WindowSign::Full if is_cwnd_restart(wait) => None,
        WindowSign::Full => Some(Ruling::sure(Limit::ReceiveWindow, Cause::WindowFull)),
        WindowSign::Near if is_put_off(wait, context) => {
            let than = Limit::CongestionWindow;
            Some(Ruling::rather(Limit::ReceiveWindow, Cause::WindowFull, than))
        }
        // What a full window lets out at once.
        WindowSign::Open | WindowSign::Near
            if sign.ended_by == EndedBy::Ack
                && context.may_be_spread(sign)
                && context.is_at_window() =>
        {
            Some(Ruling::spread(Limit::ReceiveWindow, Cause::WindowFull))
        }
        _ if sign.ended_by == EndedBy::WindowProbe => {
            Some(Ruling::sure(Limit::ReceiveWindow, Cause::ZeroWindow))
        }
        _ => None,
    }
}

/// Everything was acknowledged, or more than what segmentation is deferred for, and nothing went out for it:
/// the window was open again long before the next send, or the end.
fn is_reopened(wait: &Wait) -> bool {
    let is_unused = wait.sign.is_emptied || wait.sign.batch != BatchSign::No;
    is_unused && matches!(wait.sign.ended_by, EndedBy::Nothing | EndedBy::End)
}

/// A timeout has declared all lost that is out (`tcp_enter_loss`), and the congestion window, not the
/// receiver's, lets it out again.
fn is_cwnd_restart(wait: &Wait) -> bool {
    wait.sign.recovery == Recovery::Timeout
        && matches!(wait.sign.ended_by, EndedBy::Retransmission(_))
}

/// Repairs are not put off for the sake of larger segments (`tcp_tso_should_defer` asks for the state), and
/// slow start still fills the congestion window. Nor is anything put off while more is acknowledged than that
/// explains ([`BatchSign`]).
fn is_put_off(wait: &Wait, context: &Context) -> bool {
    wait.sign.recovery == Recovery::Open
        && wait.sign.batch == BatchSign::No
        && wait.sign.ended_by.is_prompted()
        && !context.is_slow_start()
        && (context.is_window_full_here || is_one_put_off(wait, context))
}

/// Some of the window may have stayed open for the sake of larger segments.
pub(super) fn may_matter(round: &Round) -> bool {
    round.waits.iter().any(|wait| wait.sign.window == WindowSign::Near)
}

/// One segment would have fitted: Linux sends two at a time at least (`tcp_min_tso_segs`).
fn is_one_put_off(wait: &Wait, context: &Context) -> bool {
    let two = context.smss.saturating_add(context.smss);
    let full = wait.flight_before.saturating_add(two);
    wait.snd_wnd.is_some_and(|wnd| wnd < full) && context.is_at_window()
}

#[cfg(test)]
mod tests {
    use super::super::Judge;
    use super::super::tests::{CLOCKED, round};
    use super::*;
    use crate::round::Sign;
    use crate::sender::RetransmitCause;
    use crate::units::Bytes;

    /// What a wait is charged to here in a round that fills the window, which grew so much.
    fn limit_of(sign: Sign, growth: f64) -> Option<Limit> {
        let mut context = Context::of_none();
        (context.is_window_full_here, context.growth) = (true, Some(growth));
        let waits = round(&[sign]).waits;
        waits.iter().find_map(|wait| examine(wait, &context)).map(|ruling| ruling.limit)
    }

    const WINDOW: Option<Limit> = Some(Limit::ReceiveWindow);

    /// What goes out again leaves at once (`tcp_tso_should_defer`).
    #[test]
    fn what_stays_open_in_recovery_was_not_put_off() {
        let near = Sign { window: WindowSign::Near, ..CLOCKED };
        assert_eq!(limit_of(near, 1.0), WINDOW);
        for recovery in [Recovery::Fast, Recovery::Timeout] {
            assert_eq!(limit_of(Sign { recovery, ..near }, 1.0), None);
        }
    }

    /// ACKs freed more, and nothing went out: nobody waited for the window.
    #[test]
    fn what_stays_open_while_more_is_acknowledged_was_not_put_off() {
        let near = Sign { window: WindowSign::Near, ..CLOCKED };
        for (batch, limit) in
            [(BatchSign::No, WINDOW), (BatchSign::PutOff, None), (BatchSign::Third, None)]
        {
            assert_eq!(limit_of(Sign { batch, ..near }, 1.0), limit);
        }
    }

    /// For so many round trips that a congestion window would have let out one more, whatever went before.
    #[test]
    fn one_segment_that_stays_open_for_five_round_trips_is_the_window_s() {
        let near = Sign { window: WindowSign::Near, ..CLOCKED };
        let ms_at_window = |rounds: usize| {
            let mut judge = Judge::default();
            for peak in [20_000, 22_000, 24_000, 27_000] {
                judge.on_next_round(Round { flight_peak: Bytes(peak), ..round(&[CLOCKED]) });
            }
            for _ in 0..rounds {
                let mut level = round(&[near]);
                level.waits[0].snd_wnd = Some(Bytes(31_500));
                judge.on_next_round(level);
            }
            let time = judge.finish().time;
            let at_window = time.iter().filter(|((limit, ..), _)| *limit == Limit::ReceiveWindow);
            at_window.map(|(_, time)| time.as_micros() / 1000).sum::<u64>()
        };
        assert_eq!((ms_at_window(4), ms_at_window(5)), (0, 50));
    }

    /// In the round trip in which it comes to the window, slow start had not come there before.
    #[test]
    fn what_stays_open_in_slow_start_is_the_congestion_window_s() {
        let near = Sign { window: WindowSign::Near, ..CLOCKED };
        assert_eq!((limit_of(near, 1.4), limit_of(near, 1.5)), (WINDOW, None));
    }

    /// All that the window let out was acknowledged, and then nothing came.
    #[test]
    fn what_follows_the_last_acknowledgment_is_not_the_window_s() {
        let full = Sign { window: WindowSign::Full, is_emptied: true, ..CLOCKED };
        assert_eq!(limit_of(full, 1.0), WINDOW);
        for ended_by in [EndedBy::Nothing, EndedBy::End] {
            assert_eq!(limit_of(Sign { ended_by, ..full }, 1.0), None);
        }
    }

    /// A writer that fills the window now and then: ACKs open it, and the next send waits for the next write.
    #[test]
    fn what_more_is_acknowledged_for_than_goes_out_is_not_the_window_s() {
        let full = Sign { window: WindowSign::Full, ended_by: EndedBy::Nothing, ..CLOCKED };
        assert_eq!(limit_of(full, 1.0), WINDOW, "no more than segmentation is deferred for");
        for batch in [BatchSign::PutOff, BatchSign::Third] {
            assert_eq!(limit_of(Sign { batch, ..full }, 1.0), None);
            let answered = Sign { batch, ended_by: EndedBy::Ack, ..full };
            assert_eq!(limit_of(answered, 1.0), WINDOW, "data was queued");
        }
    }

    /// The wait for the timer is the window's, as nothing new can go out; the repairs that follow are not.
    #[test]
    fn what_a_timeout_declared_lost_waits_for_the_congestion_window() {
        let cause = RetransmitCause::Timeout;
        let repair =
            Sign { ended_by: EndedBy::Retransmission(cause), window: WindowSign::Full, ..CLOCKED };
        assert_eq!(limit_of(repair, 1.0), WINDOW);
        let later = Sign { recovery: Recovery::Timeout, ..repair };
        assert_eq!(limit_of(later, 1.0), None);
        assert_eq!(limit_of(Sign { ended_by: EndedBy::Ack, ..later }, 1.0), WINDOW);
    }

    /// Every second round fills the window.
    #[test]
    fn what_comes_spread_is_the_window_s_where_the_flight_does_not_grow() {
        let mut context = Context::of_none();
        (context.is_flat, context.growth) = (true, Some(1.0));
        (context.rounds, context.window_full_rounds) = (17, 9);
        let limit = |sign: Sign, context: &Context| {
            examine(&round(&[sign]).waits[0], context).map(|ruling| ruling.limit)
        };
        assert_eq!(limit(CLOCKED, &context), WINDOW);
        assert_eq!(limit(Sign { ended_by: EndedBy::Nothing, ..CLOCKED }, &context), None);
        context.window_full_rounds = 8;
        assert_eq!(limit(CLOCKED, &context), None, "seldom full");
        context.window_met_rounds = 9;
        assert_eq!(limit(CLOCKED, &context), None, "a clock tells that some was left");
        context.is_way_guessed = true;
        assert_eq!(limit(CLOCKED, &context), WINDOW);
        (context.window_full_rounds, context.is_flat) = (9, false);
        assert_eq!(limit(CLOCKED, &context), None, "it grows");
    }
}
