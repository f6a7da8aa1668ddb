//! TCP options: MSS and end of list (RFC 9293 section 3.2), window scale and timestamps (RFC 7323),
//! SACK (RFC 2018), whether there is one of multipath TCP (RFC 8684). Others are passed over.

use super::{SackList, TcpOptions, TcpTimestamps};
use crate::units::{SeqNum, WindowShift};

const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const MULTIPATH: u8 = 30;

/// Nearly all segments of a connection that has timestamps have them alone (RFC 7323 appendix A).
const TIMESTAMPS_ALONE: [u8; 4] = [NO_OPERATION, NO_OPERATION, TIMESTAMPS, 10];

/// Reads the `options`, which are none yet, of a header of `header_len` octets; `bytes` starts right
/// after its fixed part.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a few comparisons for nearly all segments")]
pub(super) fn parse(bytes: &[u8], header_len: u32, options: &mut TcpOptions) {
    if header_len == 20 {
        return;
    }
    let usual = bytes.first_chunk::<12>().and_then(|usual| usual.split_first_chunk::<4>());
    match usual.filter(|(kinds, _)| header_len == 32 && **kinds == TIMESTAMPS_ALONE) {
        Some((_, pair)) => {
            options.timestamps = numbers(pair).map(|(value, echo)| TcpTimestamps { value, echo });
        }
        None => *options = parse_some(bytes, header_len),
    }
}

/// The same for any options.
#[inline(never)]
fn parse_some(bytes: &[u8], header_len: u32) -> TcpOptions {
    let len = (header_len as usize).saturating_sub(20);
    let (options, is_snapped) = bytes.get(..len).map_or((bytes, true), |options| (options, false));
    parse_each(options, is_snapped)
}

/// One option after the other.
pub(super) fn parse_each(mut rest: &[u8], is_snapped: bool) -> TcpOptions {
    let mut options = TcpOptions { is_cut: is_snapped, ..TcpOptions::default() };
    while let Some((&kind, after)) = rest.split_first() {
        match kind {
            END => break,
            NO_OPERATION => rest = after,
            _ => {
                let Some((body, next)) = split_body(after) else {
                    if is_snapped {
                        read_cut(kind, after, &mut options);
                    }
                    options.is_cut = true;
                    break;
                };
                read(kind, body, &mut options);
                rest = next;
            }
        }
    }
    options
}

/// Splits off an option's body by its length octet, which counts kind and itself.
fn split_body(after_kind: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&len, rest) = after_kind.split_first()?;
    rest.split_at_checked(usize::from(len).checked_sub(2)?)
}

fn read(kind: u8, body: &[u8], options: &mut TcpOptions) {
    match (kind, body) {
        (MSS, &[high, low]) => options.mss = Some(u16::from_be_bytes([high, low])),
        (WINDOW_SCALE, &[shift]) => options.window_shift = Some(WindowShift::new(shift)),
        (SACK_PERMITTED, []) => options.is_sack_permitted = true,
        (MULTIPATH, _) => options.is_multipath = true,
        (SACK, blocks) => options.sack = sack(blocks),
        (TIMESTAMPS, pair) if pair.len() == 8 => {
            options.timestamps = numbers(pair).map(|(value, echo)| TcpTimestamps { value, echo });
        }
        _ => {}
    }
}

/// Of an option that the snap length cut, whole SACK blocks are still good.
fn read_cut(kind: u8, after_kind: &[u8], options: &mut TcpOptions) {
    if let (SACK, Some((_, blocks))) = (kind, after_kind.split_first()) {
        options.sack = sack(blocks);
    }
}

fn sack(blocks: &[u8]) -> SackList {
    let mut list = SackList::default();
    for block in blocks.chunks_exact(8) {
        if let Some((left, right)) = numbers(block) {
            list.push(SeqNum(left), SeqNum(right));
        }
    }
    list
}

/// Two numbers of 32 bits.
fn numbers(octets: &[u8]) -> Option<(u32, u32)> {
    let (first, rest) = octets.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*first), u32::from_be_bytes(*rest.first_chunk::<4>()?)))
}
