//! An expression as the pieces it is written in.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One as _;

use super::error::CalculateError;
use super::number::{Number, in_bounds};

/// The largest power of ten that a number is written with.
const LARGEST_EXPONENT: u32 = 1000;

/// One piece.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Number(Number),
    Name(String),
    /// An operator, a parenthesis or a comma.
    Sign(char),
}

/// A piece and where it begins, in characters from 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) piece: Piece,
    pub(super) at: usize,
}

/// Takes an expression apart.
pub(super) fn tokens(expression: &str) -> Result<Vec<Token>, CalculateError> {
    let letters: Vec<char> = expression.chars().collect();
    let mut rest = letters.as_slice();
    let mut tokens = Vec::new();
    while let [first, behind @ ..] = rest {
        let at = letters.len() - rest.len() + 1;
        let (piece, after) = match *first {
            blank if blank.is_whitespace() => {
                rest = behind;
                continue;
            }
            '0'..='9' | '.' => number(rest)?,
            letter if is_of_name(letter) => {
                let (name, after) = taken(rest, is_of_name);
                (Piece::Name(name.to_lowercase()), after)
            }
            sign => sign_piece(sign, behind, at)?,
        };
        rest = after;
        tokens.push(Token { piece, at });
    }
    Ok(tokens)
}

fn sign_piece(sign: char, behind: &[char], at: usize) -> Result<(Piece, &[char]), CalculateError> {
    let sign = match (sign, behind) {
        ('*', ['*', after @ ..]) => return Ok((Piece::Sign('^'), after)),
        ('+' | '-' | '*' | '/' | '^' | '%' | '!' | '(' | ')' | ',', _) => sign,
        ('−' | '–', _) => '-',
        ('×' | '·', _) => '*',
        ('÷', _) => '/',
        (';', _) => ',',
        ('π', _) => return Ok((Piece::Name("pi".to_owned()), behind)),
        _ => {
            let found = format!("{sign:?}");
            return Err(CalculateError::Unexpected { found, at });
        }
    };
    Ok((Piece::Sign(sign), behind))
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Digits with a point and an exponent; an underscore may part digits.
fn number(letters: &[char]) -> Result<(Piece, &[char]), CalculateError> {
    let (text, after) = taken(letters, |letter| is_of_name(letter) || letter == '.');
    // the sign of an exponent belongs to the number
    let (text, after) = match after {
        [sign @ ('+' | '-'), more @ ..] if is_open_exponent(&text) => {
            let (digits, after) = taken(more, is_of_name);
            (format!("{text}{sign}{digits}"), after)
        }
        _ => (text, after),
    };
    let value = decimal(&text).ok_or_else(|| CalculateError::NoNumber(text.chars().take(40).collect()))?;
    let value = in_bounds(value)?;
    Ok((Piece::Number(value), after))
}

/// True if it ends in the `e` of an exponent whose digits are still to come.
fn is_open_exponent(text: &str) -> bool {
    let digits = text.strip_suffix(['e', 'E']);
    digits.is_some_and(|digits| {
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"._".contains(&byte))
    })
}

fn decimal(text: &str) -> Option<BigRational> {
    let plain: String = text.chars().filter(|letter| *letter != '_').collect();
    let (digits, exponent) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(part) || (whole.is_empty() && part.is_empty()) {
        return None;
    }
    let all: BigInt = format!("{whole}{part}").parse().ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    if exponent.unsigned_abs() > LARGEST_EXPONENT {
        return None;
    }
    let shift = exponent.checked_sub(i32::try_from(part.len()).ok()?)?;
    let power = BigInt::from(10).pow(shift.unsigned_abs());
    Some(if shift < 0 {
        BigRational::new(all, power)
    } else {
        BigRational::new(all * power, BigInt::one())
    })
}

fn taken(letters: &[char], is_part: impl Fn(char) -> bool) -> (String, &[char]) {
    let end = letters.iter().position(|letter| !is_part(*letter));
    let (taken, rest) = letters.split_at(end.unwrap_or(letters.len()));
    (taken.iter().collect(), rest)
}
