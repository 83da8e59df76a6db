//! A number as the model reads it.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};

use super::number::Number;

/// The most decimal places that are written out.
const PLACES: u32 = 60;
/// So many digits of what has no end are shown.
const DIGITS: u32 = 15;
/// The longest fraction that is named beside its decimal form, in characters.
const FRACTION: usize = 40;

/// A number: whole and decimal ones as they are, others by their first digits, and said so.
pub(super) fn show(value: &Number) -> String {
    match value {
        Number::Exact(value) => exact(value),
        Number::Near(value) => format!(
            "about {}",
            BigRational::from_float(*value).map_or_else(String::new, |value| first_digits(&value))
        ),
    }
}

fn exact(value: &BigRational) -> String {
    if value.is_integer() {
        return value.numer().to_string();
    }
    if let Some(places) = places(value.denom()) {
        return decimal(value, places);
    }
    let about = first_digits(value);
    let fraction = value.to_string();
    if fraction.len() <= FRACTION {
        format!("about {about} (exactly {fraction})")
    } else {
        format!("about {about}")
    }
}

/// How many decimal places a fraction with this denominator has; `None`: no end of them, or too many.
fn places(denominator: &BigInt) -> Option<u32> {
    let (twos, rest) = factors(denominator, 2);
    let (fives, rest) = factors(&rest, 5);
    let places = twos.max(fives);
    (rest == BigInt::from(1) && places <= PLACES).then_some(places)
}

/// How often a small prime is a factor, up to one more than what counts, and what is left.
fn factors(number: &BigInt, prime: u32) -> (u32, BigInt) {
    let mut rest = number.clone();
    let mut times = 0;
    while times <= PLACES && (&rest % prime).is_zero() {
        rest /= prime;
        times += 1;
    }
    (times, rest)
}

/// With so many places; the last one is rounded.
fn decimal(value: &BigRational, places: u32) -> String {
    let scaled = value * BigRational::from_integer(BigInt::from(10).pow(places));
    let whole = scaled.round().to_integer();
    let sign = if whole.is_negative() { "-" } else { "" };
    let width = places as usize + 1;
    let digits = format!("{:0>width$}", whole.abs().to_string());
    let (before, behind) = digits
        .split_at_checked(digits.len() - places as usize)
        .unwrap_or((&digits, ""));
    let behind = behind.trim_end_matches('0');
    let point = if behind.is_empty() { "" } else { "." };
    format!("{sign}{before}{point}{behind}")
}

/// The first digits, with a power of ten where there would be many zeros.
fn first_digits(value: &BigRational) -> String {
    if value.is_zero() {
        return "0".to_owned();
    }
    let exponent = exponent(value);
    let last = i64::from(DIGITS) - 1;
    if (-6..last).contains(&exponent) {
        let places = last - exponent;
        return decimal(value, places.to_u32().unwrap_or(0));
    }
    let shown = decimal(&(value * power_of_ten(-exponent)), DIGITS - 1);
    format!("{shown}e{exponent}")
}

/// The power of ten of the first digit.
fn exponent(value: &BigRational) -> i64 {
    let length = |number: &BigInt| i64::try_from(number.abs().to_string().len()).unwrap_or(i64::MAX);
    let least = length(value.numer()) - length(value.denom());
    if value.abs() < power_of_ten(least) {
        least - 1
    } else {
        least
    }
}

fn power_of_ten(exponent: i64) -> BigRational {
    let power = BigInt::from(10).pow(u32::try_from(exponent.unsigned_abs()).unwrap_or(0));
    if exponent < 0 {
        BigRational::new(BigInt::from(1), power)
    } else {
        BigRational::from_integer(power)
    }
}
