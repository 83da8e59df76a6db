//! What the operator says about the abilities of a provider and of its models.

use tertulia_providers::{AbilityOverrides, Overrides};

use super::section::Section;
use crate::config::settings::Settings;

/// The keys.
pub(super) const KEYS: [&str; 6] = [
    "supports_conversation",
    "supports_system_messages",
    "supports_tool_calls",
    "supports_vision",
    "supports_thinking",
    "max_context_length",
];

pub(super) fn read(section: &Section<'_>) -> Overrides {
    let models = section.models().map(|model| {
        let said = said(section.settings, &["providers", section.name, "models", model.name]);
        (model.name.to_owned(), said)
    });
    Overrides {
        all: said(section.settings, &section.path("capabilities")),
        models: models.collect(),
    }
}

fn said(settings: &Settings, section: &[&str]) -> AbilityOverrides {
    let flag = |key| settings.flag(&[section, &[key]].concat());
    AbilityOverrides {
        conversation: flag("supports_conversation"),
        system: flag("supports_system_messages"),
        tool_calls: flag("supports_tool_calls"),
        vision: flag("supports_vision"),
        thinking: flag("supports_thinking"),
        max_context: settings.whole(&[section, &["max_context_length"]].concat()),
    }
}
