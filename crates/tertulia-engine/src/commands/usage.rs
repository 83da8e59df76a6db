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

/// Turns and tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    turns: u64,
    tokens_in: u64,
    tokens_out: u64,
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
    let by_model = table(sums, |sum| {
        format!("{} of {}", code(&sum.model, 100), code(&sum.provider, 64))
    });
    let by_person = table(sums, |sum| code(&sum.person, 200));
    let untold = if total.has_tokens() {
        ""
    } else {
        ". The answers were counted; the providers told no tokens"
    };
    format!(
        "In the last {days}: {}{untold}.\n\nBy model:\n\n{by_model}\n\nBy person:\n\n{by_person}",
        total.told()
    )
}

/// The largest first.
fn table(sums: &[UsageSum], name: impl Fn(&UsageSum) -> String) -> String {
    let mut by_name: BTreeMap<String, Sum> = BTreeMap::new();
    for sum in sums {
        let known = by_name.entry(name(sum)).or_default();
        *known = known.plus(sum);
    }
    let mut rows: Vec<(String, Sum)> = by_name.into_iter().collect();
    rows.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.tokens_in.saturating_add(sum.tokens_out)));
    let more = rows.len().saturating_sub(NAMED);
    let mut lines: Vec<String> = rows
        .iter()
        .take(NAMED)
        .map(|(name, sum)| format!("- {name}: {}", sum.told()))
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
        }
    }

    fn has_tokens(self) -> bool {
        self.tokens_in > 0 || self.tokens_out > 0
    }

    fn told(self) -> String {
        let answers = count(self.turns, "answer", "answers");
        if !self.has_tokens() {
            return answers;
        }
        let tokens = |number| count(number, "token", "tokens");
        format!(
            "{answers}, {} read, {} written",
            tokens(self.tokens_in),
            tokens(self.tokens_out)
        )
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
            unpriced: 0,
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
}
