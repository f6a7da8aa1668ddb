//! A connection's time as a strip of letters, one per column.

use crate::model::{Interval, Limit};

/// For each of `columns` equal parts of the time between `from` and `to` (seconds) the limit that
/// held longest in it; `None` where no interval lies. Empty without a duration.
pub(crate) fn strip(
    intervals: &[Interval],
    (from, to): (f64, f64),
    columns: usize,
) -> Vec<Option<Limit>> {
    if to <= from || intervals.is_empty() {
        return Vec::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "a page has far fewer than 2^53 columns")]
    let scale = columns as f64 / (to - from);
    let mut held = vec![[0.0; Limit::ALL.len()]; columns];
    // An interval without a length, or with a time that is no number, shows nowhere.
    for interval in intervals.iter().filter(|it| it.end_s > it.start_s) {
        add(&mut held, interval, (from, scale));
    }
    held.iter().map(longest).collect()
}

/// Adds the interval's part of each column that it touches.
fn add(held: &mut [[f64; Limit::ALL.len()]], interval: &Interval, (from, scale): (f64, f64)) {
    let (start, end) = ((interval.start_s - from) * scale, (interval.end_s - from) * scale);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float cast saturates, and the columns end the loop"
    )]
    let first = start as usize;
    let place = Limit::ALL.iter().position(|limit| *limit == interval.limit);
    let mut left = start.floor().max(0.0);
    for column in held.iter_mut().skip(first) {
        if left >= end {
            return;
        }
        if let Some(time) = place.and_then(|place| column.get_mut(place)) {
            *time += end.min(left + 1.0) - start.max(left);
        }
        left += 1.0;
    }
}

fn longest(held: &[f64; Limit::ALL.len()]) -> Option<Limit> {
    let most = Limit::ALL.iter().zip(held).rev().max_by(|a, b| a.1.total_cmp(b.1));
    most.filter(|(_, time)| **time > 0.0).map(|(limit, _)| *limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(spans: &[(f64, f64, Limit)], columns: usize) -> String {
        let intervals: Vec<Interval> = spans
            .iter()
            .map(|&(start_s, end_s, limit)| Interval {
                start_s,
                end_s,
                limit,
                loss_episode: None,
                cause: None,
                first_frame: 1,
                last_frame: 2,
            })
            .collect();
        let letter = |limit: Option<Limit>| limit.map_or(' ', super::super::words::letter);
        strip(&intervals, (0.0, 10.0), columns).into_iter().map(letter).collect()
    }

    #[test]
    fn a_column_shows_what_held_longest_in_it() {
        use Limit::{Application, CongestionWindow, ReceiveWindow};
        let spans =
            [(0.0, 2.4, CongestionWindow), (2.4, 7.0, ReceiveWindow), (7.0, 10.0, Application)];
        assert_eq!(letters(&spans, 10), "CCRRRRRAAA");
        assert_eq!(letters(&spans, 2), "RA");
    }

    #[test]
    fn intervals_outside_the_connection_do_no_harm() {
        let spans = [(-5.0, 1.0, Limit::Application), (9.0, 1e300, Limit::Unknown)];
        assert_eq!(letters(&spans, 5), "A   ?");
        assert_eq!(letters(&[(f64::NAN, f64::NAN, Limit::Unknown)], 3), "   ");
    }
}
