//! How a measured value stands beside the one that was wanted.

use super::field::Unit;
use crate::model::figures;

/// As in the report, in three digits.
pub(super) fn value(unit: Unit, value: f64) -> String {
    match unit {
        Unit::BitsPerSecond => figures::rate(value),
        Unit::Bytes => figures::bytes_f64(value),
        Unit::Seconds => figures::seconds(value),
        Unit::Microseconds => figures::micros(value),
        // A tenth of a percent: what is compared is not rounded.
        Unit::Share | Unit::Part => format!("{:.1} %", value * 100.0),
        Unit::Count => format!("{value}"),
    }
}

/// The same of two, with as many digits as tell them apart: `>= 6.71Mbit/s` would fail at `6.71 Mbit/s`.
pub(super) fn pair(unit: Unit, measured: f64, wanted: f64) -> (String, String) {
    let (one, other) = (value(unit, measured), value(unit, wanted));
    if one != other || measured.total_cmp(&wanted).is_eq() {
        return (one, other);
    }
    let name = one.rsplit(' ').next().unwrap_or_default();
    let (factor, name) = unit.factor(name).map_or_else(|| own(unit), |factor| (factor, name));
    let digits = |places: usize| {
        let text = |value: f64| format!("{:.places$} {name}", value / factor);
        (text(measured), text(wanted))
    };
    let apart = (1..PLACES_MAX).map(digits).find(|(one, other)| one != other);
    apart.unwrap_or_else(|| digits(PLACES_MAX))
}

/// An `f64` holds no more digits of a number near one.
const PLACES_MAX: usize = 17;

/// What a value is written in whose figure has no unit that an assertion knows, as `< 1 µs`.
fn own(unit: Unit) -> (f64, &'static str) {
    match unit {
        Unit::BitsPerSecond => (1.0, "bit/s"),
        Unit::Bytes => (1.0, "B"),
        Unit::Seconds => (1.0, "s"),
        Unit::Microseconds => (1.0, "µs"),
        _ => (1.0, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_never_look_the_same() {
        for (unit, measured, wanted, expected) in [
            (Unit::BitsPerSecond, 6_708_483.0, 6.71e6, ("6.708 Mbit/s", "6.710 Mbit/s")),
            (Unit::BitsPerSecond, 6_708_483.0, 6.9e6, ("6.71 Mbit/s", "6.90 Mbit/s")),
            (Unit::BitsPerSecond, 6.71e6, 6.71e6, ("6.71 Mbit/s", "6.71 Mbit/s")),
            (Unit::Bytes, 1_000_001.0, 1e6, ("1.000001 MB", "1.000000 MB")),
            (Unit::Seconds, 725.4, 725.0, ("725.4 s", "725.0 s")),
            (Unit::Microseconds, 20_049.0, 20_000.0, ("20.05 ms", "20.00 ms")),
            (Unit::Microseconds, 40.01, 40.02, ("40.01 µs", "40.02 µs")),
            (Unit::Share, 0.2001, 0.2, ("20.01 %", "20.00 %")),
            (Unit::Count, 3.0, 4.0, ("3", "4")),
        ] {
            let (one, other) = pair(unit, measured, wanted);
            assert_eq!((one.as_str(), other.as_str()), expected);
        }
    }
}
