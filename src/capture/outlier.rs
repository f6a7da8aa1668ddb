//! Is a packet's time damaged? One that lies far outside those of the packets around it, which are in order,
//! is: a clock that was set stays set, and a pause is over for all that follow. The packet is kept, and its
//! time taken as one between theirs: one octet must not make a second of capture last for years.
//!
//! Of up to two in a row that is so. The first and the last packet of a file have neighbours on one side
//! alone, where what is long before or after may be a pause, but for one of decades.

use super::clock::Stamp;
use crate::units::host::RTO_INITIAL;
use crate::units::{Duration, Timestamp};

/// Times no further apart are left as they are: twice what dumpcap lets a packet wait (250 ms,
/// `CAP_READ_TIMEOUT`), and thrice the most by which packets came late in 1382 captures of others (0.17 s).
/// Those that were further off were damaged, or another clock's (2.5 s, 3.4 s and 32 s).
const FAR: Duration = Duration::from_millis(500);

/// Of two in a row: a clock may be set, and back by what passed meanwhile. None was on its way for longer
/// than the maximum segment lifetime (RFC 9293 section 3.4.2).
const FAR_OF_TWO: Duration = Duration::from_secs(120);

/// Neighbours are in order where the later one is earlier by less: as `Reorder::CLOCK_SET_MIN`.
const OUT_OF_ORDER_MAX: Duration = Duration::from_millis(128);

/// No pause is so long: 17 years, the three highest bits of a second's count. Captures of others that were
/// put into one lie up to 14 years apart.
const PAUSE_MAX: Duration = Duration::from_secs(1 << 29);

/// The times of the packets behind one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead {
    times: [Option<Timestamp>; 2],
    /// After how long those octets of a time repeat that may be right where others are damaged.
    repeats: Duration,
}

impl Ahead {
    pub(super) fn repeating_every(repeats: Duration) -> Self {
        Self { times: [None; 2], repeats }
    }

    pub(super) fn add(&mut self, stamp: Stamp) {
        if let Some(free) = self.times.iter_mut().find(|time| time.is_none()) {
            *free = Some(stamp.time);
        }
    }

    pub(super) fn is_enough(&self) -> bool {
        self.times.iter().all(Option::is_some)
    }
}

/// Packets of a file whose times were not believed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outliers {
    pub(crate) count: u64,
    pub(crate) first: Option<Outlier>,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outlier {
    /// Position in the file, from 1.
    pub(crate) packet: u64,
    /// What its record says.
    pub(crate) said: Timestamp,
    pub(crate) taken: Timestamp,
}

/// Whether a time is near the one before it, as nearly all are: it is believed.
#[inline]
pub(super) fn is_near(previous: Timestamp, stamp: Stamp) -> bool {
    let from = previous.0.wrapping_sub(FAR.as_nanos());
    stamp.time.0.wrapping_sub(from) <= FAR.saturating_mul(2).as_nanos() && stamp.is_regular
}

impl Outliers {
    /// What is to be believed of a packet's time, given those around it.
    #[cold]
    pub(super) fn believe(
        &mut self,
        packet: u64,
        stamp: Stamp,
        previous: Option<Timestamp>,
        ahead: Ahead,
    ) -> Stamp {
        let Some(taken) = ahead.mended(stamp, previous) else { return stamp };
        self.count = self.count.saturating_add(1);
        self.first.get_or_insert(Outlier { packet, said: stamp.time, taken });
        Stamp::regular(taken)
    }
}

impl Ahead {
    /// The time to take in place of one that is damaged; `None` if it is not, or nobody can tell.
    fn mended(&self, stamp: Stamp, previous: Option<Timestamp>) -> Option<Timestamp> {
        let Stamp { time, is_regular } = stamp;
        // A fraction of a second or more cannot be: that it is out of order is enough.
        let far = if is_regular { FAR } else { OUT_OF_ORDER_MAX };
        match (previous, self.times) {
            (Some(previous), [Some(next), second]) => {
                let is_lone = is_outside(previous, time, next, far);
                let is_one_of_two = |second: &Timestamp| {
                    [time, next].iter().all(|it| is_outside(previous, *it, *second, FAR_OF_TWO))
                };
                let right = if is_lone { Some(next) } else { second.filter(is_one_of_two) };
                right.map(|right| self.between(previous, stamp, right))
            }
            (Some(previous), [None, _]) => {
                let is_damaged = is_outside(previous, time, previous.after(PAUSE_MAX), far);
                (is_damaged || !is_regular).then_some(previous)
            }
            (None, [Some(next), Some(second)]) => {
                let is_damaged = is_in_order(next, second)
                    && is_outside(next.before(PAUSE_MAX), time, next, far)
                    && !is_outside(time, next, second, FAR);
                is_damaged.then(|| self.ahead_of(next, stamp))
            }
            _ => None,
        }
    }

    /// The first time at or after `previous` that has the lower part of the damaged one, which may be all
    /// right; the middle if it is not.
    fn between(&self, previous: Timestamp, damaged: Stamp, next: Timestamp) -> Timestamp {
        let behind = self.lower_part(damaged, |time| distance(previous, time));
        let middle = Duration::from_nanos(next.since(previous).as_nanos() / 2);
        let exact = behind.filter(|behind| previous.after(*behind) <= next);
        previous.after(exact.unwrap_or(middle))
    }

    /// The same for the first packet: the second answers it, for which a sender waits so long.
    fn ahead_of(&self, next: Timestamp, damaged: Stamp) -> Timestamp {
        let ahead = self.lower_part(damaged, |time| distance(time, next));
        let exact = ahead.filter(|ahead| *ahead < RTO_INITIAL);
        next.before(exact.unwrap_or_default())
    }

    /// A distance of the damaged time but for whole repetitions; `None` if its lower part is nothing but
    /// zeros, or cannot be.
    fn lower_part(&self, damaged: Stamp, distance: impl Fn(Timestamp) -> i128) -> Option<Duration> {
        let repeats = i128::from(self.repeats.as_nanos());
        let is_zero = i128::from(damaged.time.0).checked_rem(repeats)? == 0;
        let rest = distance(damaged.time).checked_rem_euclid(repeats)?;
        let rest = u64::try_from(rest).ok().filter(|_| damaged.is_regular && !is_zero);
        rest.map(Duration::from_nanos)
    }
}

/// In nanoseconds.
fn distance(from: Timestamp, to: Timestamp) -> i128 {
    i128::from(to.0).saturating_sub(i128::from(from.0))
}

/// Whether `time` is `far` from what is between its neighbours, and those are in order.
fn is_outside(previous: Timestamp, time: Timestamp, next: Timestamp, far: Duration) -> bool {
    is_in_order(previous, next) && (time > next.after(far) || time.after(far) < previous)
}

fn is_in_order(one: Timestamp, other: Timestamp) -> bool {
    one <= other.after(OUT_OF_ORDER_MAX)
}
