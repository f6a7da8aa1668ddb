//! Numbers as a sentence carries them: three significant digits, decimal prefixes, network units.

/// `3.14 MB`; a million octets are a megabyte.
pub(super) fn octets(octets: f64) -> String {
    scaled(octets, &["B", "kB", "MB", "GB", "TB"])
}

/// `110 Mbit/s`.
pub(super) fn rate(bits_per_second: f64) -> String {
    scaled(bits_per_second, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"])
}

/// `228 ms`.
pub(super) fn time(time: f64) -> String {
    match time {
        t if t >= 1.0 => format!("{} s", digits(t)),
        t if t >= 1e-3 => format!("{} ms", digits(t * 1e3)),
        t => format!("{} us", digits(t * 1e6)),
    }
}

/// `71 %`.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 1.0 {
        format!("{} %", digits(percent))
    } else {
        format!("{percent:.0} %")
    }
}

fn scaled(value: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut unit = units.first().copied().unwrap_or_default();
    for next in units.iter().skip(1) {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    format!("{} {unit}", digits(value))
}

/// Three significant digits, without a fraction from 100 on.
fn digits(value: f64) -> String {
    match value.abs() {
        v if v >= 99.95 || v == 0.0 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        v if v >= 0.995 => format!("{value:.2}"),
        _ => format!("{value:.2}"),
    }
}
