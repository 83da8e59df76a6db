//! How a model is asked to think, or not to.

use serde::Serialize;
use serde_json::{Value, json};
use tertulia_core::provider::ModelRequest;

use super::model::ChatThinking;
use super::request::Audience;

/// The fields that ask for it; most requests have none.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Thought {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chat_template_kwargs: Option<Value>,
}

/// What is wanted.
enum Wish {
    Off,
    On,
    Level(String),
}

impl Thought {
    pub(crate) fn of(request: &ModelRequest, audience: &Audience<'_>) -> Self {
        let wish = if audience.owner.lacks_thoughts(request) {
            Some(Wish::Off)
        } else {
            request.generation.think.as_ref().and_then(Wish::read)
        };
        let Some(wish) = wish else { return Self::default() };
        match audience.traits.thinking {
            ChatThinking::None => Self::default(),
            ChatThinking::Effort => Self {
                reasoning_effort: wish.effort(audience.able.thinking),
                ..Self::default()
            },
            ChatThinking::Switch => Self {
                thinking: Some(json!({"type": if wish.is_off() { "disabled" } else { "enabled" }})),
                reasoning_effort: wish.level().map(str::to_owned),
                ..Self::default()
            },
            ChatThinking::Reasoning => Self {
                reasoning: Some(match wish.level() {
                    Some(level) => json!({"effort": level}),
                    None => json!({"enabled": !wish.is_off()}),
                }),
                ..Self::default()
            },
            ChatThinking::Template => Self {
                chat_template_kwargs: Some(json!({"enable_thinking": !wish.is_off()})),
                ..Self::default()
            },
        }
    }

    /// Whether it says anything at all.
    pub(crate) fn is_said(&self) -> bool {
        *self != Self::default()
    }
}

impl Wish {
    fn read(asked: &Value) -> Option<Self> {
        match asked {
            Value::Bool(true) => Some(Self::On),
            Value::Bool(false) => Some(Self::Off),
            Value::String(level) => Some(Self::Level(level.to_lowercase())),
            _ => None,
        }
    }

    fn is_off(&self) -> bool {
        matches!(self, Self::Off) || self.named("none")
    }

    fn named(&self, word: &str) -> bool {
        matches!(self, Self::Level(level) if level == word)
    }

    /// A level above none.
    fn level(&self) -> Option<&str> {
        match self {
            Self::Level(level) if !self.is_off() => Some(level),
            _ => None,
        }
    }

    /// Whether to think at all is not to be said by a level; the lowest that every thinking model takes comes next to not.
    fn effort(self, thinks: bool) -> Option<String> {
        match self {
            Self::Level(level) => Some(level),
            Self::Off if thinks => Some("low".to_owned()),
            Self::Off | Self::On => None,
        }
    }
}
