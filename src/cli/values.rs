//! What options take: names, sizes, ranges.

use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::ValueEnum;
use tcplimit::report::Sort;
use tcplimit::{Memory, Method};

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum SortKey {
    /// Payload, largest first
    Bytes,
    /// Goodput, largest first
    Rate,
    /// Share of the limit, largest first
    Share,
    /// Share of bytes retransmitted, largest first
    Loss,
    /// Round-trip time, largest first
    Rtt,
    /// Stream number
    Stream,
}

impl From<SortKey> for Sort {
    fn from(key: SortKey) -> Self {
        match key {
            SortKey::Bytes => Self::Bytes,
            SortKey::Rate => Self::Rate,
            SortKey::Share => Self::Share,
            SortKey::Loss => Self::Loss,
            SortKey::Rtt => Self::Rtt,
            SortKey::Stream => Self::Stream,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum MethodName {
    /// Each wait is charged to what ended it
    Default,
    /// The 2007 paper's method, taken literally, beside the default
    Lu2007,
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Default => Self::Waits,
            MethodName::Lu2007 => Self::Lu2007,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[expect(clippy::doc_markdown, reason = "these comments are the help text")]
pub(super) enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// `none`, or octets: `1048576`, `256M`, `2G`, in powers of 1024.
pub(super) fn memory(text: &str) -> Result<Memory, String> {
    if text == "none" {
        return Ok(Memory::Unbounded);
    }
    let units = [("K", 10), ("M", 20), ("G", 30), ("T", 40)];
    let upper = text.trim().to_ascii_uppercase();
    let plain = upper.trim_end_matches('B').trim_end_matches('I');
    let found = units.iter().find_map(|(unit, bits)| Some((plain.strip_suffix(unit)?, *bits)));
    let (digits, bits) = found.unwrap_or((plain, 0));
    let octets = digits.trim().parse::<u64>().ok().and_then(|count| count.checked_mul(1 << bits));
    match octets {
        Some(octets) if octets >= MEMORY_MIN => Ok(Memory::AtMost(octets)),
        Some(_) => Err(format!("{text:?} is too little: 64M at least")),
        None => Err(format!("{text:?} is no size: give 256M, 2G, or none")),
    }
}

/// What one thread takes with a few thousand connections and their reports; less could not be kept to.
const MEMORY_MIN: u64 = 64 << 20;

/// `10`, `0`.
pub(super) fn count<N: FromStr>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| "expected a whole number, as 10".to_owned())
}

/// `1`, `10`; `N` holds no zero.
pub(super) fn some<N: FromStr>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| "expected a whole number from 1 on".to_owned())
}

/// `1000`. What stands for all points of a stretch of time are four.
pub(super) fn points(text: &str) -> Result<usize, String> {
    let number = count::<usize>(text).ok().filter(|number| *number >= 4);
    number.ok_or_else(|| "expected a whole number from 4 on".to_owned())
}

/// `3`.
pub(super) fn stream(text: &str) -> Result<u32, String> {
    let number = text.trim().parse();
    number.map_err(|_| format!("{text:?} is no stream number: give one as the report shows it"))
}

/// `3`, `10-19`.
pub(super) fn streams(text: &str) -> Result<RangeInclusive<u32>, String> {
    let number = |text: &str| {
        text.trim().parse::<u32>().map_err(|_| {
            format!("{text:?} is no stream number: give 3, 3,7 or 10-19 as the report shows them")
        })
    };
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    if first > last {
        return Err(format!("{first}-{last} is empty: the smaller number goes first"));
    }
    Ok(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_a_size_or_none() {
        assert_eq!(memory("none"), Ok(Memory::Unbounded));
        for text in ["256M", "256m", "256MiB", "268435456", "262144K"] {
            assert_eq!(memory(text), Ok(Memory::AtMost(256 << 20)), "{text}");
        }
        assert!(memory("1M").unwrap_err().contains("64M"));
        for text in ["", "M", "-1G", "a lot", "99999999999T"] {
            assert!(memory(text).unwrap_err().contains("no size"), "{text}");
        }
    }

    #[test]
    fn streams_are_numbers_or_ranges() {
        assert_eq!(streams("3"), Ok(3..=3));
        assert_eq!(streams("10-19"), Ok(10..=19));
        assert!(streams("19-10").unwrap_err().contains("empty"));
        assert!(streams("-1").is_err());
        assert!(streams("port").unwrap_err().contains("no stream number"));
    }
}
