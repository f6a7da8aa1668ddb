//! What would be gained by lifting a limit?

use crate::model::figures::{rate, rates, rates_at_least};
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

    /// `; expect 110 → about 940 Mbit/s`.
    pub(super) fn words(&self) -> String {
        self.words_with("; expect ")
    }

    pub(super) fn words_with(&self, before: &str) -> String {
        let Some(rate_bps) = self.rate() else { return String::new() };
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
        self.rate().unwrap_or(2.0 * self.goodput) * self.srtt / 8.0
    }
}
