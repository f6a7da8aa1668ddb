//! How a figure is written, once for all texts: three significant digits and the unit that fits.
//! Decimal prefixes for octets and bits alike, as networks count.

pub(crate) use crate::units::count;
pub use crate::units::counted;
use crate::units::{Duration, as_f64};

/// `536 B`, `3.14 MB`.
pub(crate) fn bytes(count: u64) -> String {
    bytes_f64(as_f64(count))
}

/// The same for a mean.
pub(crate) fn bytes_f64(count: f64) -> String {
    scaled(count, ["B", "kB", "MB", "GB", "TB", "PB"])
}

/// `110 Mbit/s`.
pub(crate) fn rate(bits_per_second: f64) -> String {
    scaled(bits_per_second, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "Pbit/s"])
}

/// `110 → about 940 Mbit/s`, `990 kbit/s → about 9.40 Mbit/s`.
pub(crate) fn rates(now: f64, then: f64) -> String {
    joined(now, " → about ", then)
}

/// A range is too wide to tell anything where its ends lie further apart. Of 282 rates predicted for the
/// captures with truth the most doubtful may be 4.3 times as high as low; from the middle of a range of 20,
/// either end is that far off.
pub(super) const TELLING_MAX: f64 = 20.0;

/// `1.15 → at least 9.47 Mbit/s, perhaps 297 Mbit/s or more`: of what nothing bounds. That it is at least
/// what it is now need not be said.
pub(crate) fn rates_at_least(now: f64, least: f64, perhaps: f64) -> String {
    if rate(now) == rate(least) && rate(least) != rate(perhaps) {
        return format!("{} or more", joined(now, " → perhaps ", perhaps));
    }
    let sure = joined(now, " → at least ", least);
    if rate(least) == rate(perhaps) || perhaps > TELLING_MAX * least {
        return sure;
    }
    format!("{sure}, perhaps {} or more", rate(perhaps))
}

/// `18.0 → perhaps 21.3 Mbit/s`: what is in doubt.
pub(crate) fn rates_perhaps(now: f64, then: f64) -> String {
    joined(now, " → perhaps ", then)
}

/// `34.8 to 50.8 Mbit/s`.
pub(crate) fn rate_range(low: f64, high: f64) -> String {
    joined(low, " to ", high)
}

/// Two rates; a unit that is the same stands once.
fn joined(first: f64, between: &str, second: f64) -> String {
    let (first, second) = (rate(first), rate(second));
    let unit = |text: &str| text.split_once(' ').map(|(_, unit)| unit.to_owned());
    let bare = first.split_once(' ').filter(|_| unit(&first) == unit(&second));
    format!("{}{between}{second}", bare.map_or(first.as_str(), |(number, _)| number))
}

/// `228 ms`, `30.1 s`, `12 min 5 s`, `3 h 2 min`, `9 years 314 days`; what most captures cannot tell is
/// `< 1 µs`.
pub(crate) fn seconds(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "?".to_owned();
    }
    if seconds >= 59.95 {
        return minutes(seconds);
    }
    let micros = seconds * 1e6;
    if seconds <= 0.0 {
        "0 s".to_owned()
    } else if micros < 0.5 {
        "< 1 µs".to_owned()
    } else if micros < 999.5 {
        format!("{} µs", three_digits(micros))
    } else if micros < 999_500.0 {
        format!("{} ms", three_digits(micros / 1e3))
    } else {
        format!("{} s", three_digits(seconds))
    }
}

/// A time of a flow, as `--at` takes it: in seconds however late, to a millisecond, or to a microsecond
/// where what is there lasts less than ten of them.
pub(crate) fn instant(at_s: f64, length_s: f64) -> String {
    if length_s < 0.01 { format!("{at_s:.6} s") } else { format!("{at_s:.3} s") }
}

/// [`seconds`] of a number of microseconds.
pub(crate) fn micros(micros: f64) -> String {
    seconds(micros / 1e6)
}

/// `71 %`, `0.04 %`.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent <= 0.0 || !percent.is_finite() {
        "0 %".to_owned()
    } else if percent < 0.01 {
        "< 0.01 %".to_owned()
    } else if percent < 0.095 {
        format!("{percent:.2} %")
    } else if percent < 0.95 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.0} %")
    }
}

fn minutes(seconds: f64) -> String {
    // Rounded once, so that 59.95 s is "1 min" and never "0 min 60 s".
    let whole = Duration::try_from_secs_f64(seconds.round()).unwrap_or_default().as_secs();
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    match (hours, minutes, seconds) {
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours @ TWO_DAYS.., ..) => days(hours),
        (hours, 0, _) => format!("{} h", count(hours)),
        (hours, minutes, _) => format!("{} h {minutes} min", count(hours)),
    }
}

/// Less reads better in hours.
const TWO_DAYS: u64 = 48;

/// `3 days 18 h`, `9 years 314 days`.
fn days(hours: u64) -> String {
    let (days, hours) = (hours / 24, hours % 24);
    match (days / 365, days % 365, hours) {
        (0, days, 0) => counted(days, "day"),
        (0, days, hours) => format!("{} {hours} h", counted(days, "day")),
        (years, 0, _) => counted(years, "year"),
        (years, days, _) => format!("{} {}", counted(years, "year"), counted(days, "day")),
    }
}

/// `units`: one, thousand, million and so on.
fn scaled(value: f64, units: [&str; 6]) -> String {
    if !value.is_finite() {
        return "?".to_owned();
    }
    if value < 999.5 && (value - value.round()).abs() < 1e-9 {
        // A count, not a measure.
        return format!("{value:.0} {}", units.first().copied().unwrap_or_default());
    }
    if value > 0.0 && value < 0.005 {
        return format!("< 0.01 {}", units.first().copied().unwrap_or_default());
    }
    let mut value = value;
    let mut unit = "";
    for (step, name) in units.iter().enumerate() {
        if step > 0 {
            value /= 1000.0;
        }
        unit = name;
        if value < 999.5 {
            break;
        }
    }
    format!("{} {unit}", three_digits(value))
}

/// Three significant digits.
fn three_digits(value: f64) -> String {
    if value >= 99.95 || value == 0.0 {
        format!("{value:.0}")
    } else if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_three_digits_and_never_1000_of_a_unit() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(536), "536 B");
        assert_eq!(bytes(999_499), "999 kB");
        assert_eq!(bytes(999_500), "1.00 MB");
        assert_eq!(bytes(3_141_593), "3.14 MB");
        assert_eq!(bytes(u64::MAX), "18447 PB");
        assert_eq!(rate(109_600_000.0), "110 Mbit/s");
        assert_eq!(rate(f64::NAN), "?");
        assert_eq!((rate(0.0).as_str(), rate(0.000_2).as_str()), ("0 bit/s", "< 0.01 bit/s"));
        assert_eq!(rates(109.6e6, 940e6), "110 → about 940 Mbit/s");
        assert_eq!(rate_range(34.8e6, 50.8e6), "34.8 to 50.8 Mbit/s");
        assert_eq!(rates(0.99e6, 9.4e6), "990 kbit/s → about 9.40 Mbit/s");
    }

    #[test]
    fn times_take_the_unit_that_fits() {
        assert_eq!(seconds(0.0), "0 s");
        assert_eq!(seconds(0.000_04), "40.0 µs");
        assert_eq!(seconds(0.000_999_7), "1.00 ms");
        assert_eq!(seconds(0.2281), "228 ms");
        assert_eq!(seconds(0.999_9), "1.00 s");
        assert_eq!(seconds(59.96), "1 min");
        assert_eq!(seconds(725.4), "12 min 5 s");
        assert_eq!(seconds(10_921.0), "3 h 2 min");
        assert_eq!(seconds(90.0 * 3600.0), "3 days 18 h");
        assert_eq!(seconds(86_378.0 * 3600.0), "9 years 314 days");
        assert_eq!(seconds(f64::INFINITY), "?");
        assert_eq!(micros(228_100.0), "228 ms");
    }

    #[test]
    fn a_small_share_is_not_called_nothing() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.000_01), "< 0.01 %");
        assert_eq!(percent(0.000_4), "0.04 %");
        assert_eq!(percent(0.004), "0.4 %");
        assert_eq!(percent(0.714), "71 %");
        assert_eq!(percent(1.0), "100 %");
    }
}
