//! What is known of models by their names.

use tertulia_core::provider::{Capabilities, Format};

/// The window of a server of which nothing is known, in tokens: what small local servers often have.
const SMALL_WINDOW: u64 = 8_192;
const OFFICIAL_WINDOW: u64 = 128_000;

/// The abilities of a model before the operator overrules any; names are compared without regard to case.
pub(crate) fn known(model: &str, official: bool) -> Capabilities {
    let model = model.to_lowercase();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| model.starts_with(prefix));
    let thinks = official && starts(&["o1", "o3", "o4", "gpt-5"]);
    let blind = starts(&["gpt-3.5", "o1-mini", "o3-mini"]);
    let max_context = match model.as_str() {
        _ if !official => SMALL_WINDOW,
        name if name.starts_with("gpt-3.5") => 16_385,
        name if name.starts_with("gpt-4.1") => 1_000_000,
        name if name.starts_with("gpt-5") => 400_000,
        _ if starts(&["o3", "o4"]) => 200_000,
        _ => OFFICIAL_WINDOW,
    };
    Capabilities {
        conversation: true,
        system: true,
        tool_calls: true,
        vision: official && !blind,
        thinking: thinks,
        format: Format::Standard,
        max_context,
    }
}
