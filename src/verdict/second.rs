//! Is there a limit beside the headline's that is worth advice?

use super::advice;
use super::confidence::Headline;
use super::facts::Facts;
use super::shares::{SHARE_MIN, Shares};
use super::what_if;
use crate::limit::{Cause, Limit};
use crate::model::{Advice, Code, LEAD_MIN, WhatIf, codes};

/// What decides on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Second<'a> {
    pub(super) headline: Headline,
    pub(super) facts: &'a Facts,
    pub(super) what_if: &'a [WhatIf],
}

impl Second<'_> {
    /// The limit that is close behind one of `cause`, unless it held for next to none of the time, which the
    /// range of its share alone does not tell, or hardly anything is to be gained by it.
    pub(super) fn limit(self, shares: &Shares, cause: Option<Cause>) -> Option<Limit> {
        let second = self.headline.runner_up?;
        let is_seen = is_seen(second, shares);
        let second_cause = shares.main_cause(second);
        // What is left of a transfer that is over in slow start is its end: nobody was to write any more.
        let is_end = cause == Some(Cause::SlowStart) && second == Limit::Application;
        let is_in_vain = self.is_in_vain(second) || self.is_large_enough(second, second_cause);
        (is_seen && !is_end && !is_in_vain).then_some(second)
    }

    /// What the headline's limit asks for, and what this one does beside it: first, where hardly anything is
    /// to be expected of the other.
    pub(super) fn add(self, told: Vec<Advice>, mut also: Vec<Advice>) -> Vec<Advice> {
        let has = |code: Code| told.iter().any(|advice| advice.code == code);
        also.retain(|advice| !has(advice.code));
        // That a path is full is no advice in vain: it says why a larger buffer would be.
        let is_last = self.is_in_vain(self.headline.limit) && !has(codes::PATH_IS_FULL);
        let [mut first, last] = if is_last { [also, told] } else { [told, also] };
        first.extend(last);
        first
    }

    /// Whether hardly anything is to be gained by lifting `limit`.
    fn is_in_vain(self, limit: Limit) -> bool {
        let gain = what_if::lifted_of(limit)
            .and_then(|lifted| advice::without_gain(lifted, self.facts, self.what_if));
        gain.is_some_and(|hardly| !hardly.is_empty())
    }

    /// Whether it is a window that has the size it takes, and no reader that leaves it full.
    fn is_large_enough(self, limit: Limit, cause: Option<Cause>) -> bool {
        let is_reader = self.facts.is_reader_slow || cause == Some(Cause::ZeroWindow);
        limit == Limit::ReceiveWindow
            && !is_reader
            && advice::is_window_enough(self.facts, self.what_if)
    }
}

/// A window or a buffer that is to be raised has to have held. What time charged elsewhere would fit as well
/// is worth a look: it may be a writer's.
fn is_seen(limit: Limit, shares: &Shares) -> bool {
    let is_size = matches!(limit, Limit::ReceiveWindow | Limit::SendBuffer);
    let is_perhaps = !is_size && shares.claimed(limit) >= LEAD_MIN;
    shares.with_hidden(limit) >= SHARE_MIN || is_perhaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::Ledger;
    use crate::model::{Confidence, Lifted, sample};
    use crate::units::Duration;
    use crate::verdict::already::Already;

    /// Of ten seconds the window was full for so many milliseconds, and set the pace of so many others.
    fn shares(full_ms: u64, hidden_ms: u64) -> Shares {
        let [full, hidden] = [full_ms, hidden_ms].map(Duration::from_millis);
        let rest = Duration::from_millis(10_000).saturating_sub(full);
        let mut ledger = Ledger::default();
        ledger.time.insert((Limit::ReceiveWindow, Some(Cause::WindowFull), None), full);
        ledger.time.insert((Limit::CongestionWindow, Some(Cause::Pacing), None), rest);
        ledger.hidden.insert((Limit::ReceiveWindow, None), hidden);
        Shares::new(&ledger, ledger.total(), (Limit::HandshakeClose, None), None)
    }

    fn limit(shares: &Shares, facts: &Facts) -> Option<Limit> {
        let headline = Headline {
            limit: Limit::CongestionWindow,
            runner_up: Some(Limit::ReceiveWindow),
            is_order_open: true,
            confidence: Confidence::Low,
        };
        Second { headline, facts, what_if: &[] }.limit(shares, Some(Cause::Avoidance))
    }

    /// Flows of one burst that no window ever held were told to raise the receiver's buffer.
    #[test]
    fn a_limit_that_never_held_is_no_second() {
        for (full_ms, hidden_ms, is_told) in
            [(0, 0, false), (400, 0, false), (600, 0, true), (400, 600, true)]
        {
            let told = limit(&shares(full_ms, hidden_ms), &Facts::sample());
            assert_eq!(told.is_some(), is_told, "{full_ms} {hidden_ms}");
        }
    }

    /// All of it would fit another limit, too: of a slow writer one can see whether it is one.
    #[test]
    fn what_else_would_fit_is_looked_at_unless_it_is_a_size() {
        for (rival, expected) in [(Limit::Application, true), (Limit::SendBuffer, false)] {
            let mut ledger = Ledger::default();
            let pacing = (Limit::CongestionWindow, Some(Cause::Pacing), Some(rival));
            ledger.time.insert(pacing, Duration::from_millis(10_000));
            let outside = (Limit::HandshakeClose, None);
            assert_eq!(
                is_seen(rival, &Shares::new(&ledger, ledger.total(), outside, None)),
                expected
            );
        }
    }

    /// Twice the goodput takes 200 kB: what data that waits behind losses leaves of 900 kB is more.
    #[test]
    fn a_window_that_was_large_enough_is_not_to_be_raised() {
        for (used, is_reader_slow, is_told) in
            [(100e3, false, true), (500e3, false, false), (500e3, true, true)]
        {
            let window = Some(Already { used, whole: 900e3, is_fixed: false });
            let facts = Facts { is_reader_slow, window, ..Facts::sample() };
            let told = limit(&shares(4000, 0), &facts);
            assert_eq!(told.is_some(), is_told, "{used} {is_reader_slow}");
        }
    }

    /// `look at its disk, CPU and rate limits; expect hardly more` stood before what to ask of a policer.
    #[test]
    fn what_hardly_helps_is_not_tried_first() {
        let codes_told = |own, rate_bps| {
            let headline = Headline {
                limit: Limit::Application,
                runner_up: Some(Limit::CongestionWindow),
                is_order_open: true,
                confidence: Confidence::Low,
            };
            let what_if = [sample::what_if(Lifted::Application, rate_bps)];
            let [told, also] =
                [own, codes::FIND_LOSS].map(|code| vec![Advice { code, text: String::new() }]);
            let second = Second { headline, facts: &Facts::sample(), what_if: &what_if };
            second.add(told, also).iter().map(|advice| advice.code).collect::<Vec<_>>()
        };
        // Of 8 Mbit/s.
        let (own, other) = (codes::WRITE_FASTER, codes::FIND_LOSS);
        assert_eq!(codes_told(own, 8e6), [other, own]);
        assert_eq!(codes_told(own, 16e6), [own, other]);
        assert_eq!(codes_told(codes::PATH_IS_FULL, 8e6), [codes::PATH_IS_FULL, other]);
    }
}
