//! From the laws' fits to a name. Each class is charged with how far the epochs' windows and their
//! back-offs are from its law; the least charge names it, if it is small, and so do all that are
//! charged little more.

use serde::Serialize;

use super::epoch::{BackOff, Epoch};
use super::law::Law;
use crate::response::HIGHSPEED_LOW_WINDOW;
use crate::units::{as_f64, median};

/// What can be told apart. Unlike the report's `CongestionClass` it has no word for none of them: that is an
/// [`UnknownReason`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Class {
    /// One segment per round trip; a half is left, or what Westwood's and Veno's estimates say.
    RenoLike,
    Cubic,
    Bbr,
    Bic,
    Htcp,
    HighSpeed,
    Scalable,
    Illinois,
    /// Delay alone makes the window smaller, or keeps it where it is: Vegas, NV, CDG.
    DelayBased,
    /// Congestion marks take what their share asks for (RFC 8257).
    Dctcp,
}

impl Law {
    /// The class of a sender that followed it with windows of up to `window` segments. Up to its `Low_Window`
    /// `HighSpeed` is Reno (RFC 3649 section 5), with a step for each ACK as RFC 5681 section 3.1 has it.
    pub(crate) fn class(self, window: f64) -> Class {
        match self {
            Self::Reno | Self::Veno => Class::RenoLike,
            Self::HighSpeed if window <= HIGHSPEED_LOW_WINDOW => Class::RenoLike,
            Self::HighSpeed => Class::HighSpeed,
            Self::Scalable => Class::Scalable,
            Self::Bic => Class::Bic,
            Self::Cubic => Class::Cubic,
            Self::Htcp => Class::Htcp,
            Self::Illinois => Class::Illinois,
            Self::Vegas => Class::DelayBased,
        }
    }
}

/// Why no class is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnknownReason {
    /// Fewer than two epochs to judge by.
    TooFewEpochs,
    /// The windows follow none of the known laws.
    NoLawFits,
    /// Six or more of the eight classes with a law of growth fit: at windows of a few segments they behave
    /// alike.
    MostFit,
}

/// What shows a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClassBasis {
    /// The pace of the first two round trips: 2.885 initial windows per round trip are BBR's before it has
    /// measured a rate.
    Opening,
    /// What losses, marks, delay or a timer did to the window.
    Behaviour,
    /// How the window grew after each back-off.
    Growth,
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Identity {
    /// The likeliest class, and what shows it.
    pub(crate) class: Result<(Class, ClassBasis), UnknownReason>,
    /// All classes that fit about as well, the likeliest first.
    pub(crate) candidates: Vec<Class>,
    /// Epochs that it rests on.
    pub(crate) epochs: usize,
}

/// What else is known of the flow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    /// Part of the time limited by the congestion window in which the pacing timer was waited for; `None`
    /// where it is not known well enough when the sender sent.
    pub(crate) paced_share: Option<f64>,
    /// Away from the sender a timer seldom shows: that none was seen says nothing there.
    pub(crate) is_at_sender: bool,
    /// The sender opened at BBR's first pace.
    pub(crate) opens_as_bbr: bool,
}

impl Context {
    /// Not by chance: window laws are paced, if at all, at 1.2 times their window per round trip
    /// (`tcp_update_pacing_rate`), so ACKs prompt most of what they send.
    fn is_paced(self) -> bool {
        self.paced_share.is_some_and(|share| share >= PACED_SHARE_MIN)
    }

    fn is_unpaced(self) -> bool {
        self.is_at_sender && self.paced_share.is_some_and(|share| share < PACED_SHARE_MIN)
    }
}

/// Names the class from epochs in which the congestion window was the limit.
pub(crate) fn identify(epochs: &[&Epoch], context: Context) -> Identity {
    let only = |class, basis, epochs| Identity {
        class: Ok((class, basis)),
        candidates: vec![class],
        epochs,
    };
    if context.opens_as_bbr {
        return only(Class::Bbr, ClassBasis::Opening, 0);
    }
    if let Some(class) = by_behaviour(epochs, context) {
        return only(class, ClassBasis::Behaviour, epochs.len());
    }
    let usable: Vec<&Epoch> = epochs.iter().copied().filter(|epoch| is_usable(epoch)).collect();
    let epochs = usable.len();
    let none = |reason| Identity { class: Err(reason), candidates: Vec::new(), epochs };
    if usable.len() < EPOCHS_MIN || !usable.iter().any(|epoch| epoch.shows_growth()) {
        return none(UnknownReason::TooFewEpochs);
    }
    let mut charges: Vec<(f64, Class)> =
        HYPOTHESES.iter().filter_map(|hypothesis| hypothesis.charge(&usable)).collect();
    charges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let least = charges.first().map_or(f64::INFINITY, |(charge, _)| *charge);
    if least > CHARGE_MAX {
        if !context.is_paced() {
            return none(UnknownReason::NoLawFits);
        }
        // It waits for a timer, not for ACKs, and no window explains what it sends.
        return only(Class::Bbr, ClassBasis::Behaviour, epochs);
    }
    let mut candidates: Vec<Class> = Vec::new();
    for (charge, class) in charges {
        if charge <= least + MARGIN && !candidates.contains(&class) {
            candidates.push(class);
        }
    }
    let class = match candidates.first() {
        Some(class) if candidates.len() <= CANDIDATES_MAX => Ok((*class, ClassBasis::Growth)),
        Some(_) => Err(UnknownReason::MostFit),
        None => Err(UnknownReason::NoLawFits),
    };
    Identity { class, candidates, epochs }
}

// Where it is said how many change, the figure was moved alone over 1559 directions with epochs, 203 of them
// with a class (open corpus, `tests/held-out`, captures of others): so many then got another, one or none.

/// One epoch may fit a law by chance. 1 changes 23, 3 changes 22.
pub(crate) const EPOCHS_MIN: usize = 2;
/// A law that is off by more than twice what a sample may be off is another one. 3.5 changes 2, 4.5 none, 5
/// changes 3.
const CHARGE_MAX: f64 = 4.0;
/// Charges this close do not decide. 1.25 changes one, 1.75 changes 2.
const MARGIN: f64 = 1.5;
/// Of the eight classes that have a law. 4 and 6 change 2.
const CANDIDATES_MAX: usize = 5;
/// Between the gentlest fixed factor, Scalable's 0.875, and the whole. 0.88 to 0.95 change no class of 811
/// directions (open corpus, `tests/held-out`).
const NEARLY_ALL: f64 = 0.9;
/// Epochs whose median is told: 2 to 6 change no class of these.
const LEFTS_MIN: usize = 4;
/// One epoch of odd windows should not decide. 20 and 36 change one.
const CHARGE_OF_EPOCH_MAX: f64 = 25.0;

/// It shows a back-off or growth, but not after a timeout, whose slow start no law tells of, nor
/// where the window fell in its course: something else was at work.
pub(crate) fn is_usable(epoch: &Epoch) -> bool {
    let is_whole = epoch.after != BackOff::Timeout && epoch.falls == 0;
    is_whole && (epoch.before.is_some() || epoch.shows_growth())
}

/// A law that may have been followed.
struct Hypothesis {
    law: Law,
    /// Whether the back-off is part of it.
    has_back_off: bool,
    /// Charged in advance: a law with more freedom fits more, so it must fit better. Half as much or twice as
    /// much for one of them changes up to 3.
    surcharge: f64,
}

/// In the order of how common they are, which decides between equals.
const HYPOTHESES: [Hypothesis; 10] = [
    Hypothesis { law: Law::Cubic, has_back_off: true, surcharge: 0.0 },
    Hypothesis { law: Law::Reno, has_back_off: true, surcharge: 0.0 },
    Hypothesis { law: Law::Reno, has_back_off: false, surcharge: 2.0 },
    Hypothesis { law: Law::Veno, has_back_off: true, surcharge: 1.0 },
    Hypothesis { law: Law::Bic, has_back_off: true, surcharge: 0.0 },
    Hypothesis { law: Law::HighSpeed, has_back_off: true, surcharge: 0.5 },
    Hypothesis { law: Law::Scalable, has_back_off: true, surcharge: 0.0 },
    Hypothesis { law: Law::Vegas, has_back_off: true, surcharge: 1.0 },
    Hypothesis { law: Law::Htcp, has_back_off: true, surcharge: 1.0 },
    Hypothesis { law: Law::Illinois, has_back_off: true, surcharge: 1.0 },
];

impl Hypothesis {
    fn charge(&self, epochs: &[&Epoch]) -> Option<(f64, Class)> {
        let fits = || {
            let all =
                epochs.iter().flat_map(|epoch| epoch.fits.iter().map(move |fit| (epoch, fit)));
            all.filter(|(_, fit)| fit.law == self.law)
        };
        let growth = mean(fits().map(|(epoch, fit)| (fit.misfit, epoch.weight())))?;
        let back_offs = fits().filter_map(|(_, fit)| Some((fit.back_off?, 1.0)));
        let back_off = mean(back_offs).filter(|_| self.has_back_off);
        let window = epochs.iter().map(|epoch| epoch.largest()).fold(0.0, f64::max);
        Some((growth + back_off.unwrap_or(0.0) + self.surcharge, self.law.class(window)))
    }
}

/// Weighted mean of the squares, none beyond its cap; `None` of nothing.
fn mean(values: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (value, weight) in values {
        sum += weight * (value * value).min(CHARGE_OF_EPOCH_MAX);
        weights += weight;
    }
    (weights > 0.0).then(|| sum / weights)
}

/// What shows without any law of growth.
fn by_behaviour(epochs: &[&Epoch], context: Context) -> Option<Class> {
    let rounds: u64 = epochs.iter().map(|epoch| epoch.rounds).sum();
    let falls: u64 = epochs.iter().map(|epoch| epoch.falls).sum();
    let is_falling = rounds >= ROUNDS_MIN && falls.saturating_mul(FALL_ROUNDS) >= rounds;
    match () {
        () if context.is_paced() && (is_falling || is_undeterred(epochs)) => Some(Class::Bbr),
        () if is_proportional(epochs) => Some(Class::Dctcp),
        () if context.is_unpaced() && (is_falling || is_held(epochs)) => Some(Class::DelayBased),
        () => None,
    }
}

/// Four gain cycles of BBR. 24 changes none, 16 changes 2, 48 changes one.
const ROUNDS_MIN: u64 = 32;
/// BBR's gain cycle has eight round trips (`CYCLE_LEN`), of which one makes the pipe fall; every
/// second may drown in what else happens. 12 and 24 change one.
const FALL_ROUNDS: u64 = 16;
/// BBR is paced all the time, but some of it shows as answers to ACKs. 0.3 changes none, 0.1 changes one, 0.4
/// changes 2.
const PACED_SHARE_MIN: f64 = 0.2;

/// The window stays where it is, and nothing was lost: over so many round trips the slowest of the
/// other laws (Illinois' 0.3 segments per round trip before a full queue) would have grown three times
/// as much. (0.05 in place of 0.1 segments changes none, 0.2 changes one; 0 and half a segment queued in
/// place of one change none, two change one.)
fn is_held(epochs: &[&Epoch]) -> bool {
    let longest = epochs.iter().max_by_key(|epoch| epoch.rounds);
    longest.is_some_and(|epoch| {
        let growth = epoch.last - epoch.first;
        let is_level = epoch.rounds >= 2 * ROUNDS_MIN && growth < 0.1 * as_f64(epoch.rounds);
        // Where nothing queues it is no delay that holds the window; and one fall may have had
        // another cause, unseen.
        is_level && epoch.falls != 1 && epoch.queued >= 1.0
    })
}

/// Losses took nothing from the window, or marks: BBR heeds neither.
fn is_undeterred(epochs: &[&Epoch]) -> bool {
    is_nearly_all_left(epochs, BackOff::Loss) || is_nearly_all_left(epochs, BackOff::Ecn)
}

/// Marks took less than any fixed factor does: the gentlest is Scalable's 0.875.
fn is_proportional(epochs: &[&Epoch]) -> bool {
    is_nearly_all_left(epochs, BackOff::Ecn)
}

fn is_nearly_all_left(epochs: &[&Epoch], after: BackOff) -> bool {
    let mut left: Vec<f64> = lefts(epochs, after).collect();
    left.len() >= LEFTS_MIN && median(&mut left).is_some_and(|left| left > NEARLY_ALL)
}

/// The parts of the window that were left.
fn lefts<'a>(epochs: &'a [&Epoch], after: BackOff) -> impl Iterator<Item = f64> + use<'a> {
    let epochs = epochs.iter().filter(move |epoch| epoch.after == after);
    epochs.filter_map(|epoch| epoch.left())
}
