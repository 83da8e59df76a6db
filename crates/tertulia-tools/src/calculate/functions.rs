//! The functions and constants that an expression may name.

use std::cmp::Ordering;
use std::f64::consts;

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use num_traits::{Signed as _, ToPrimitive};

use super::error::CalculateError;
use super::number::{Number, in_bounds, near};

type Outcome = Result<Number, CalculateError>;

/// Below this a sine is the rounding error of its angle: sin(pi) is 0.
const NOTHING: f64 = 5e-16;

/// More digits than any integer of ours has: a factorial beyond is too large in any case.
const LARGEST_FACTORIAL: u32 = 600;

/// A number by its name.
pub(super) fn constant(name: &str) -> Outcome {
    near(match name {
        "pi" => consts::PI,
        "tau" => consts::TAU,
        "e" => consts::E,
        "phi" => consts::GOLDEN_RATIO,
        _ if is_function(name) => return Err(CalculateError::NeedsArguments(name.to_owned())),
        _ => return Err(unknown(name)),
    })
}

/// The value of a function.
pub(super) fn call(name: &str, arguments: &[Number]) -> Outcome {
    match (name, arguments) {
        ("min", [first, more @ ..]) => furthest(first, more, Ordering::Less),
        ("max", [first, more @ ..]) => furthest(first, more, Ordering::Greater),
        ("gcd", [one, two]) => Ok(Number::whole(gcd(&whole("gcd", one)?, &whole("gcd", two)?))),
        ("lcm", [one, two]) => lcm(&whole("lcm", one)?, &whole("lcm", two)?),
        ("round", [value]) => rounded(value, BigRational::round, f64::round),
        ("round", [value, digits]) => rounded_to(value, digits),
        ("log", [value, base]) => logarithm(value)?.divide(&logarithm(base)?),
        ("mod", [one, two]) => one.remainder(two),
        ("pow", [base, exponent]) => base.power(exponent),
        ("atan2", [y, x]) => near(y.to_float()?.atan2(x.to_float()?)),
        ("hypot", [x, y]) => root(&x.multiply(x)?.add(&y.multiply(y)?)?),
        (_, [value]) if OF_ONE.contains(&name) => of_one(name, value),
        _ if is_function(name) => Err(CalculateError::ArgumentCount {
            name: name.to_owned(),
            takes: takes(name),
            given: arguments.len(),
        }),
        _ => Err(unknown(name)),
    }
}

/// The functions of one number; `round` and `log` may have two.
const OF_ONE: [&str; 25] = [
    "sqrt",
    "cbrt",
    "abs",
    "sign",
    "floor",
    "ceil",
    "trunc",
    "factorial",
    "exp",
    "ln",
    "log",
    "log10",
    "log2",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "deg",
    "rad",
    "round",
];
const OF_TWO: [&str; 6] = ["gcd", "lcm", "mod", "pow", "atan2", "hypot"];
const OF_MANY: [&str; 2] = ["min", "max"];

fn is_function(name: &str) -> bool {
    OF_ONE.contains(&name) || OF_TWO.contains(&name) || OF_MANY.contains(&name)
}

fn takes(name: &str) -> &'static str {
    match name {
        "round" | "log" => "one or two numbers",
        _ if OF_TWO.contains(&name) => "two numbers",
        _ if OF_MANY.contains(&name) => "one number or more",
        _ => "one number",
    }
}

fn unknown(name: &str) -> CalculateError {
    CalculateError::UnknownName(name.chars().take(40).collect())
}

fn of_one(name: &str, value: &Number) -> Outcome {
    match name {
        "sqrt" => return root(value),
        "factorial" => return factorial(value),
        "ln" => return logarithm(value),
        "log" | "log10" => return positive(value).and_then(|value| near(value.log10())),
        "log2" => return positive(value).and_then(|value| near(value.log2())),
        "abs" => return rounded(value, BigRational::abs, f64::abs),
        "sign" => return sign(value),
        "floor" => return rounded(value, BigRational::floor, f64::floor),
        "ceil" => return rounded(value, BigRational::ceil, f64::ceil),
        "trunc" => return rounded(value, BigRational::trunc, f64::trunc),
        _ => {}
    }
    let value = value.to_float()?;
    near(match name {
        "cbrt" => value.cbrt(),
        "exp" => value.exp(),
        "sin" => not_nothing(value.sin()),
        "cos" => not_nothing(value.cos()),
        "tan" => not_nothing(value.tan()),
        "asin" => value.asin(),
        "acos" => value.acos(),
        "atan" => value.atan(),
        "sinh" => value.sinh(),
        "cosh" => value.cosh(),
        "tanh" => value.tanh(),
        "deg" => value.to_degrees(),
        "rad" => value.to_radians(),
        _ => return Err(unknown(name)),
    })
}

fn not_nothing(value: f64) -> f64 {
    if value.abs() < NOTHING { 0.0 } else { value }
}

fn furthest(first: &Number, more: &[Number], side: Ordering) -> Outcome {
    let mut furthest = first;
    for next in more {
        if next.compare(furthest)? == side {
            furthest = next;
        }
    }
    Ok(furthest.clone())
}

/// The root of a fraction is a fraction where it can be.
fn root(value: &Number) -> Outcome {
    if let Number::Exact(exact) = value
        && !exact.is_negative()
    {
        let (above, below) = (exact.numer().sqrt(), exact.denom().sqrt());
        if &above * &above == *exact.numer() && &below * &below == *exact.denom() {
            return in_bounds(BigRational::new(above, below));
        }
    }
    near(value.to_float()?.sqrt())
}

fn logarithm(value: &Number) -> Outcome {
    positive(value).and_then(|value| near(value.ln()))
}

fn positive(value: &Number) -> Result<f64, CalculateError> {
    let value = value.to_float()?;
    if value > 0.0 {
        Ok(value)
    } else {
        Err(CalculateError::NotReal)
    }
}

fn sign(value: &Number) -> Outcome {
    Ok(Number::whole(match value.compare(&Number::whole(0))? {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }))
}

fn rounded(value: &Number, exact: fn(&BigRational) -> BigRational, float: fn(f64) -> f64) -> Outcome {
    match value {
        Number::Exact(value) => in_bounds(exact(value)),
        // a whole number is known exactly
        Number::Near(value) => match BigRational::from_float(float(*value)) {
            Some(whole) if whole.is_integer() => in_bounds(whole),
            _ => near(float(*value)),
        },
    }
}

fn rounded_to(value: &Number, digits: &Number) -> Outcome {
    let digits = digits.as_whole().and_then(ToPrimitive::to_i32);
    let digits = digits
        .filter(|digits| digits.abs() <= 100)
        .ok_or(CalculateError::Digits)?;
    let scale = Number::whole(10).power(&Number::whole(digits))?;
    rounded(&value.multiply(&scale)?, BigRational::round, f64::round)?.divide(&scale)
}

fn whole(name: &'static str, value: &Number) -> Result<BigInt, CalculateError> {
    let found = value.as_whole().filter(|value| !value.is_negative());
    found.cloned().ok_or(CalculateError::NeedsWhole(name))
}

fn gcd(one: &BigInt, two: &BigInt) -> BigInt {
    let (mut one, mut two) = (one.clone(), two.clone());
    while two.sign() != Sign::NoSign {
        (one, two) = (two.clone(), one % two);
    }
    one
}

fn lcm(one: &BigInt, two: &BigInt) -> Outcome {
    let shared = gcd(one, two);
    if shared.sign() == Sign::NoSign {
        return Ok(Number::whole(0));
    }
    in_bounds(BigRational::from_integer(one / shared * two))
}

/// The product of all whole numbers up to this one.
pub(super) fn factorial(value: &Number) -> Outcome {
    let last = whole("a factorial", value)?;
    let last = last.to_u32().filter(|last| *last <= LARGEST_FACTORIAL);
    let last = last.ok_or(CalculateError::TooLarge)?;
    let product = (1..=last).fold(BigInt::from(1), |product, next| product * next);
    in_bounds(BigRational::from_integer(product))
}
