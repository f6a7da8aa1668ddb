//! How are numbers of things written?

/// `812 345`.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().rev().enumerate() {
        if place > 0 && place % 3 == 0 {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped.chars().rev().collect()
}

/// `1 packet`, `2 000 packets`.
#[must_use]
pub fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!(count(999), "999");
        assert_eq!(count(812_345), "812 345");
        assert_eq!(counted(1, "packet"), "1 packet");
        assert_eq!(counted(2000, "packet"), "2 000 packets");
    }
}
