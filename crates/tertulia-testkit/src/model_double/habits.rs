//! In what the servers of OpenAI's shape differ: whom the double plays.

use serde_json::{Map, Value, json};

use super::rules::demand;

/// Whose ways the double has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Habits {
    /// OpenAI's.
    #[default]
    OpenAi,
    /// `DeepSeek`'s: thinks unless told not to, and wants its thoughts back with its calls.
    DeepSeek,
    /// `OpenRouter`'s: comments between the chunks, calls counted from 1, and a bill behind the end.
    OpenRouter,
}

impl Habits {
    /// Fields of a request beside those that all know.
    pub(crate) fn fields(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &[],
            Self::DeepSeek => &["thinking"],
            Self::OpenRouter => &["reasoning", "provider", "models", "plugins", "usage"],
        }
    }

    /// Keys of the model's own messages beside those that all know.
    pub(crate) fn keys(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi | Self::DeepSeek => &["reasoning_content"],
            Self::OpenRouter => &["reasoning", "reasoning_details"],
        }
    }

    /// The rules that it alone has.
    pub(crate) fn check(self, request: &Map<String, Value>) -> Result<(), String> {
        match self {
            Self::OpenAi => Ok(()),
            Self::DeepSeek => check_deepseek(request),
            Self::OpenRouter => check_openrouter(request),
        }
    }

    /// The comment between two chunks.
    pub(crate) fn comment(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => None,
            Self::DeepSeek => Some(": keep-alive\n\n"),
            Self::OpenRouter => Some(": OPENROUTER PROCESSING\n\n"),
        }
    }

    /// The first call's index.
    pub(crate) fn first_index(self) -> usize {
        usize::from(self == Self::OpenRouter)
    }

    /// What is new when it thinks: in two pieces, the second of them signed where it signs.
    pub(crate) fn thoughts(self, first: &str, rest: &str) -> Vec<Value> {
        let detail = |text: &str, signature: Value| {
            let detail = json!({"type": "reasoning.text", "index": 0, "format": "unknown", "text": text,
                "signature": signature});
            json!({"content": "", "reasoning": text, "reasoning_details": [detail]})
        };
        match self {
            Self::OpenAi => vec![json!({"reasoning_content": format!("{first}{rest}")})],
            Self::DeepSeek => [first, rest]
                .iter()
                .map(|text| json!({"content": null, "reasoning_content": text}))
                .collect(),
            Self::OpenRouter => vec![detail(first, Value::Null), detail(rest, json!("signed"))],
        }
    }

    /// What it counts beside what all count, of so many tokens read: half of them were in the cache.
    pub(crate) fn counts(self, read: u64) -> Vec<(&'static str, Value)> {
        match self {
            Self::OpenAi => Vec::new(),
            Self::DeepSeek => vec![
                ("prompt_cache_hit_tokens", json!(read / 2)),
                ("prompt_cache_miss_tokens", json!(read - read / 2)),
            ],
            Self::OpenRouter => vec![("cost", json!(0.000_123))],
        }
    }

    /// What the list tells of a model.
    pub(crate) fn listed(self, id: &str) -> Value {
        match self {
            Self::OpenAi | Self::DeepSeek => json!({"id": id, "object": "model", "owned_by": "double"}),
            Self::OpenRouter => json!({"id": id, "name": id, "context_length": 65_536,
                "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
                "supported_parameters": ["max_tokens", "reasoning", "temperature", "tools"]}),
        }
    }
}

fn check_deepseek(request: &Map<String, Value>) -> Result<(), String> {
    let kind = |field: &str| {
        request
            .get(field)
            .and_then(|field| field.get("type"))
            .and_then(Value::as_str)
    };
    demand(
        matches!(kind("response_format"), None | Some("text" | "json_object")),
        "This response_format type is unavailable now",
    )?;
    let switch = kind("thinking");
    demand(
        matches!(switch, None | Some("enabled" | "disabled")) && request.contains_key("thinking") == switch.is_some(),
        "thinking must have a type of enabled or disabled",
    )?;
    demand(
        !request.contains_key("max_completion_tokens"),
        "unknown field max_completion_tokens",
    )?;
    let messages = request.get("messages").and_then(Value::as_array);
    for message in messages.into_iter().flatten() {
        demand(
            message.get("role") != Some(&json!("developer")),
            "unknown variant `developer`",
        )?;
        let thought = message.get("reasoning_content").and_then(Value::as_str);
        let fits = message.get("tool_calls").is_none() || thought.is_some_and(|text| !text.is_empty());
        demand(
            fits || switch == Some("disabled"),
            "The reasoning_content in the thinking mode must be passed back to the API.",
        )?;
    }
    Ok(())
}

fn check_openrouter(request: &Map<String, Value>) -> Result<(), String> {
    let Some(reasoning) = request.get("reasoning") else {
        return Ok(());
    };
    let fits = reasoning.as_object().is_some_and(|fields| {
        let known = ["effort", "max_tokens", "enabled", "exclude"];
        !fields.is_empty() && fields.keys().all(|key| known.contains(&key.as_str()))
    });
    demand(
        fits,
        "reasoning must be an object of effort, max_tokens, enabled, exclude",
    )
}
