//! Quantiles of what has weights.

/// The first of what comes in order, each with its weight, at which `share` of the `total` weight is reached;
/// the last where rounding leaves a little of it. `None` of nothing.
pub(crate) fn at_share<T>(
    sorted: impl IntoIterator<Item = (T, f64)>,
    total: f64,
    share: f64,
) -> Option<T> {
    let mut passed = 0.0;
    let mut last = None;
    for (value, weight) in sorted {
        passed += weight;
        last = Some(value);
        if passed >= share * total {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_count_not_entries() {
        let sorted = [('a', 1.0), ('b', 1.0), ('c', 8.0)];
        let at = |share| at_share(sorted, 10.0, share);
        assert_eq!([0.0, 0.1, 0.15, 0.5, 1.0].map(at), ['a', 'a', 'b', 'c', 'c'].map(Some));
        assert_eq!(at_share(sorted, 10.5, 1.0), Some('c'), "what is left over");
        assert_eq!(at_share([(); 0].map(|()| ('a', 1.0)), 0.0, 0.5), None);
    }
}
