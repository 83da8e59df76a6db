//! What tokens cost.

use crate::provider::Usage;

/// The prices of a model, in dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prices {
    /// For tokens that it reads.
    pub input: f64,
    /// For tokens that it writes, also while it thinks.
    pub output: f64,
    /// For tokens that its cache has; as `input` if absent.
    pub cache_read: Option<f64>,
    /// For tokens that are put into its cache; as `input` if absent.
    pub cache_written: Option<f64>,
}

impl Prices {
    /// What it cost in billionths of a dollar, if the provider told any tokens. A price that is no number, or negative, counts
    /// as none; more than `u64` holds is as much as it holds.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Option<u64> {
        if usage.tokens_in.is_none() && usage.tokens_out.is_none() {
            return None;
        }
        let read = usage.tokens_in.unwrap_or(0);
        let cached = usage.cache_read.unwrap_or(0).min(read);
        let written = usage.cache_written.unwrap_or(0).min(read - cached);
        let priced = [
            (read - cached - written, self.input),
            (cached, self.cache_read.unwrap_or(self.input)),
            (written, self.cache_written.unwrap_or(self.input)),
            (usage.tokens_out.unwrap_or(0), self.output),
        ];
        let nanos = priced.iter().map(|(tokens, price)| nanos(*tokens, *price));
        Some(nanos.fold(0, u64::saturating_add))
    }
}

/// A dollar for a million tokens is a thousand billionths for each.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a cast to an integer saturates; a billionth of a dollar more or less does not matter"
)]
fn nanos(tokens: u64, price: f64) -> u64 {
    (tokens as f64 * price.max(0.0) * 1000.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prices: Prices, usage: Usage, expected: Option<u64>) {
        assert_eq!(prices.cost(&usage), expected);
    }

    #[test]
    fn tokens_have_their_price() {
        let prices = Prices {
            input: 2.5,
            output: 10.0,
            cache_read: Some(0.25),
            cache_written: None,
        };
        let usage = Usage {
            tokens_in: Some(1_000_000),
            tokens_out: Some(1_000),
            ..Usage::default()
        };
        check(prices, usage, Some(2_510_000_000));
        let cached = Usage {
            cache_read: Some(400_000),
            cache_written: Some(100_000),
            ..usage
        };
        check(prices, cached, Some(1_500_000_000 + 100_000_000 + 10_000_000));
        check(prices, Usage::default(), None);
        let lying = Usage {
            tokens_in: Some(1),
            cache_read: Some(u64::MAX),
            cache_written: Some(u64::MAX),
            ..Usage::default()
        };
        check(prices, lying, Some(250));
    }

    #[test]
    fn wild_prices_do_no_harm() {
        let usage = Usage {
            tokens_in: Some(u64::MAX),
            tokens_out: Some(u64::MAX),
            ..Usage::default()
        };
        let price = |input| Prices {
            input,
            output: input,
            ..Prices::default()
        };
        check(price(f64::NAN), usage, Some(0));
        check(price(-1.0), usage, Some(0));
        check(price(f64::INFINITY), usage, Some(u64::MAX));
    }
}
