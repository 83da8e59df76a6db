//! What there is to say about one provider.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tertulia_core::media::MediaAbilities;
use tertulia_core::price::Prices;
use tertulia_core::provider::Capabilities;
use tertulia_engine::ProviderPart;
use tertulia_ports::Media;

use super::probe::Outcome;
use crate::config::ProviderSettings;
use crate::terminal::one_line;

/// What there is to say about one provider.
pub(super) struct Overview {
    name: String,
    kind: &'static str,
    /// Kind, address and model in one line, without secrets.
    description: String,
    model: String,
    /// It answers where nothing else is said.
    pub(super) answers: bool,
    missing: Option<String>,
    able: Capabilities,
    media: MediaAbilities,
    prices: Option<Prices>,
    fallback: Vec<String>,
    at_once: usize,
    pub(super) probe: Option<Outcome>,
}

impl Overview {
    pub(super) fn new(name: &str, settings: &ProviderSettings, part: &ProviderPart, model: &str) -> Self {
        let provider = &part.provider;
        Self {
            name: name.to_owned(),
            kind: settings.kind.name(),
            description: provider.describe(),
            model: model.to_owned(),
            answers: false,
            missing: provider.missing_setting().map(str::to_owned),
            able: provider.capabilities(model),
            media: provider.media().map(Media::abilities).unwrap_or_default(),
            prices: part.prices_of(model),
            fallback: part.fallback.clone(),
            at_once: part.at_once,
            probe: None,
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.probe.as_ref().is_some_and(Outcome::has_failed)
    }

    /// For people: a line, and what belongs to it indented below.
    pub(super) fn text(&self) -> String {
        let answers = if self.answers { " (answers)" } else { "" };
        let mut text = format!("{}{answers}: {}\n", one_line(&self.name), one_line(&self.description));
        let lines = [
            self.missing.as_ref().map(|setting| ("missing", setting.clone())),
            (self.model != self.own_model()).then(|| ("asked for", self.model.clone())),
            Some(("can", self.abilities().join(", "))),
            Some(("window", format!("{} tokens", self.able.max_context))),
            self.media_line().map(|media| ("media", media)),
            self.prices.map(|prices| ("costs", price_line(&prices))),
            (!self.fallback.is_empty()).then(|| ("fallback", self.fallback.join(", then "))),
            Some(("at once", format!("{} questions", self.at_once))),
            self.probe.as_ref().map(|outcome| (outcome.word(), outcome.text())),
        ];
        for (what, said) in lines.into_iter().flatten() {
            // writing to a string does not fail
            let _ = writeln!(text, "  {what:10} {}", one_line(&said));
        }
        text
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let able = &self.able;
        json!({
            "name": self.name,
            "kind": self.kind,
            "description": self.description,
            "model": self.model,
            "answers": self.answers,
            "missing": self.missing,
            "capabilities": {
                "supports_conversation": able.conversation,
                "supports_system_messages": able.system,
                "supports_tool_calls": able.tool_calls,
                "supports_vision": able.vision,
                "supports_thinking": able.thinking,
                "max_context_length": able.max_context,
            },
            "media": {
                "imagine": self.media.imagine,
                "transcribe": self.media.transcribe,
                "speak": self.media.speak,
            },
            "prices": self.prices.map(|prices| json!({
                "input": prices.input,
                "output": prices.output,
                "cache_read": prices.cache_read,
                "cache_written": prices.cache_written,
            })),
            "fallback": self.fallback,
            "at_once": self.at_once,
            "probe": self.probe.as_ref().map(Outcome::json),
        })
    }

    /// The model that the description already has in it.
    fn own_model(&self) -> &str {
        if self.description.ends_with(&self.model) || self.kind == "demo" {
            &self.model
        } else {
            ""
        }
    }

    fn abilities(&self) -> Vec<&'static str> {
        let able = &self.able;
        let layout = if able.conversation {
            "conversations"
        } else {
            "single prompts"
        };
        let tools = if able.tool_calls { "tools" } else { "tools as text" };
        [
            (true, layout),
            (able.system, "system messages"),
            (true, tools),
            (able.vision, "pictures"),
            (able.thinking, "thinking"),
        ]
        .into_iter()
        .filter_map(|(is_able, word)| is_able.then_some(word))
        .collect()
    }

    fn media_line(&self) -> Option<String> {
        let words: Vec<&str> = [
            (self.media.imagine, "pictures"),
            (self.media.transcribe, "text of speech"),
            (self.media.speak, "speech"),
        ]
        .into_iter()
        .filter_map(|(is_able, word)| is_able.then_some(word))
        .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

fn price_line(prices: &Prices) -> String {
    let mut line = format!("${} to read, ${} to write", prices.input, prices.output);
    for (price, what) in [
        (prices.cache_read, "from its cache"),
        (prices.cache_written, "into its cache"),
    ] {
        if let Some(price) = price {
            // writing to a string does not fail
            let _ = write!(line, ", ${price} {what}");
        }
    }
    line + ", for a million tokens"
}
