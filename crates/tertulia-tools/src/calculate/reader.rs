//! Reads an expression by the usual precedence, and calculates while it reads.

use super::error::CalculateError;
use super::functions;
use super::number::Number;
use super::tokens::{Piece, Token};

/// How deep parentheses, signs and powers may stand in each other: each level takes stack.
const DEEPEST: usize = 64;

type Outcome = Result<Number, CalculateError>;

/// The value of a whole expression.
pub(super) fn value(tokens: &[Token]) -> Outcome {
    if tokens.is_empty() {
        return Err(CalculateError::Empty);
    }
    let mut reader = Reader { rest: tokens, depth: 0 };
    let value = reader.sum()?;
    match reader.rest.first() {
        None => Ok(value),
        Some(token) => Err(unexpected(token)),
    }
}

struct Reader<'a> {
    rest: &'a [Token],
    depth: usize,
}

impl Reader<'_> {
    fn sum(&mut self) -> Outcome {
        let mut value = self.product()?;
        while let Some(sign) = self.take_one_of(&['+', '-']) {
            let next = self.product()?;
            value = if sign == '+' {
                value.add(&next)
            } else {
                value.subtract(&next)
            }?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Outcome {
        let mut value = self.signed()?;
        while let Some(sign) = self.take_one_of(&['*', '/', '%']) {
            let next = self.signed()?;
            value = match sign {
                '*' => value.multiply(&next),
                '/' => value.divide(&next),
                _ => value.remainder(&next),
            }?;
        }
        Ok(value)
    }

    /// A power with signs before it: -2^2 is -4.
    fn signed(&mut self) -> Outcome {
        let mut is_negative = false;
        while let Some(sign) = self.take_one_of(&['+', '-']) {
            is_negative ^= sign == '-';
        }
        let value = self.power()?;
        Ok(if is_negative { value.negated() } else { value })
    }

    /// Powers are read from the right: 2^3^2 is 2^9.
    fn power(&mut self) -> Outcome {
        let base = self.with_postfix()?;
        if self.take_one_of(&['^']).is_none() {
            return Ok(base);
        }
        let exponent = self.nested(Self::signed)?;
        base.power(&exponent)
    }

    fn with_postfix(&mut self) -> Outcome {
        let mut value = self.operand()?;
        loop {
            if self.take_one_of(&['!']).is_some() {
                value = functions::factorial(&value)?;
            } else if self.is_percent() {
                self.take_one_of(&['%']);
                value = value.divide(&Number::whole(100))?;
            } else {
                return Ok(value);
            }
        }
    }

    /// True for a `%` with nothing behind it that could be divided by.
    fn is_percent(&self) -> bool {
        let [
            Token {
                piece: Piece::Sign('%'),
                ..
            },
            behind @ ..,
        ] = self.rest
        else {
            return false;
        };
        !matches!(
            behind.first().map(|token| &token.piece),
            Some(Piece::Number(_) | Piece::Name(_) | Piece::Sign('('))
        )
    }

    fn operand(&mut self) -> Outcome {
        let Some(token) = self.take() else {
            return Err(CalculateError::EndsEarly);
        };
        match &token.piece {
            Piece::Number(value) => Ok(value.clone()),
            Piece::Sign('(') => {
                let value = self.nested(Self::sum)?;
                self.close()?;
                Ok(value)
            }
            Piece::Name(name) if self.take_one_of(&['(']).is_some() => {
                let arguments = self.arguments()?;
                functions::call(name, &arguments)
            }
            Piece::Name(name) => functions::constant(name),
            Piece::Sign(_) => Err(unexpected(token)),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Number>, CalculateError> {
        let mut arguments = Vec::new();
        if self.take_one_of(&[')']).is_some() {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.nested(Self::sum)?);
            if self.take_one_of(&[',']).is_none() {
                break;
            }
        }
        self.close()?;
        Ok(arguments)
    }

    fn close(&mut self) -> Result<(), CalculateError> {
        match self.take() {
            Some(Token {
                piece: Piece::Sign(')'),
                ..
            }) => Ok(()),
            Some(token) => Err(unexpected(token)),
            None => Err(CalculateError::Unclosed),
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        if self.depth >= DEEPEST {
            return Err(CalculateError::TooDeep);
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }
}

impl<'a> Reader<'a> {
    fn take(&mut self) -> Option<&'a Token> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take_one_of(&mut self, signs: &[char]) -> Option<char> {
        let Some(Token {
            piece: Piece::Sign(sign),
            ..
        }) = self.rest.first()
        else {
            return None;
        };
        signs.contains(sign).then(|| {
            self.take();
            *sign
        })
    }
}

fn unexpected(token: &Token) -> CalculateError {
    let found = match &token.piece {
        Piece::Number(_) => "a number".to_owned(),
        Piece::Name(name) => format!("{:?}", name.chars().take(40).collect::<String>()),
        Piece::Sign(sign) => format!("{sign:?}"),
    };
    CalculateError::Unexpected { found, at: token.at }
}
