//! Floats as decimals without an exponent, rounded as `format!` rounds: by the exact value, half to even.
//!
//! A report of many flows holds millions of them, most of them 0 or with few digits. Where one
//! multiplication or division by a power of ten, whose error is known, leaves no doubt about the last
//! digit, no exact arithmetic is needed; in doubt the standard library decides.

use std::io::{self, Write};

use crate::units::as_f64;

/// Six significant digits.
pub(in crate::report) fn six_digits<W: ?Sized + Write>(value: f64, out: &mut W) -> io::Result<()> {
    match scaled_to_six_digits(value.abs()) {
        Some((digits, decimals)) => write_decimal(value < 0.0, digits, decimals, out),
        None => write_shortest(format!("{value:.5e}").parse().unwrap_or(value), out),
    }
}

/// Six decimals.
pub(in crate::report) fn six_decimals<W: ?Sized + Write>(
    value: f64,
    out: &mut W,
) -> io::Result<()> {
    match rounded(value.abs() * 1e6).filter(|digits| *digits < SCALED_MAX) {
        Some(digits) => write_decimal(value < 0.0, digits, 6, out),
        None => write_shortest(format!("{value:.6}").parse().unwrap_or(value), out),
    }
}

/// Above it a product's error could reach [`DOUBT`]: half of a 2^53rd of it, and there is room to spare.
const SCALED_MAX: u64 = 1_000_000_000_000;

/// A scaled value that is as near to the middle between two integers may lie on either side.
const DOUBT: f64 = 1e-3;

/// Powers of ten that have no error of their own (10^22 is the last one), as far as they are of use.
const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Most decimals that a value is scaled by.
const DECIMALS_MAX: usize = POWERS.len() - 1;

/// The nearest integer, unless in doubt, and its number of decimals; of a value from 10^-9 to 10^12.
fn scaled_to_six_digits(value: f64) -> Option<(u64, usize)> {
    if value == 0.0 {
        return Some((0, 0));
    }
    if value >= 1e6 {
        let power = POWERS.iter().take(7).find(|power| value < 1e6 * **power)?;
        let digits = rounded(value / power)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "up to 10^6")]
        return Some((digits.checked_mul(*power as u64)?, 0));
    }
    let decimals = POWERS.iter().position(|power| value * power >= 1e5)?;
    Some((rounded(value * POWERS.get(decimals)?)?, decimals))
}

/// Of a value that was scaled.
fn rounded(scaled: f64) -> Option<u64> {
    if scaled >= 2e12 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2 * 10^12")]
    let whole = scaled as u64;
    let part = scaled - as_f64(whole);
    if (part - 0.5).abs() <= DOUBT {
        return None;
    }
    Some(whole.saturating_add(u64::from(part > 0.5)))
}

/// `digits` over 10^`decimals`, without zeros at the end of a fraction.
fn write_decimal<W: ?Sized + Write>(
    is_negative: bool,
    digits: u64,
    decimals: usize,
    out: &mut W,
) -> io::Result<()> {
    if digits == 0 {
        return out.write_all(b"0");
    }
    // Twenty digits of the integer, a point, and as many zeros before it as there are decimals.
    let mut text = [b'0'; 20 + 1 + DECIMALS_MAX + 1];
    let mut at = text.len();
    let (mut left, mut decimals) = (digits, decimals);
    while decimals > 0 && left % 10 == 0 {
        (left, decimals) = (left / 10, decimals.saturating_sub(1));
    }
    let mut put = |octet: u8| {
        at = at.saturating_sub(1);
        if let Some(place) = text.get_mut(at) {
            *place = octet;
        }
    };
    let has_fraction = decimals > 0;
    loop {
        put(b'0'.saturating_add((left % 10) as u8));
        left /= 10;
        if has_fraction && decimals > 0 {
            decimals = decimals.saturating_sub(1);
            if decimals == 0 {
                put(b'.');
                continue;
            }
        }
        if left == 0 && decimals == 0 {
            break;
        }
    }
    if is_negative {
        put(b'-');
    }
    out.write_all(text.get(at..).unwrap_or_default())
}

/// The shortest decimal that reads back as the same number, never with an exponent and without ".0".
fn write_shortest<W: ?Sized + Write>(value: f64, out: &mut W) -> io::Result<()> {
    // Adding 0.0 turns -0 into 0.
    write!(out, "{}", value + 0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type WriteNumber = fn(f64, &mut Vec<u8>) -> io::Result<()>;

    fn text(write: WriteNumber, value: f64) -> String {
        let mut out = Vec::new();
        write(value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn assert_as_the_standard_library(value: f64) {
        let shortest = |rounded: String| format!("{}", rounded.parse::<f64>().unwrap() + 0.0);
        assert_eq!(text(six_digits, value), shortest(format!("{value:.5e}")), "{value:e}");
        assert_eq!(text(six_decimals, value), shortest(format!("{value:.6}")), "{value:e}");
    }

    #[test]
    fn edges_and_ties() {
        let edges = [
            0.0,
            -0.0,
            1.0,
            0.5,
            1e-7,
            5e-7,
            1.5e-6,
            2.5e-6,
            999_999.5,
            999_999.4,
            9_999_995.0,
            99_999.95,
            100_000.5,
            100_001.5,
            1_000_005.0,
            123_456_500.0,
            1e12,
            1e15,
            1e22,
            1e300,
            1e-300,
            f64::MAX,
            f64::MIN_POSITIVE,
            0.1,
            0.2 + 0.1,
            1.0 / 3.0,
            2_000_000.000_000_5,
        ];
        for value in edges {
            assert_as_the_standard_library(value);
            assert_as_the_standard_library(-value);
        }
    }

    #[test]
    fn halves_go_where_the_standard_library_puts_them() {
        for thousandths in 0..200_000_u32 {
            assert_as_the_standard_library(f64::from(thousandths) / 64.0 * 1e-5);
            assert_as_the_standard_library(f64::from(thousandths) * 0.5 + 1e5);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn any_value_is_written_as_by_the_standard_library(bits: u64, whole in 0..10_u64.pow(13), by in 0..14) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                assert_as_the_standard_library(value);
            }
            #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
            let whole = whole as f64;
            assert_as_the_standard_library(whole / 10_f64.powi(by));
            assert_as_the_standard_library(-whole * 10_f64.powi(by));
        }
    }
}
