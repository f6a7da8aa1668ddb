//! What would be gained by lifting a limit?

use crate::model::figures::{rate, rates, rates_at_least, rates_perhaps};
use crate::model::{Lifted, WhatIf};
use crate::verdict::facts::Facts;

/// What lifting a limit would gain.
pub(super) struct Gain<'a> {
    pub(super) goodput: f64,
    srtt: f64,
    /// `None` where nothing was predicted.
    what_if: Option<&'a WhatIf>,
}

/// Less than this is not worth the trouble: one run differs from the next by as much.
pub(super) const GAIN_MIN: f64 = 1.1;

impl<'a> Gain<'a> {
    pub(super) fn of(lifted: Lifted, facts: &Facts, what_if: &'a [WhatIf]) -> Self {
        Self {
            goodput: facts.goodput.unwrap_or_default(),
            srtt: facts.srtt.unwrap_or_default(),
            what_if: what_if.iter().find(|entry| entry.lifted == lifted),
        }
    }

    pub(super) fn rate(&self) -> Option<f64> {
        self.what_if?.rate_bps
    }

    /// The bound that the prediction names beside its rate: no more is to be expected.
    fn perhaps(&self) -> Option<f64> {
        self.what_if?.perhaps_bps
    }

    /// `; expect 110 → about 940 Mbit/s`.
    pub(super) fn words(&self) -> String {
        self.words_with("; expect ")
    }

    pub(super) fn words_with(&self, before: &str) -> String {
        let Some(rate_bps) = self.rate() else { return String::new() };
        if let Some(perhaps) = self.perhaps() {
            return format!("{before}{}", rates_perhaps(self.goodput, perhaps));
        }
        let open = self.what_if.filter(|what_if| what_if.high_bps.is_none());
        if let Some(WhatIf { low_bps, .. }) = open {
            return format!("{before}{}", rates_at_least(self.goodput, *low_bps, rate_bps));
        }
        if rate_bps < GAIN_MIN * self.goodput {
            return format!("{before}hardly more than {}", rate(self.goodput));
        }
        format!("{before}{}", rates(self.goodput, rate_bps))
    }

    /// What has to be in flight on average, octets; where the rate is not known, for twice that of now.
    pub(super) fn flight(&self) -> f64 {
        self.perhaps().or(self.rate()).unwrap_or(2.0 * self.goodput) * self.srtt / 8.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sample;

    /// `expect 18.0 → perhaps 24.4 Mbit/s or more` stood beside `perhaps no more than 21.3 Mbit/s`.
    #[test]
    fn no_more_is_to_be_expected_than_a_bottleneck_in_doubt_lets_pass() {
        let words = |high_bps, perhaps_bps| {
            let told = sample::what_if(Lifted::Loss, 24.4e6);
            let what_if = [WhatIf { low_bps: 8e6, high_bps, perhaps_bps, ..told }];
            Gain::of(Lifted::Loss, &Facts::sample(), &what_if).words()
        };
        for high in [None, Some(30e6)] {
            assert_eq!(words(high, Some(21.3e6)), "; expect 8.00 → perhaps 21.3 Mbit/s");
        }
        assert_eq!(words(None, None), "; expect 8.00 → perhaps 24.4 Mbit/s or more");
        assert_eq!(words(Some(30e6), None), "; expect 8.00 → about 24.4 Mbit/s");
    }
}
