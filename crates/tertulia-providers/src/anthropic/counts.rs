//! The tokens of an answer, as the wire counts them.

use serde_json::Value;
use tertulia_core::provider::Usage;

/// What was counted so far: each number is of the whole answer, and `read` is without both of the cache.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    read: Option<u64>,
    from_cache: Option<u64>,
    into_cache: Option<u64>,
    written: Option<u64>,
}

impl Counts {
    /// Takes what a `usage` counts; what it does not count again stays.
    pub(crate) fn add(&mut self, usage: &Value) {
        let count = |name: &str| usage.get(name).and_then(Value::as_u64);
        self.read = count("input_tokens").or(self.read);
        self.from_cache = count("cache_read_input_tokens").or(self.from_cache);
        self.into_cache = count("cache_creation_input_tokens").or(self.into_cache);
        self.written = count("output_tokens").or(self.written);
    }

    pub(crate) fn usage(&self) -> Usage {
        let read = [self.read, self.from_cache, self.into_cache];
        Usage {
            tokens_in: read.into_iter().flatten().reduce(u64::saturating_add),
            tokens_out: self.written,
            cache_read: self.from_cache,
            cache_written: self.into_cache,
            cost: None,
        }
    }
}
