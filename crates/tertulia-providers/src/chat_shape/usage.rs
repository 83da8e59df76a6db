//! What an answer cost, as `usage` tells it.

use serde_json::Value;
use tertulia_core::provider::Usage;

/// The counts, if there are any. The tokens of the cache are among those read, and what was thought among those written.
///
/// What a server says that it cost counts where it is `billed` in dollars.
pub(crate) fn usage(usage: &Value, billed: bool) -> Option<Usage> {
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let (tokens_in, tokens_out) = (count("/prompt_tokens"), count("/completion_tokens"));
    (tokens_in.is_some() || tokens_out.is_some()).then(|| Usage {
        tokens_in,
        tokens_out,
        // the second is DeepSeek's own name for it
        cache_read: count("/prompt_tokens_details/cached_tokens").or_else(|| count("/prompt_cache_hit_tokens")),
        cache_written: count("/prompt_tokens_details/cache_write_tokens"),
        cost: usage.get("cost").filter(|_| billed).and_then(billionths),
    })
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
    fn dollars_are_counted_in_billionths() {
        let cost = |cost: Value, billed| usage(&json!({"prompt_tokens": 1, "cost": cost}), billed).unwrap().cost;
        assert_eq!(cost(json!(0.001_322), true), Some(1_322_000));
        assert_eq!(cost(json!(0), true), Some(0));
        assert_eq!((cost(json!(-1), true), cost(json!(1e300), true)), (None, None));
        assert_eq!((cost(json!("1"), true), cost(json!(1), false)), (None, None));
    }
}
