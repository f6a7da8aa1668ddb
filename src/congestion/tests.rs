//! Windows made by each law, and the name they get.

mod linux;

use super::epoch::{BackOff, Epoch};
use super::fit;
use super::identify::{Class, ClassBasis, Context, UnknownReason, identify};
use super::law::{Grower, Law, Origin, Step};
use super::samples::Sample;
use crate::units::Timestamp;

const RTT: f64 = 0.05;
const UNPACED: Context =
    Context { paced_share: Some(0.0), is_at_sender: true, opens_as_bbr: false };

/// `rounds` windows of `law` after a loss at `before` segments, of which `left` are left. One ACK for
/// two segments; the queue is a quarter of the window's delay.
fn windows(law: Law, before: f64, left: f64, rounds: u32) -> Vec<Sample> {
    let first = before * left;
    let origin = Origin {
        before: Some(before),
        first,
        aim: Some(before),
        earlier: None,
        ack_share: 0.5,
        left,
    };
    let mut grower = Grower::new(law, origin);
    let sample = |time: f64, window: f64, acked: f64| Sample {
        time,
        window: window.floor(),
        acked,
        acks: acked / 2.0,
        rtt_mean: RTT + 0.01 * window / before,
        rtt_min: RTT + 0.01 * window / before,
        base_rtt: RTT,
        max_rtt: RTT + 0.01,
    };
    let (mut window, mut acked) = (first, 0.0);
    let mut samples = Vec::new();
    for round in 1..=rounds {
        let now = f64::from(round) * RTT;
        let end = sample(now, window, acked + window);
        for part in 0..10 {
            let time = now - RTT + RTT * (f64::from(part) + 0.5) / 10.0;
            let (acked, acks) = (window / 10.0, window / 20.0);
            window += grower.grow(window, &Step { acked, acks, time, sample: &end });
        }
        acked += window;
        samples.push(sample(now, window, acked));
    }
    samples
}

fn epoch(law: Law, before: f64, left: f64, rounds: u32) -> Epoch {
    let samples = windows(law, before, left, rounds);
    let (first, last) = (samples.first().unwrap(), samples.last().unwrap());
    let origin = Origin {
        before: Some(before),
        first: first.window,
        aim: Some(before),
        earlier: None,
        ack_share: 0.5,
        left: (first.window / before).clamp(0.5, 0.8),
    };
    Epoch {
        start: Timestamp(0),
        end: Timestamp(1),
        after: BackOff::Loss,
        before: Some(before),
        first: first.window,
        last: last.window,
        rounds: u64::from(rounds),
        regained: None,
        falls: 0,
        queued: 0.0,
        fits: fit::all(&samples, origin, &[Some(before)]),
    }
}

fn named(
    law: Law,
    before: f64,
    left: f64,
    rounds: u32,
) -> (Result<Class, UnknownReason>, Vec<Class>) {
    let one = epoch(law, before, left, rounds);
    let identity = identify(&[&one, &one, &one], UNPACED);
    (identity.class.map(|(class, _)| class), identity.candidates)
}

#[test]
fn each_law_is_told_by_its_own_windows() {
    let cases = [
        (Law::Reno, 0.5, 150, Class::RenoLike),
        (Law::Cubic, 0.7, 150, Class::Cubic),
        (Law::Bic, 0.8, 60, Class::Bic),
        (Law::HighSpeed, 0.62, 80, Class::HighSpeed),
        (Law::Scalable, 0.875, 20, Class::Scalable),
        (Law::Htcp, 0.55, 60, Class::Htcp),
    ];
    for (law, left, rounds, class) in cases {
        assert_eq!(named(law, 300.0, left, rounds), (Ok(class), vec![class]), "{law:?}");
    }
}

/// In its first second H-TCP grows as Reno does.
#[test]
fn laws_that_behave_alike_are_all_candidates() {
    let (class, candidates) = named(Law::Reno, 40.0, 0.5, 12);
    assert_eq!(class, Ok(Class::RenoLike));
    assert!(candidates.contains(&Class::Htcp), "{candidates:?}");
}

/// Up to 38 segments `HighSpeed` is Reno that takes a step for each ACK: at one for two segments, half of one
/// per round trip.
#[test]
fn reno_that_counts_acks_is_not_highspeed() {
    assert_eq!(named(Law::HighSpeed, 30.0, 0.5, 20).0, Ok(Class::RenoLike));
}

/// Westwood: Reno's growth, but the bandwidth estimate says what is left.
#[test]
fn reno_s_growth_is_reno_like_whatever_is_left() {
    assert_eq!(named(Law::Reno, 300.0, 0.3, 60).0, Ok(Class::RenoLike));
}

/// Slower where it queues; Illinois too, but it starts faster.
#[test]
fn growth_that_depends_on_the_queue_is_told_by_the_delays() {
    assert_eq!(named(Law::Veno, 300.0, 0.5, 150).0, Ok(Class::RenoLike));
    assert_eq!(named(Law::Illinois, 300.0, 0.6, 60).0, Ok(Class::Illinois));
}

#[test]
fn one_epoch_is_too_few() {
    let one = epoch(Law::Reno, 300.0, 0.5, 100);
    let identity = identify(&[&one], UNPACED);
    assert_eq!((identity.class, identity.epochs), (Err(UnknownReason::TooFewEpochs), 1));
}

#[expect(clippy::unnecessary_wraps, reason = "compared with what may be an error")]
fn by_behaviour(class: Class) -> Result<(Class, ClassBasis), UnknownReason> {
    Ok((class, ClassBasis::Behaviour))
}

/// Its first pace shows it, whatever its window did since, even nothing.
#[test]
fn a_sender_that_opens_as_bbr_is_bbr() {
    let opening = Context { opens_as_bbr: true, ..UNPACED };
    let cubic = epoch(Law::Cubic, 300.0, 0.7, 100);
    for epochs in [&[][..], &[&cubic, &cubic]] {
        let identity = identify(epochs, opening);
        assert_eq!(identity.class, Ok((Class::Bbr, ClassBasis::Opening)));
        assert_eq!((identity.candidates, identity.epochs), (vec![Class::Bbr], 0));
    }
}

/// Three segments per round trip: no law does that.
#[test]
fn windows_of_no_known_law_get_no_name() {
    let mut odd = epoch(Law::Reno, 300.0, 0.5, 100);
    odd.fits.iter_mut().for_each(|fit| fit.misfit = 10.0);
    let identity = identify(&[&odd, &odd], UNPACED);
    assert_eq!(identity.class, Err(UnknownReason::NoLawFits));
}

/// A round trip in eight fills the pipe by a quarter more; losses take nothing.
#[test]
fn a_paced_sender_whose_pipe_pulses_is_bbr() {
    let pulsing = Epoch { rounds: 80, falls: 9, ..epoch(Law::Reno, 100.0, 0.5, 10) };
    let told = |paced_share| identify(&[&pulsing], Context { paced_share, ..UNPACED }).class;
    assert_eq!(told(Some(0.7)), by_behaviour(Class::Bbr));
    assert_eq!(told(Some(0.0)), by_behaviour(Class::DelayBased));
    assert!(told(None).is_err(), "either may be, where it is not known when it sent");
    let from_afar = Context { is_at_sender: false, ..UNPACED };
    assert!(identify(&[&pulsing], from_afar).class.is_err(), "or where a timer does not show");
}

#[test]
fn marks_that_take_little_each_are_dctcp_s() {
    let mark = Epoch { after: BackOff::Ecn, first: 95.0, ..epoch(Law::Reno, 100.0, 0.5, 10) };
    let told = |paced_share| identify(&[&mark; 4], Context { paced_share, ..UNPACED }).class;
    assert_eq!(told(Some(0.0)), by_behaviour(Class::Dctcp));
    assert_eq!(told(Some(0.7)), by_behaviour(Class::Bbr), "DCTCP answers ACKs");
}

/// Vegas: two to four segments queue, and the window stays.
#[test]
fn a_window_held_by_a_queue_is_delay_based() {
    let held = Epoch { rounds: 400, last: 70.0, first: 79.0, ..epoch(Law::Reno, 158.0, 0.5, 10) };
    let queueing = Epoch { queued: 3.0, ..held.clone() };
    assert_eq!(identify(&[&queueing], UNPACED).class, by_behaviour(Class::DelayBased));
    assert_eq!(identify(&[&held], UNPACED).class, Err(UnknownReason::TooFewEpochs));
}

/// What made the window fall in the course of an epoch was not seen.
#[test]
fn an_epoch_in_which_the_window_fell_is_not_used() {
    let whole = epoch(Law::Reno, 300.0, 0.5, 100);
    let fallen = Epoch { falls: 1, ..epoch(Law::Cubic, 300.0, 0.7, 100) };
    let identity = identify(&[&whole, &fallen, &whole], UNPACED);
    assert_eq!((identity.class, identity.epochs), (Ok((Class::RenoLike, ClassBasis::Growth)), 2));
}

/// Paced, and no window explains it: a model does.
#[test]
fn a_paced_sender_of_no_known_law_is_bbr() {
    let mut odd = epoch(Law::Reno, 300.0, 0.5, 100);
    odd.fits.iter_mut().for_each(|fit| fit.misfit = 10.0);
    let identity = identify(&[&odd, &odd], Context { paced_share: Some(0.6), ..UNPACED });
    assert_eq!(identity.class, by_behaviour(Class::Bbr));
}

/// Windows of a few segments grow by what a sample may be off.
#[test]
fn where_most_laws_fit_none_is_named() {
    let mut small = epoch(Law::Reno, 8.0, 0.5, 3);
    small.fits.iter_mut().for_each(|fit| (fit.misfit, fit.back_off) = (0.5, Some(0.5)));
    let small = Epoch { rounds: 6, ..small };
    let identity = identify(&[&small, &small], UNPACED);
    assert_eq!(identity.class, Err(UnknownReason::MostFit));
    assert!(identity.candidates.len() > 5, "{identity:?}");
}
