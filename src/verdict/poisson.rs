//! How much does a small count tell?

/// The mean of a count of independent events lies in this range with 95 % (Poisson; Wilson and
/// Hilferty 1931, as in Breslow and Day, Statistical Methods in Cancer Research II, 1987, section
/// 2.3).
pub(super) fn range_of_mean(events: f64) -> [f64; 2] {
    let cube = |count: f64, sign: f64| {
        count * (1.0 - 1.0 / (9.0 * count) + sign * 1.96 / (3.0 * count.sqrt())).max(0.0).powi(3)
    };
    let low = if events > 0.0 { cube(events, -1.0) } else { 0.0 };
    [low, cube(events + 1.0, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of the Poisson distribution: 95 % ranges of 0, 1, 10 and 100 events.
    #[test]
    fn few_events_leave_a_wide_range() {
        for (events, want) in
            [(0.0, [0.0, 3.69]), (1.0, [0.025, 5.57]), (10.0, [4.80, 18.4]), (100.0, [81.4, 121.6])]
        {
            let [low, high] = range_of_mean(events);
            assert!((low - want[0]).abs() <= 0.03 * events, "{low} of {events}");
            assert!((high / want[1] - 1.0).abs() < 0.01, "{high} of {events}");
        }
    }
}
