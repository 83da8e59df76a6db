//! What an answer cost, as `usage` tells it.

use serde_json::Value;
use tertulia_core::provider::Usage;

/// The counts, if there are any. The tokens of the cache are among those read, and what was thought among those written.
pub(crate) fn usage(usage: &Value) -> Option<Usage> {
    let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    let (tokens_in, tokens_out) = (count("/prompt_tokens"), count("/completion_tokens"));
    (tokens_in.is_some() || tokens_out.is_some()).then(|| Usage {
        tokens_in,
        tokens_out,
        // the second is DeepSeek's own name for it
        cache_read: count("/prompt_tokens_details/cached_tokens").or_else(|| count("/prompt_cache_hit_tokens")),
        cache_written: count("/prompt_tokens_details/cache_write_tokens"),
        cost: None,
    })
}
