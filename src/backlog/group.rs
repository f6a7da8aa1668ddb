//! Eight numbers in as few octets as they need: how many each has, in four bits each, then those octets,
//! the lowest first. A number that is zero has none. There is nothing to decide on the way, so that steps of
//! other lengths cost no wrong guesses.

/// So many numbers.
pub(super) const NUMBERS: usize = 8;

const LENGTHS_LEN: usize = size_of::<u32>();

/// Octets that are to stand behind the last group: its last number is read as a whole one.
pub(super) const BEHIND: usize = size_of::<u64>();

/// Writes them to the front of `room`; how many octets they took, `None` if there is too little room: what
/// lies behind them, up to a whole number, is overwritten. Reading back at once what was written in parts
/// would wait for it, so that nothing is made elsewhere and copied.
#[inline]
pub(super) fn put(room: &mut [u8], numbers: &[u64; NUMBERS]) -> Option<usize> {
    let (mut lengths, mut len) = (0_u32, LENGTHS_LEN);
    for (nth, number) in (0_u32..).zip(numbers) {
        *room.get_mut(len..)?.first_chunk_mut()? = number.to_le_bytes();
        let significant = u64::BITS.wrapping_sub(number.leading_zeros());
        let length = significant.div_ceil(u8::BITS);
        lengths |= length.wrapping_shl(nth.wrapping_mul(4));
        len = len.wrapping_add(length as usize);
    }
    *room.first_chunk_mut()? = lengths.to_le_bytes();
    Some(len)
}

/// Takes the group that stands in front, with the room behind it that it was written to.
#[inline]
pub(super) fn take(octets: &mut &[u8]) -> [u64; NUMBERS] {
    let mut lengths = u32::from_le_bytes(octets.first_chunk().copied().unwrap_or_default());
    let mut rest = octets.get(LENGTHS_LEN..).unwrap_or_default();
    let mut numbers = [0; NUMBERS];
    for number in &mut numbers {
        let length = (lengths & 0xf) as usize;
        lengths >>= 4;
        let chunk = u64::from_le_bytes(rest.first_chunk().copied().unwrap_or_default());
        *number = chunk & MASKS.get(length).copied().unwrap_or_default();
        rest = rest.get(length..).unwrap_or_default();
    }
    *octets = rest;
    numbers
}

/// The bits of so many octets.
const MASKS: [u64; 16] = [
    0,
    0xff,
    0xffff,
    0xff_ffff,
    0xffff_ffff,
    0xff_ffff_ffff,
    0xffff_ffff_ffff,
    0xff_ffff_ffff_ffff,
    u64::MAX,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
];

/// How far a number is from `last`, either way, as a number that is small where that is short.
#[inline]
pub(super) fn signed(number: u64, last: u64) -> u64 {
    let difference = number.wrapping_sub(last);
    let sign = (difference >> 63).wrapping_neg();
    difference << 1 ^ sign
}

/// The number that is so far from `last`.
#[inline]
pub(super) fn unsigned(distance: u64, last: u64) -> u64 {
    let sign = (distance & 1).wrapping_neg();
    last.wrapping_add(distance >> 1 ^ sign)
}

#[cfg(test)]
#[expect(clippy::arithmetic_side_effects, reason = "test code")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_put_is_taken(groups: Vec<([u64; NUMBERS], [u8; NUMBERS], u64)>) {
            let cut = |(numbers, bits, _): &([u64; NUMBERS], [u8; NUMBERS], u64)| {
                let mut numbers = *numbers;
                for (number, bits) in numbers.iter_mut().zip(bits) {
                    *number >>= bits % 64;
                }
                numbers
            };
            let mut room = vec![0; groups.len().saturating_mul(160)];
            let mut used = 0;
            for group in &groups {
                let distances = cut(group).map(|number| signed(number, group.2));
                for numbers in [cut(group), distances] {
                    used += put(&mut room[used..], &numbers).unwrap();
                }
            }
            let mut left = room.as_slice();
            for group in &groups {
                prop_assert_eq!(take(&mut left), cut(group));
                let taken = take(&mut left).map(|distance| unsigned(distance, group.2));
                prop_assert_eq!(taken, cut(group));
            }
            prop_assert_eq!(left.len(), room.len() - used);
        }
    }

    #[test]
    fn what_is_near_takes_one_octet() {
        for (number, last) in [(5, 68), (68, 5), (0, 63), (u64::MAX, 10)] {
            let numbers = [signed(number, last), 0, 0, 0, 0, 0, 0, 0];
            assert_eq!(put(&mut [0; 16], &numbers), Some(LENGTHS_LEN + 1), "{number} after {last}");
            assert_eq!(put(&mut [0; 12], &numbers), None, "no room for a whole number");
        }
    }
}
