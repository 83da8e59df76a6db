//! What is known of Anthropic's models by their names: each generation takes other parameters.

use crate::server::said_of;
use tertulia_core::provider::{Capabilities, Format};

use super::config::AnthropicConfig;

/// The window of a model of another maker, of which nothing is known, in tokens.
const SMALL_WINDOW: u64 = 8_192;
const WINDOW: u64 = 200_000;

/// How a model is told to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    /// Not at all: it cannot, or nobody knows.
    None,
    /// With a budget of tokens.
    Budget,
    /// It decides by itself how much; it may be told how hard to try.
    Adaptive,
}

/// What is special about a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Traits {
    pub(crate) thinking: Thinking,
    /// It takes `temperature` and `top_p`.
    pub(crate) sampling: bool,
    /// It takes a JSON schema that its answer must follow.
    pub(crate) schema: bool,
    /// The longest answer where a request does not say, in tokens.
    pub(crate) usual_answer: u64,
    /// The longest answer that may be asked for, thinking included, in tokens.
    pub(crate) longest_answer: u64,
}

/// A model of Anthropic's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Claude<'a> {
    name: &'a str,
    /// Major and minor; `None` for a name without numbers.
    version: Option<(u32, u32)>,
}

impl Traits {
    /// What is known of a model, and what the operator says.
    pub(crate) fn of(model: &str, config: &AnthropicConfig) -> Self {
        let said = said_of(&config.models, model);
        let known = Self::known(model, config.max_tokens);
        Self {
            thinking: said.thinking.unwrap_or(known.thinking),
            sampling: said.sampling.unwrap_or(known.sampling),
            schema: said.schema.unwrap_or(known.schema),
            usual_answer: said.max_tokens.unwrap_or(known.usual_answer),
            ..known
        }
    }

    fn known(model: &str, usual_answer: u64) -> Self {
        let unknown = Self {
            thinking: Thinking::None,
            sampling: true,
            schema: false,
            usual_answer,
            longest_answer: u64::MAX,
        };
        let model = model.to_lowercase();
        let Some(claude) = Claude::read(&model) else {
            return unknown;
        };
        let Some(version) = claude.version else {
            return unknown;
        };
        let opus = claude.name.contains("opus");
        Self {
            thinking: match version {
                (..=2, _) | (3, ..=6) => Thinking::None,
                (3, _) | (4, ..=5) => Thinking::Budget,
                _ => Thinking::Adaptive,
            },
            sampling: version < (4, 7),
            schema: version >= (4, 5) || (opus && version == (4, 1)),
            longest_answer: match version {
                (..=2, _) | (3, ..=4) => 4_096,
                (3, ..=6) => 8_192,
                (4, ..=1) if opus => 32_000,
                _ => 64_000,
            },
            ..unknown
        }
    }
}

impl<'a> Claude<'a> {
    /// Reads a name in lower case, with whatever a gateway puts in front of it; `None` for other makers' models.
    fn read(name: &'a str) -> Option<Self> {
        let (_, name) = name.split_once("claude")?;
        let words = name.split(['-', '.', '@', ':', '_']);
        // longer numbers are dates
        let mut numbers = words.map(|word| word.parse::<u32>().ok().filter(|_| word.len() <= 2));
        let version = numbers
            .find_map(|number| number)
            .map(|major| (major, numbers.next().flatten().unwrap_or(0)));
        Some(Self { name, version })
    }
}

/// The abilities of a model before the operator overrules any.
pub(crate) fn abilities(model: &str) -> Capabilities {
    let model = model.to_lowercase();
    let claude = Claude::read(&model);
    let old = claude
        .and_then(|claude| claude.version)
        .is_some_and(|version| version < (3, 0));
    Capabilities {
        conversation: true,
        system: true,
        tool_calls: true,
        vision: claude.is_some() && !old,
        thinking: Traits::known(&model, 0).thinking != Thinking::None,
        format: Format::Standard,
        max_context: if claude.is_some() { WINDOW } else { SMALL_WINDOW },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnthropicModel;

    #[test]
    fn names_tell_the_generation() {
        let version = |name: &str| Claude::read(name).and_then(|claude| claude.version);
        for (name, expected) in [
            ("claude-3-5-sonnet-20241022", Some((3, 5))),
            ("claude-3-opus-20240229", Some((3, 0))),
            ("claude-3-7-sonnet-latest", Some((3, 7))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("claude-opus-4-1-20250805", Some((4, 1))),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", Some((4, 5))),
            ("anthropic/claude-opus-4.6", Some((4, 6))),
            ("claude-haiku-5-5", Some((5, 5))),
            ("claude-fable-5", Some((5, 0))),
            ("claude-latest", None),
            ("gpt-5", None),
        ] {
            assert_eq!(version(name), expected, "{name}");
        }
    }

    #[test]
    fn generations_differ() {
        let check = |model: &str, thinking, sampling, schema, longest| {
            let known = Traits::known(model, 1);
            let seen = (known.thinking, known.sampling, known.schema, known.longest_answer);
            assert_eq!(seen, (thinking, sampling, schema, longest), "{model}");
        };
        check("claude-3-haiku-20240307", Thinking::None, true, false, 4_096);
        check("claude-3-5-sonnet-latest", Thinking::None, true, false, 8_192);
        check("claude-3-7-sonnet-latest", Thinking::Budget, true, false, 64_000);
        check("claude-opus-4-1", Thinking::Budget, true, true, 32_000);
        check("Claude-Sonnet-4-5", Thinking::Budget, true, true, 64_000);
        check("claude-opus-4-6", Thinking::Adaptive, true, true, 64_000);
        check("claude-opus-4-7", Thinking::Adaptive, false, true, 64_000);
        check("claude-sonnet-5", Thinking::Adaptive, false, true, 64_000);
        check("smollm2", Thinking::None, true, false, u64::MAX);
    }

    #[test]
    fn what_the_operator_says_is_stronger() {
        let said = AnthropicModel {
            max_tokens: Some(100),
            thinking: Some(Thinking::Budget),
            sampling: Some(false),
            schema: None,
        };
        let config = AnthropicConfig {
            models: [("DeepSeek-V4".to_owned(), said)].into(),
            ..AnthropicConfig::official()
        };
        let traits = Traits::of("deepseek-v4", &config);
        let seen = (traits.usual_answer, traits.thinking, traits.sampling, traits.schema);
        assert_eq!(seen, (100, Thinking::Budget, false, false));
        assert_eq!(Traits::of("claude-sonnet-5", &config).usual_answer, 4_096);
    }

    #[test]
    fn claudes_see_and_remember() {
        let able = |model: &str| {
            let able = abilities(model);
            (able.vision, able.thinking, able.max_context)
        };
        assert_eq!(able("claude-sonnet-4-5"), (true, true, WINDOW));
        assert_eq!(able("claude-3-haiku-20240307"), (true, false, WINDOW));
        assert_eq!(able("claude-2.1"), (false, false, WINDOW));
        assert_eq!(able("smollm2"), (false, false, SMALL_WINDOW));
    }
}
