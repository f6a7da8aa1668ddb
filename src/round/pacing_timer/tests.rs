use super::*;

const MSS: Bytes = Bytes(1000);

/// A sender whose timer runs: bursts of `octets`, each at the time when the one before lets it or
/// `late` after that.
#[derive(Default)]
struct Sender {
    timer: PacingTimer,
    now: Timestamp,
}

impl Sender {
    fn wait(&mut self, octets: u64, us: u64, by: By) -> Held {
        let window = by.is_at_window.then_some((Bytes(40_000), Duration::from_millis(40)));
        let is_window_full = by.is_at_window;
        let burst = Burst { start: self.now, octets: Bytes(octets), window, is_window_full };
        let step = Step {
            octets: burst.octets,
            smss: MSS,
            time: Duration::from_micros(us),
            min_rtt: Some(Duration::from_millis(40)),
            is_emptied: false,
        };
        self.now = self.now.after(step.time);
        self.timer.on_new_data(&burst, &step);
        self.timer.on_wait(&burst, &step, by.seen)
    }

    fn us_held(&mut self, octets: u64, us: u64, by: By) -> u64 {
        self.wait(octets, us, by).time.as_micros()
    }
}

#[derive(Clone, Copy)]
struct By {
    seen: Seen,
    is_at_window: bool,
}

const TIMER: By = By { seen: Seen::Unprompted, is_at_window: false };
const ACK: By = By { seen: Seen::Prompted, is_at_window: false };
const ACK_AT_WINDOW: By = By { seen: Seen::Prompted, is_at_window: true };
const TIMER_AT_WINDOW: By = By { seen: Seen::Unprompted, is_at_window: true };

/// Away from the sender.
const FAR_AT_WINDOW: By = By { seen: Seen::Afar, is_at_window: true };
const FAR: By = By { seen: Seen::Afar, is_at_window: false };

/// 1 MB/s: 2000 octets are to take 2 ms; the first after a pause takes half of that.
fn paced() -> Sender {
    let mut sender = Sender { now: Timestamp(1_000_000_000), ..Sender::default() };
    for is_shown in [false, true] {
        sender.wait(2000, 30_000, ACK);
        sender.wait(2000, 1000, TIMER);
        for _ in 0..3 {
            assert_eq!(sender.wait(2000, 2000, TIMER).is_step, is_shown);
        }
    }
    sender
}

#[test]
fn the_first_wait_after_a_pause_is_half_as_long() {
    let mut sender = paced();
    assert_eq!(sender.us_held(2000, 5000, ACK), 2000);
    assert_eq!(sender.us_held(2000, 5000, ACK), 1000, "3 ms late: half of 2 ms is the most");
    assert_eq!(sender.us_held(1000, 5000, ACK), 500);
}

/// The timer let the burst before out at 2 ms, the ACK came 0.4 ms after that.
#[test]
fn a_little_late_is_a_little_credit() {
    let mut sender = paced();
    sender.wait(2000, 2400, ACK);
    assert_eq!(sender.us_held(2000, 5000, ACK), 1600);
    sender.wait(2000, 1400, ACK);
    assert!(sender.wait(2000, 1600, TIMER).is_step, "2 ms less 0.4 ms");
}

#[test]
fn a_writer_s_even_timer_is_no_pace() {
    let mut sender = Sender { now: Timestamp(1_000_000_000), ..Sender::default() };
    for _ in 0..50 {
        assert_eq!(sender.wait(2000, 2000, TIMER), Held::default());
    }
}

/// Then data is queued.
#[test]
fn even_waits_at_a_full_window_are_the_timer_s() {
    let mut sender = Sender { now: Timestamp(1_000_000_000), ..Sender::default() };
    for _ in 0..5 {
        sender.wait(2000, 2000, TIMER_AT_WINDOW);
    }
    assert_eq!(sender.us_held(2000, 2000, TIMER_AT_WINDOW), 2000);
}

/// Each after a burst that an ACK had let out late, so that it has half of its time left.
#[test]
fn from_afar_a_full_window_and_waits_between_others_prove_the_timer() {
    let far_between = |far: By, ack: By| {
        let mut sender = Sender { now: Timestamp(1_000_000_000), ..Sender::default() };
        let mut turn = |us| {
            sender.wait(2000, us, ack);
            sender.wait(2000, 1000, far)
        };
        for us in [5000, 7000, 4000, 9000] {
            turn(us);
        }
        turn(6000)
    };
    assert!(far_between(FAR_AT_WINDOW, ACK_AT_WINDOW).is_step);
    assert_eq!(
        far_between(TIMER_AT_WINDOW, ACK_AT_WINDOW),
        Held::default(),
        "at the sender, more would show"
    );
    assert_eq!(far_between(FAR, ACK), Held::default(), "a writer's may be as even");
}

/// In slow start the window is not full, and no wait proves anything.
#[test]
fn from_afar_what_proves_nothing_does_not_count_against_the_timer() {
    let mut sender = Sender { now: Timestamp(1_000_000_000), ..Sender::default() };
    for nth in 0..50 {
        sender.wait(2000, 9000 - 100 * nth, FAR);
    }
    for us in [5000, 7000, 4000, 9000] {
        sender.wait(2000, us, ACK_AT_WINDOW);
        sender.wait(2000, 1000, FAR_AT_WINDOW);
    }
    sender.wait(2000, 6000, ACK_AT_WINDOW);
    assert_eq!(sender.us_held(2000, 1000, FAR_AT_WINDOW), 1000);
}

#[test]
fn a_send_before_its_time_raises_the_pace() {
    let mut sender = paced();
    sender.wait(2000, 500, ACK);
    assert_eq!(sender.us_held(2000, 5000, ACK), 500);
}

#[test]
fn a_wait_of_twice_the_time_is_not_the_timer_s_unless_it_comes_again() {
    let mut sender = paced();
    assert!(sender.wait(2000, 4100, TIMER).is_overlong);
    assert!(!sender.wait(2000, 4100, TIMER).is_overlong);
    let mut sender = paced();
    assert!(!sender.wait(2000, 3900, TIMER).is_overlong);
}

/// 40 kB in 40 ms: BBR paces at 1.2375 MB/s, so 2000 octets take 1.62 ms.
#[test]
fn a_full_window_keeps_bbr_s_pace_raised() {
    let mut sender = paced();
    sender.wait(2000, 50_000, ACK);
    assert_eq!(sender.us_held(2000, 2000, ACK_AT_WINDOW), 808);
    assert_eq!(sender.us_held(2000, 2000, ACK_AT_WINDOW), 808, "1.19 ms late");
}

/// Within 600 us of 2000 octets, which had taken 1.62 ms otherwise, or half of that.
#[test]
fn an_early_send_at_a_full_window_shows_a_faster_pace() {
    let mut sender = paced();
    sender.wait(2000, 50_000, ACK);
    sender.wait(2000, 2000, ACK_AT_WINDOW);
    assert_eq!(sender.us_held(2000, 600, ACK_AT_WINDOW), 600);
    assert_eq!(sender.us_held(2000, 2000, ACK_AT_WINDOW), 1200, "of which none is late");
    assert_eq!(sender.us_held(2000, 2000, ACK_AT_WINDOW), 600, "0.8 ms late");
}

/// 1 Gbit/s: what the network interface makes of it says nothing of BBR.
#[test]
fn an_interface_s_pace_is_no_pacing_rate() {
    let mut sender = Sender { now: Timestamp(1_000_000_000), ..Sender::default() };
    for _ in 0..5 {
        sender.wait(60_000, 480, TIMER_AT_WINDOW);
    }
    sender.wait(2000, 50_000, ACK);
    assert!(sender.us_held(2000, 2000, ACK_AT_WINDOW) < 20);
}
