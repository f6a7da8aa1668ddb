//! Numbers in as few octets as they need: seven bits in each, the lowest first, the eighth set where more
//! follow.

/// Adds a number.
#[inline]
pub(super) fn put(octets: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            octets.push(low);
            return;
        }
        octets.push(low | 1 << 7);
    }
}

/// Takes the number that stands in front; 0 where nothing does.
#[inline]
pub(super) fn take(octets: &mut &[u8]) -> u64 {
    let Some((&low, rest)) = octets.split_first() else { return 0 };
    *octets = rest;
    if low >> 7 == 0 { u64::from(low) } else { take_more(octets, low) }
}

/// Goes on with a number after its first octet.
#[inline]
fn take_more(octets: &mut &[u8], first: u8) -> u64 {
    let (mut number, mut shift) = (u64::from(first & 0x7f), 7_u32);
    while let Some((&low, rest)) = octets.split_first() {
        *octets = rest;
        // No number has more than ten octets.
        number |= u64::from(low & 0x7f).wrapping_shl(shift);
        shift = shift.wrapping_add(7);
        if low >> 7 == 0 {
            break;
        }
    }
    number
}

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
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_put_is_taken(numbers: Vec<(u64, u64)>) {
            let mut octets = Vec::new();
            for (number, last) in &numbers {
                put(&mut octets, *number);
                put(&mut octets, signed(*number, *last));
            }
            let mut left = octets.as_slice();
            for (number, last) in numbers {
                prop_assert_eq!(take(&mut left), number);
                prop_assert_eq!(unsigned(take(&mut left), last), number);
            }
            prop_assert!(left.is_empty());
        }
    }

    #[test]
    fn what_is_near_takes_one_octet() {
        for (number, last) in [(5, 5), (5, 68), (68, 5), (0, 63), (u64::MAX, 10)] {
            let mut octets = Vec::new();
            put(&mut octets, signed(number, last));
            assert_eq!(octets.len(), 1, "{number} after {last}");
        }
    }
}
