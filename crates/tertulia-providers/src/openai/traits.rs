//! What is known of models by their names: OpenAI's own, and those that others serve in its shape.

use tertulia_core::provider::{Capabilities, Format};

use crate::chat_shape::{ChatLimit, ChatRole, Traits};

/// The window of a server of which nothing is known, in tokens: what small local servers often have.
const SMALL_WINDOW: u64 = 8_192;
const OFFICIAL_WINDOW: u64 = 128_000;

/// How OpenAI's own models are asked.
pub(crate) fn official(model: &str) -> Traits {
    let usual = Traits {
        limit: ChatLimit::MaxCompletionTokens,
        ..compatible(model)
    };
    let name = bare(model);
    let older = name.starts_with("gpt-3.5") || name == "gpt-4" || starts(&name, &["gpt-4-", "gpt-4o-2024-05"]);
    Traits {
        schema: usual.schema && !older,
        ..usual
    }
}

/// How a model behind another address is asked: OpenAI's reasoning models are so everywhere.
pub(crate) fn compatible(model: &str) -> Traits {
    let name = bare(model);
    if !reasons(&name) {
        return Traits::USUAL;
    }
    let first = starts(&name, &["o1-mini", "o1-preview"]);
    Traits {
        limit: ChatLimit::MaxCompletionTokens,
        system_role: if first { ChatRole::User } else { ChatRole::Developer },
        temperature: false,
        top_p: false,
        stop: false,
        schema: !first,
        json: !first,
        ..Traits::USUAL
    }
}

/// The abilities of a model before the operator overrules any; names are compared without regard to case.
pub(crate) fn abilities(model: &str, official: bool) -> Capabilities {
    let model = bare(model);
    let blind = starts(&model, &["gpt-3.5", "o1-mini", "o3-mini"]);
    let max_context = match model.as_str() {
        _ if !official => SMALL_WINDOW,
        name if name.starts_with("gpt-3.5") => 16_385,
        name if name.starts_with("gpt-4.1") => 1_000_000,
        name if name.starts_with("gpt-5") => 400_000,
        name if starts(name, &["o3", "o4"]) => 200_000,
        _ => OFFICIAL_WINDOW,
    };
    Capabilities {
        conversation: true,
        system: true,
        tool_calls: true,
        vision: official && !blind,
        thinking: official && reasons(&model),
        format: Format::Standard,
        max_context,
    }
}

/// A name in lower case, without what a gateway puts in front of it.
fn bare(model: &str) -> String {
    let model = model.to_lowercase();
    model
        .rsplit_once('/')
        .map_or(model.clone(), |(_, name)| name.to_owned())
}

fn reasons(name: &str) -> bool {
    starts(name, &["o1", "o3", "o4", "gpt-5"]) && !name.contains("chat")
}

fn starts(name: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_models_are_asked_in_another_way() {
        for name in ["o1", "o3-mini", "o4-mini", "gpt-5-nano", "GPT-5.2", "openai/gpt-5"] {
            let traits = compatible(name);
            assert_eq!(traits, official(name), "{name}");
            assert_eq!(
                (traits.limit, traits.system_role, traits.temperature),
                (ChatLimit::MaxCompletionTokens, ChatRole::Developer, false),
                "{name}"
            );
        }
        assert_eq!(official("o1-mini").system_role, ChatRole::User);
        for name in ["gpt-4o", "gpt-5-chat-latest", "olmo", "qwen3", "openai/gpt-oss-20b"] {
            assert_eq!(compatible(name), Traits::USUAL, "{name}");
            assert_eq!(official(name).limit, ChatLimit::MaxCompletionTokens, "{name}");
        }
        assert!(!official("gpt-4-turbo").schema && !official("gpt-3.5-turbo").schema && official("gpt-4.1").schema);
    }

    #[test]
    fn abilities_are_those_of_the_maker() {
        let able = |model: &str, official| {
            let able = abilities(model, official);
            (able.vision, able.thinking, able.max_context)
        };
        assert_eq!(able("gpt-5", true), (true, true, 400_000));
        assert_eq!(able("o3-mini", true), (false, true, 200_000));
        assert_eq!(able("gpt-4o", true), (true, false, OFFICIAL_WINDOW));
        assert_eq!(able("gpt-5", false), (false, false, SMALL_WINDOW));
    }
}
