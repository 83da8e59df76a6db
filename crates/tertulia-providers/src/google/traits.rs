//! In what the models differ: what they were made for and what they refuse, by their names.

use serde_json::Value;
use tertulia_core::provider::{Capabilities, Format};

use super::config::{GoogleModel, GoogleThinking};

/// The window of a model that is not in the table, in tokens.
const SMALL_WINDOW: u64 = 8_192;
const MEBI: u64 = 1 << 20;

/// What holds for models whose names begin in one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Traits {
    /// How to say whether and how hard to think.
    pub(crate) thinking: Thinking,
    /// It takes schemas as JSON schemas; older ones only a subset of `OpenAPI`.
    pub(crate) json_schema: bool,
    /// It answers in a format also where tools are offered; older ones refuse that.
    pub(crate) format_beside_tools: bool,
    /// It takes an instruction apart from the conversation.
    pub(crate) instruction: bool,
    /// The window, in tokens.
    pub(crate) window: u64,
}

/// How a model is told to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thinking {
    /// It cannot.
    Never,
    /// By a number of tokens, of which it takes no fewer than `least`; with 0 it does not think at all.
    Budget { least: u32 },
    /// By a word, of which it knows these, from easy to hard.
    Level(&'static [&'static str]),
}

/// A setting of thinking, as it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThinkingConfig {
    include_thoughts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_level: Option<&'static str>,
}

const NEW: Traits = Traits {
    thinking: Thinking::Level(&["MINIMAL", "LOW", "MEDIUM", "HIGH"]),
    json_schema: true,
    format_beside_tools: true,
    instruction: true,
    window: MEBI,
};
/// A large model always thinks.
const NEW_PRO: Traits = Traits {
    thinking: Thinking::Level(&["LOW", "MEDIUM", "HIGH"]),
    ..NEW
};
const SECOND: Traits = Traits {
    thinking: Thinking::Budget { least: 0 },
    format_beside_tools: false,
    ..NEW
};
const OLD: Traits = Traits {
    thinking: Thinking::Never,
    json_schema: false,
    ..SECOND
};
/// Open models behind the same API.
const GEMMA: Traits = Traits {
    instruction: false,
    window: 1 << 17,
    ..OLD
};
const UNKNOWN: Traits = Traits {
    thinking: Thinking::Never,
    window: SMALL_WINDOW,
    ..NEW
};

/// The first that fits counts.
const TABLE: [(&str, Traits); 7] = [
    ("gemini-1", OLD),
    ("gemini-2.0", OLD),
    (
        "gemini-2.5-pro",
        Traits {
            thinking: Thinking::Budget { least: 128 },
            ..SECOND
        },
    ),
    ("gemini-2.5", SECOND),
    (
        "gemini-3-pro",
        Traits {
            thinking: Thinking::Level(&["LOW", "HIGH"]),
            ..NEW
        },
    ),
    ("gemini", NEW),
    ("gemma", GEMMA),
];

/// What is known of a model; one that is not in the table is taken for a new one that cannot think.
pub(crate) fn of(model: &str) -> Traits {
    let name = model.to_lowercase();
    let name = name.strip_prefix("models/").unwrap_or(&name);
    let known = TABLE.iter().find(|(prefix, _)| name.starts_with(prefix));
    match known {
        Some((_, traits)) if *traits == NEW && name.contains("-pro") => NEW_PRO,
        Some((_, traits)) => *traits,
        None => UNKNOWN,
    }
}

impl Traits {
    /// The same with what the operator says of the model.
    pub(crate) fn overruled(self, said: GoogleModel) -> Self {
        let thinking = said.thinking.map(|thinking| match thinking {
            GoogleThinking::Never => Thinking::Never,
            GoogleThinking::Budget => SECOND.thinking,
            GoogleThinking::Level => NEW.thinking,
        });
        Self {
            thinking: thinking.unwrap_or(self.thinking),
            json_schema: said.json_schema.unwrap_or(self.json_schema),
            format_beside_tools: said.format_beside_tools.unwrap_or(self.format_beside_tools),
            instruction: said.instruction.unwrap_or(self.instruction),
            window: self.window,
        }
    }

    /// The abilities before the operator overrules any. The instruction is no message, hence no system message.
    pub(crate) fn abilities(self, learnt_window: Option<u64>) -> Capabilities {
        Capabilities {
            conversation: true,
            system: false,
            tool_calls: true,
            vision: true,
            thinking: self.thinking != Thinking::Never,
            format: Format::Gemini,
            max_context: learnt_window.unwrap_or(self.window),
        }
    }

    /// What to send for a wish; nothing where nothing is wished, or the model cannot think.
    pub(crate) fn think(self, wish: Option<&Value>) -> Option<ThinkingConfig> {
        let (thinks, word) = match wish? {
            Value::Bool(thinks) => (*thinks, None),
            Value::String(word) => (word != "none", Some(word.to_uppercase())),
            _ => return None,
        };
        let shown = ThinkingConfig {
            include_thoughts: thinks,
            thinking_budget: None,
            thinking_level: None,
        };
        match self.thinking {
            Thinking::Never => None,
            Thinking::Budget { least } => Some(ThinkingConfig {
                // -1 leaves it to the model
                thinking_budget: Some(match (thinks, word) {
                    (false, _) => i32::try_from(least).unwrap_or_default(),
                    (true, None) => -1,
                    (true, Some(word)) => budget(&word),
                }),
                ..shown
            }),
            Thinking::Level(words) => Some(ThinkingConfig {
                thinking_level: match (thinks, word) {
                    (false, _) => words.first().copied(),
                    (true, None) => None,
                    (true, Some(word)) => level(words, &word),
                },
                ..shown
            }),
        }
    }
}

fn budget(word: &str) -> i32 {
    match word {
        "MINIMAL" => 512,
        "LOW" => 1_024,
        "MEDIUM" => 8_192,
        _ => 24_576,
    }
}

/// The hardest that is no harder than what is asked for, or the easiest of all; what no model knows means the hardest.
fn level(words: &'static [&'static str], word: &str) -> Option<&'static str> {
    let order = ["MINIMAL", "LOW", "MEDIUM", "HIGH"];
    let rank = |word: &str| order.iter().position(|known| *known == word).unwrap_or(order.len());
    let fitting = words.iter().rev().find(|known| rank(known) <= rank(word));
    fitting.or(words.first()).copied()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(model: &str, wish: impl Into<Value>, expected: &Value) {
        let wish = wish.into();
        let sent = of(model).think(Some(&wish));
        assert_eq!(&serde_json::to_value(sent).unwrap(), expected, "{model} {wish}");
    }

    #[test]
    fn every_generation_is_told_in_its_own_way() {
        let budget = |shown: bool, tokens: i32| json!({"includeThoughts": shown, "thinkingBudget": tokens});
        check("gemini-2.5-flash", true, &budget(true, -1));
        check("Gemini-2.5-Flash", false, &budget(false, 0));
        check("models/gemini-2.5-pro", false, &budget(false, 128));
        check("gemini-2.5-pro", "low", &budget(true, 1_024));
        check("gemini-2.5-flash-lite", "max", &budget(true, 24_576));
        let level = |shown: bool, word: &str| json!({"includeThoughts": shown, "thinkingLevel": word});
        check("gemini-3-flash-preview", true, &json!({"includeThoughts": true}));
        check("gemini-3-flash-preview", false, &level(false, "MINIMAL"));
        check("gemini-3-flash-preview", "medium", &level(true, "MEDIUM"));
        check("gemini-3-pro-preview", "medium", &level(true, "LOW"));
        check("gemini-3-pro-preview", "minimal", &level(true, "LOW"));
        check("gemini-3.1-pro-preview", "medium", &level(true, "MEDIUM"));
        check("gemini-5-pro", false, &level(false, "LOW"));
        check("gemini-3.1-pro-preview", "none", &level(false, "LOW"));
        check("gemini-4-flash", "hard", &level(true, "HIGH"));
        for model in ["gemini-2.0-flash", "gemma-3-27b-it", "aqa"] {
            check(model, true, &Value::Null);
        }
        check("gemini-3-flash", 7, &Value::Null);
        assert_eq!(of("gemini-3-flash").think(None), None);
    }

    #[test]
    fn what_the_operator_says_is_stronger_than_the_table() {
        assert_eq!(of("aqa").overruled(GoogleModel::default()), of("aqa"));
        let said = GoogleModel {
            thinking: Some(GoogleThinking::Budget),
            json_schema: Some(false),
            format_beside_tools: Some(false),
            instruction: Some(false),
        };
        let traits = of("my-model").overruled(said);
        assert_eq!(
            traits,
            Traits {
                thinking: Thinking::Budget { least: 0 },
                window: SMALL_WINDOW,
                ..GEMMA
            }
        );
    }

    #[test]
    fn what_was_learnt_is_stronger_than_the_table() {
        let window = |model, learnt| of(model).abilities(learnt).max_context;
        assert_eq!(window("gemini-2.5-flash", None), 1_048_576);
        assert_eq!(window("gemini-2.5-flash-image", Some(32_768)), 32_768);
        assert_eq!(window("aqa", None), SMALL_WINDOW);
        assert!(of("gemini-3").abilities(None).thinking && !of("gemini-2.0").abilities(None).thinking);
    }
}
