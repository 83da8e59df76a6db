//! Numbers and what can be done with two of them.
//!
//! A fraction stays a fraction while it is not too long, so that no operation can take long; then, and where there is no
//! fraction, it goes on as a floating-point number.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};

use super::error::CalculateError;

/// The most binary digits above or below a fraction's bar: about 1200 decimal ones.
const BITS: u64 = 4096;

/// A number.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Number {
    /// What it is.
    Exact(BigRational),
    /// What it is nearly. Always finite.
    Near(f64),
}

type Outcome = Result<Number, CalculateError>;

/// A fraction, or what it is nearly if it is too long.
pub(super) fn in_bounds(value: BigRational) -> Outcome {
    if bits(&value) <= BITS {
        Ok(Number::Exact(value))
    } else {
        near(to_float(&value)?)
    }
}

/// A floating-point number, if it is one.
pub(super) fn near(value: f64) -> Outcome {
    if value.is_nan() {
        Err(CalculateError::NotReal)
    } else if value.is_infinite() {
        Err(CalculateError::TooLarge)
    } else {
        Ok(Number::Near(value))
    }
}

fn bits(value: &BigRational) -> u64 {
    value.numer().bits().max(value.denom().bits())
}

fn to_float(value: &BigRational) -> Result<f64, CalculateError> {
    match value.to_f64() {
        Some(near) if near == 0.0 && !value.is_zero() => Err(CalculateError::TooSmall),
        Some(near) if near.is_finite() => Ok(near),
        _ => Err(CalculateError::TooLarge),
    }
}

impl Number {
    pub(super) fn whole(value: impl Into<BigInt>) -> Self {
        Self::Exact(BigRational::from_integer(value.into()))
    }

    pub(super) fn to_float(&self) -> Result<f64, CalculateError> {
        match self {
            Self::Exact(value) => to_float(value),
            Self::Near(value) => Ok(*value),
        }
    }

    /// The whole number that it is, if it is one.
    pub(super) fn as_whole(&self) -> Option<&BigInt> {
        match self {
            Self::Exact(value) if value.is_integer() => Some(value.numer()),
            _ => None,
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Exact(value) => value.is_zero(),
            Self::Near(value) => *value == 0.0,
        }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(-value),
            Self::Near(value) => Self::Near(-value),
        }
    }

    pub(super) fn add(&self, other: &Self) -> Outcome {
        match (self, other) {
            (Self::Exact(one), Self::Exact(two)) => in_bounds(one + two),
            _ => near(self.to_float()? + other.to_float()?),
        }
    }

    pub(super) fn subtract(&self, other: &Self) -> Outcome {
        self.add(&other.clone().negated())
    }

    pub(super) fn multiply(&self, other: &Self) -> Outcome {
        match (self, other) {
            (Self::Exact(one), Self::Exact(two)) => in_bounds(one * two),
            _ => near(self.to_float()? * other.to_float()?),
        }
    }

    pub(super) fn divide(&self, other: &Self) -> Outcome {
        if other.is_zero() {
            return Err(CalculateError::DivisionByZero);
        }
        match (self, other) {
            (Self::Exact(one), Self::Exact(two)) => in_bounds(one / two),
            _ => near(self.to_float()? / other.to_float()?),
        }
    }

    /// What is left of a division by whole steps; it has the sign of the divisor.
    pub(super) fn remainder(&self, other: &Self) -> Outcome {
        if other.is_zero() {
            return Err(CalculateError::DivisionByZero);
        }
        if let (Self::Exact(one), Self::Exact(two)) = (self, other) {
            return in_bounds(one - (one / two).floor() * two);
        }
        let (one, two) = (self.to_float()?, other.to_float()?);
        near(one - (one / two).floor() * two)
    }

    pub(super) fn power(&self, exponent: &Self) -> Outcome {
        if self.is_zero() && exponent.compare(&Self::whole(0))? == Ordering::Less {
            return Err(CalculateError::DivisionByZero);
        }
        if let (Self::Exact(base), Some(whole)) = (self, exponent.as_whole())
            && let Some(power) = exact_power(base, whole)
        {
            return in_bounds(power);
        }
        match self.to_float()?.powf(exponent.to_float()?) {
            // the floating-point number has come to its end, and the power has not
            power if power == 0.0 && !self.is_zero() => Err(CalculateError::TooSmall),
            power => near(power),
        }
    }

    pub(super) fn compare(&self, other: &Self) -> Result<Ordering, CalculateError> {
        match (self, other) {
            (Self::Exact(one), Self::Exact(two)) => Ok(one.cmp(two)),
            _ => Ok(self.to_float()?.total_cmp(&other.to_float()?)),
        }
    }
}

/// The power of a fraction, unless it would be too long; known before it is made.
fn exact_power(base: &BigRational, exponent: &BigInt) -> Option<BigRational> {
    if base.is_zero() {
        let one = BigInt::from(exponent.is_zero());
        return Some(BigRational::from_integer(one));
    }
    if base.abs().is_one() {
        let is_odd = exponent.bit(0);
        return Some(if is_odd { base.clone() } else { BigRational::one() });
    }
    let times = exponent.to_i32()?;
    // a number of n bits is at least 2^(n-1)
    let least = bits(base)
        .saturating_sub(1)
        .max(1)
        .checked_mul(times.unsigned_abs().into())?;
    (least <= BITS).then(|| base.pow(times))
}
