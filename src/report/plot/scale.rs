//! Round numbers along an axis, and the unit that makes them short.

/// Values from `low` to `high`, in a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    /// What a value is divided by for its label.
    pub(super) divisor: f64,
}

/// Units, smallest first, each a thousand times the one before.
pub(super) const RATES: [&str; 5] = ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"];
pub(super) const OCTETS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
pub(super) const TIMES: [&str; 3] = ["µs", "ms", "s"];

impl Scale {
    /// From zero to a little more than `most`; the name of the unit that fits.
    pub(super) fn from_zero<'u>(most: f64, units: &[&'u str]) -> (Self, &'u str) {
        let most = if most > 0.0 && most.is_finite() { most } else { 1.0 };
        Self::between(0.0, most * 1.06, units)
    }

    /// From `low` to `high`.
    pub(super) fn between<'u>(low: f64, high: f64, units: &[&'u str]) -> (Self, &'u str) {
        let high = if high > low { high } else { low + 1.0 };
        let mut divisor = 1.0;
        let mut unit = units.first().copied().unwrap_or_default();
        for name in units.iter().skip(1).take_while(|_| high.abs() >= 1000.0) {
            if high / divisor < 1000.0 {
                break;
            }
            divisor *= 1000.0;
            unit = name;
        }
        (Self { low, high, divisor }, unit)
    }

    /// 0 at `low`, 1 at `high`.
    pub(super) fn part(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// At most `count` round values with their labels; two at least, for one tells no scale.
    pub(super) fn ticks(&self, count: f64) -> Vec<(f64, String)> {
        let mut finer =
            [1.0, 2.0, 4.0, 8.0].into_iter().map(|times| self.round_values(count * times));
        finer.find(|ticks| ticks.len() > 1).unwrap_or_else(|| self.round_values(count))
    }

    fn round_values(&self, count: f64) -> Vec<(f64, String)> {
        let span = (self.high - self.low) / self.divisor;
        if !span.is_finite() || span <= 0.0 || count < 1.0 {
            return Vec::new();
        }
        let step = round_step(span / count);
        let decimals = decimals(step);
        let first = (self.low / self.divisor / step - 1e-9).ceil();
        let mut ticks = Vec::new();
        // `count` is a few dozen at most; the bound holds for damaged numbers.
        for index in 0..200_u8 {
            let label = (first + f64::from(index)) * step;
            let value = label * self.divisor;
            if value > self.high + span * self.divisor * 1e-9 {
                break;
            }
            ticks.push((value, format!("{:.decimals$}", label + 0.0)));
        }
        ticks
    }
}

/// The smallest of 1, 2, 5, 10, .. times a power of ten that is no less than `least`.
fn round_step(least: f64) -> f64 {
    let decade = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * decade);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(decade * 10.0)
}

/// Digits behind the point that tell multiples of `step` apart.
fn decimals(step: f64) -> usize {
    let digits = (-(step * (1.0 + 1e-9)).log10().floor()).clamp(0.0, 9.0);
    (0..=9_u8).find(|count| f64::from(*count) >= digits).map_or(0, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, units: &[&str], count: f64) -> (Vec<String>, String) {
        let (scale, unit) = Scale::between(low, high, units);
        (scale.ticks(count).into_iter().map(|(_, label)| label).collect(), unit.to_owned())
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(
            labels(0.0, 6.9e6, &RATES, 5.0),
            (["0", "2", "4", "6"].map(str::to_owned).to_vec(), "Mbit/s".to_owned())
        );
        let (ticks, unit) = labels(0.0, 0.9, &["s"], 6.0);
        assert_eq!((ticks.join(" ").as_str(), unit.as_str()), ("0.0 0.2 0.4 0.6 0.8", "s"));
        let (ticks, _) = labels(0.3011, 0.3044, &["s"], 4.0);
        assert_eq!(ticks.join(" "), "0.302 0.303 0.304");
        assert_eq!(labels(0.0, 17_376.0, &OCTETS, 4.0).1, "kB");
        assert_eq!(labels(0.0, 999.0, &OCTETS, 4.0).1, "B");
    }

    #[test]
    fn an_axis_has_two_ticks_however_short_it_is() {
        for high in [1.06e6, 1.9e6, 2.3e6, 5.3e6, 9.9e6] {
            let (ticks, _) = labels(0.0, high, &RATES, 1.0);
            assert!((2..=6).contains(&ticks.len()), "{high}: {ticks:?}");
        }
        assert!(labels(0.3, 1.4, &["s"], 2.0).0.len() > 1);
    }

    #[test]
    fn no_value_makes_it_endless() {
        for (low, high) in [(0.0, f64::INFINITY), (0.0, f64::NAN), (1e300, 1e300), (0.0, 1e-300)] {
            let (scale, _) = Scale::between(low, high, &OCTETS);
            assert!(scale.ticks(5.0).len() <= 200);
        }
    }
}
