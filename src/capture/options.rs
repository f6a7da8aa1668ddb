//! Options of pcapng blocks (draft-ietf-opsawg-pcapng section 3.5), in the section's byte order.

use pcap_parser::nom::IResult;
use pcap_parser::nom::error::Error;
use pcap_parser::{PcapNGOption, parse_option_be, parse_option_le};

/// The byte order of a section.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    #[default]
    Little,
    Big,
}

impl Order {
    /// From the byte-order mark of a section header.
    pub(super) fn from_mark(mark: [u8; 4]) -> Option<Self> {
        match mark {
            [0x4d, 0x3c, 0x2b, 0x1a] => Some(Self::Little),
            [0x1a, 0x2b, 0x3c, 0x4d] => Some(Self::Big),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn u16(self, octets: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(octets),
            Self::Big => u16::from_be_bytes(octets),
        }
    }

    #[inline]
    pub(super) fn u32(self, octets: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(octets),
            Self::Big => u32::from_be_bytes(octets),
        }
    }

    /// `None` if the option is not eight octets long.
    pub(super) fn u64(self, octets: &[u8]) -> Option<u64> {
        let octets = <[u8; 8]>::try_from(octets).ok()?;
        Some(match self {
            Self::Little => u64::from_le_bytes(octets),
            Self::Big => u64::from_be_bytes(octets),
        })
    }
}

/// An option list that runs out of its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadOption;

/// The options of `block`, which begin at `from` and end before the block's trailing length.
pub(super) fn options(block: &[u8], from: usize, order: Order) -> Options<'_> {
    let end = block.len().saturating_sub(4);
    Options { rest: block.get(from..end).unwrap_or_default(), order }
}

/// Gives code and value of each; ends at `opt_endofopt`, the block's end, or a bad one.
pub(super) struct Options<'a> {
    rest: &'a [u8],
    order: Order,
}

impl<'a> Iterator for Options<'a> {
    type Item = Result<(u16, &'a [u8]), BadOption>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let octets = std::mem::take(&mut self.rest);
        let parsed: IResult<_, PcapNGOption<'a>, Error<_>> = match self.order {
            Order::Little => parse_option_le(octets),
            Order::Big => parse_option_be(octets),
        };
        let Ok((rest, option)) = parsed else {
            return Some(Err(BadOption));
        };
        if option.code.0 == 0 {
            return None;
        }
        self.rest = rest;
        // Behind code and length; pcap-parser gives it with its padding.
        let value = octets.get(4..).and_then(|value| value.get(..usize::from(option.len)));
        Some(value.map(|value| (option.code.0, value)).ok_or(BadOption))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block with this option region at 4.
    fn read(region: &[u8]) -> Vec<Result<(u16, Vec<u8>), BadOption>> {
        let block = [&[0; 4], region, &[0; 4]].concat();
        options(&block, 4, Order::Big).map(|o| o.map(|(code, v)| (code, v.to_vec()))).collect()
    }

    #[test]
    fn options_end_at_their_end_mark_or_with_the_block() {
        let first = [0, 9, 0, 1, 6, 0, 0, 0];
        assert_eq!(read(&first), [Ok((9, vec![6]))]);
        assert_eq!(read(&[&first[..], &[0; 4], &[0xff; 4]].concat()), [Ok((9, vec![6]))]);
        assert_eq!(read(&[]), []);
    }

    #[test]
    fn an_option_longer_than_its_block_is_bad() {
        assert_eq!(read(&[0, 9, 0, 5, 1, 2, 3, 4]), [Err(BadOption)]);
        assert_eq!(read(&[0, 9]), [Err(BadOption)]);
    }
}
