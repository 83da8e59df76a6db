//! What an answer cost, as `usage` tells it.

use serde_json::Value;
use tertulia_core::provider::Usage;

/// The counts, if there are any. The tokens of the cache are among those read, and what was thought among those written.
///
/// What a server says that it cost counts where it is `billed` in dollars.
pub(crate) fn usage(usage: &Value, billed: bool) -> Option<Usage> {
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let (tokens_in, told) = (count("/prompt_tokens"), count("/completion_tokens"));
    let tokens_out = told.map(|written| written.saturating_add(apart(count, tokens_in, written)));
    (tokens_in.is_some() || tokens_out.is_some()).then(|| Usage {
        tokens_in,
        tokens_out,
        // the second is DeepSeek's own name for it
        cache_read: count("/prompt_tokens_details/cached_tokens").or_else(|| count("/prompt_cache_hit_tokens")),
        cache_written: count("/prompt_tokens_details/cache_write_tokens"),
        cost: usage.get("cost").filter(|_| billed).and_then(billionths),
    })
}

/// What was thought where it is not among the tokens written, as with xAI: there the sum of all tells.
fn apart(count: impl Fn(&str) -> Option<u64>, read: Option<u64>, written: u64) -> u64 {
    let thought = count("/completion_tokens_details/reasoning_tokens").unwrap_or(0);
    let sum = read.unwrap_or(0).saturating_add(written).saturating_add(thought);
    if count("/total_tokens") == Some(sum) {
        thought
    } else {
        0
    }
}

/// Dollars as billionths of a dollar.
fn billionths(dollars: &Value) -> Option<u64> {
    let billionths = dollars.as_f64()? * 1e9;
    let sane = (0.0..1e15).contains(&billionths);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was checked, and no more than whole billionths are wanted"
    )]
    sane.then(|| billionths.round() as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_thought_is_counted_once() {
        let written = |total: u64| {
            let told = json!({"prompt_tokens": 12, "completion_tokens": 2, "total_tokens": total,
                "completion_tokens_details": {"reasoning_tokens": 320}});
            usage(&told, false).unwrap().tokens_out
        };
        assert_eq!((written(334), written(14)), (Some(322), Some(2)));
    }

    #[test]
    fn dollars_are_counted_in_billionths() {
        let cost = |cost: Value, billed| usage(&json!({"prompt_tokens": 1, "cost": cost}), billed).unwrap().cost;
        assert_eq!(cost(json!(0.001_322), true), Some(1_322_000));
        assert_eq!(cost(json!(0), true), Some(0));
        assert_eq!((cost(json!(-1), true), cost(json!(1e300), true)), (None, None));
        assert_eq!((cost(json!("1"), true), cost(json!(1), false)), (None, None));
    }
}
