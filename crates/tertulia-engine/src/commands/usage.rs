//! `/usage`: what the models have cost.

use std::collections::BTreeMap;

use tertulia_ports::UsageSum;

use super::show::{code, count};
use super::{Call, Done, words};
use crate::backing::patiently;

const USUAL: u32 = 30;
const MOST: u32 = 3650;
const DAY: i64 = 24 * 3600 * 1000;
/// How many models, and how many people, are named.
const NAMED: usize = 10;

/// Turns, tokens and money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    turns: u64,
    tokens_in: u64,
    tokens_out: u64,
    cost: u64,
    unpriced: u64,
}

pub(super) async fn run(call: &Call<'_>) -> Done {
    let days = words::how_many(call.arguments, USUAL, MOST, "days")?;
    let since = call.wall().saturating_sub(i64::from(days) * DAY);
    let sums = patiently(|| call.shared.store.usage(since)).await?;
    Ok(told(days, &sums).into())
}

fn told(days: u32, sums: &[UsageSum]) -> String {
    let days = count(u64::from(days), "day", "days");
    if sums.is_empty() {
        return format!("Nothing was spent in the last {days}.");
    }
    let total = sums.iter().fold(Sum::default(), Sum::plus);
    let priced = total.has_price();
    let by_model = table(sums, priced, |sum| {
        format!("{} of {}", code(&sum.model, 100), code(&sum.provider, 64))
    });
    let by_person = table(sums, priced, |sum| code(&sum.person, 200));
    let untold = if total.has_tokens() {
        ""
    } else {
        ". The answers were counted; the providers told no tokens"
    };
    format!(
        "In the last {days}: {}{untold}.\n\nBy model:\n\n{by_model}\n\nBy person:\n\n{by_person}",
        total.told(priced)
    )
}

/// The dearest first, and of those that cost the same the largest.
fn table(sums: &[UsageSum], priced: bool, name: impl Fn(&UsageSum) -> String) -> String {
    let mut by_name: BTreeMap<String, Sum> = BTreeMap::new();
    for sum in sums {
        let known = by_name.entry(name(sum)).or_default();
        *known = known.plus(sum);
    }
    let mut rows: Vec<(String, Sum)> = by_name.into_iter().collect();
    rows.sort_by_key(|(_, sum)| std::cmp::Reverse((sum.cost, sum.tokens_in.saturating_add(sum.tokens_out))));
    let more = rows.len().saturating_sub(NAMED);
    let mut lines: Vec<String> = rows
        .iter()
        .take(NAMED)
        .map(|(name, sum)| format!("- {name}: {}", sum.told(priced)))
        .collect();
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    lines.join("\n")
}

impl Sum {
    fn plus(self, more: &UsageSum) -> Self {
        Self {
            turns: self.turns.saturating_add(more.turns),
            tokens_in: self.tokens_in.saturating_add(more.tokens_in),
            tokens_out: self.tokens_out.saturating_add(more.tokens_out),
            cost: self.cost.saturating_add(more.cost),
            unpriced: self.unpriced.saturating_add(more.unpriced),
        }
    }

    fn has_tokens(self) -> bool {
        self.tokens_in > 0 || self.tokens_out > 0
    }

    /// Anything of it has a price, be it nothing.
    fn has_price(self) -> bool {
        self.cost > 0 || self.unpriced < self.turns
    }

    /// `priced`: there is money to be spoken of. No line has two dollar signs, which could be taken for a formula.
    fn told(self, priced: bool) -> String {
        let tokens = |number| count(number, "token", "tokens");
        let mut told = vec![count(self.turns, "answer", "answers")];
        if self.has_tokens() {
            told.push(format!("{} read", tokens(self.tokens_in)));
            told.push(format!("{} written", tokens(self.tokens_out)));
        }
        if priced && self.has_price() {
            told.push(dollars(self.cost));
        }
        let told = told.join(", ");
        if !priced || self.unpriced == 0 {
            return told;
        }
        if self.unpriced == self.turns {
            return format!("{told}, no price");
        }
        let have = if self.unpriced == 1 { "has" } else { "have" };
        format!("{told}; {} {have} no price", count(self.unpriced, "answer", "answers"))
    }
}

/// Billionths of a dollar, as people read prices: cents, and of less than a dollar their hundredths.
fn dollars(nanos: u64) -> String {
    let hundredths = nanos.saturating_add(50_000) / 100_000;
    match (nanos, hundredths) {
        (0, _) => "$0".to_owned(),
        (_, 0) => "less than $0.0001".to_owned(),
        (_, 1..10_000) => format!("$0.{hundredths:04}"),
        _ => {
            let cents = nanos.saturating_add(5_000_000) / 10_000_000;
            format!("${}.{:02}", cents / 100, cents % 100)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(person: &str, model: &str, tokens: u64) -> UsageSum {
        UsageSum {
            person: person.to_owned(),
            provider: "local".to_owned(),
            model: model.to_owned(),
            turns: 1,
            tokens_in: tokens,
            tokens_out: 1,
            cost: 0,
            unpriced: 1,
        }
    }

    #[test]
    fn totals_come_first_and_the_largest_before_the_others() {
        assert_eq!(told(1, &[]), "Nothing was spent in the last 1 day.");
        let text = told(
            30,
            &[sum("a/1", "small", 5), sum("a/2", "big", 7), sum("a/1", "big", 3)],
        );
        let expected = "In the last 30 days: 3 answers, 15 tokens read, 3 tokens written.\n\nBy model:\n\n\
            - `big` of `local`: 2 answers, 10 tokens read, 2 tokens written\n\
            - `small` of `local`: 1 answer, 5 tokens read, 1 token written\n\nBy person:\n\n\
            - `a/1`: 2 answers, 8 tokens read, 2 tokens written\n\
            - `a/2`: 1 answer, 7 tokens read, 1 token written";
        assert_eq!(text, expected);
        let untold = UsageSum {
            tokens_out: 0,
            ..sum("a/1", "free", 0)
        };
        let text = told(30, &[untold]);
        assert!(
            text.starts_with(
                "In the last 30 days: 1 answer. The answers were counted; the providers told no tokens.\n\n"
            ),
            "{text}"
        );
        assert!(text.ends_with("- `a/1`: 1 answer"), "{text}");
        let many: Vec<UsageSum> = (0..12).map(|nth| sum(&format!("a/{nth}"), "m", nth)).collect();
        assert!(told(30, &many).ends_with("- and 2 more"));
        assert!(told(30, &[sum("a", "m", u64::MAX), sum("a", "m", 5)]).contains(&u64::MAX.to_string()));
    }

    #[test]
    fn money_is_spoken_of_where_anything_has_a_price() {
        let priced = |person: &str, model: &str, cost: u64| UsageSum {
            cost,
            unpriced: 0,
            ..sum(person, model, 5)
        };
        let text = told(
            30,
            &[
                sum("a/1", "small", 50),
                priced("a/1", "big", 12_300_000),
                priced("a/2", "big", 12_387_700_000),
            ],
        );
        let expected = "In the last 30 days: 3 answers, 60 tokens read, 3 tokens written, $12.40; 1 answer has no price.\n\n\
            By model:\n\n\
            - `big` of `local`: 2 answers, 10 tokens read, 2 tokens written, $12.40\n\
            - `small` of `local`: 1 answer, 50 tokens read, 1 token written, no price\n\nBy person:\n\n\
            - `a/2`: 1 answer, 5 tokens read, 1 token written, $12.39\n\
            - `a/1`: 2 answers, 55 tokens read, 2 tokens written, $0.0123; 1 answer has no price";
        assert_eq!(text, expected);
        // a model at home, to which the operator gave the price of nothing
        assert!(told(30, &[priced("a/1", "free", 0)]).contains("1 token written, $0.\n\n"));
        assert!(!told(30, &[sum("a/1", "small", 5)]).contains(['$', ';']));
    }

    #[test]
    fn dollars_are_rounded_as_people_do() {
        for (nanos, expected) in [
            (0, "$0"),
            (49_999, "less than $0.0001"),
            (50_000, "$0.0001"),
            (12_345_000, "$0.0123"),
            (999_949_999, "$0.9999"),
            (999_950_000, "$1.00"),
            (12_404_999_999, "$12.40"),
            (12_405_000_000, "$12.41"),
            (u64::MAX, "$18446744073.70"),
        ] {
            assert_eq!(dollars(nanos), expected);
        }
    }
}
