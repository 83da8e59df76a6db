//! Why an expression has no value; the model reads it.

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CalculateError {
    #[error("the expression is empty")]
    Empty,
    #[error("the expression ends where a number is expected")]
    EndsEarly,
    #[error("{found} is not expected at character {at}")]
    Unexpected { found: String, at: usize },
    #[error("a parenthesis is not closed")]
    Unclosed,
    #[error("{0:?} is no number")]
    NoNumber(String),
    #[error("nothing is known as {0:?}")]
    UnknownName(String),
    #[error("{0} is a function: write {0}(...)")]
    NeedsArguments(String),
    #[error("{name} takes {takes}, not {given}")]
    ArgumentCount {
        name: String,
        takes: &'static str,
        given: usize,
    },
    #[error("the expression is nested too deeply")]
    TooDeep,
    #[error("division by zero")]
    DivisionByZero,
    #[error("the result is too large")]
    TooLarge,
    #[error("the result is too close to zero")]
    TooSmall,
    #[error("the result is not a real number")]
    NotReal,
    #[error("{0} needs whole numbers that are not negative")]
    NeedsWhole(&'static str),
    #[error("round takes from -100 to 100 digits")]
    Digits,
}
