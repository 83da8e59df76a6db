//! What an operator may overrule about the abilities of a provider and of its models.

use std::collections::BTreeMap;

use tertulia_core::provider::Capabilities;

/// Overruled abilities; what is absent stays as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AbilityOverrides {
    /// It takes a list of messages.
    pub conversation: Option<bool>,
    /// It takes system messages.
    pub system: Option<bool>,
    /// It can call tools.
    pub tool_calls: Option<bool>,
    /// It sees pictures.
    pub vision: Option<bool>,
    /// It can think before it answers.
    pub thinking: Option<bool>,
    /// How many tokens it reads and writes at most, in all.
    pub max_context: Option<u64>,
}

/// The overrides of one provider: for all its models, and for some.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overrides {
    /// For every model.
    pub all: AbilityOverrides,
    /// For a model by name, upper and lower case alike; stronger than `all`.
    pub models: BTreeMap<String, AbilityOverrides>,
}

impl Overrides {
    /// The abilities of a model, starting from what is known of it.
    #[must_use]
    pub fn apply(&self, model: &str, known: Capabilities) -> Capabilities {
        let of_model = self
            .models
            .iter()
            .filter(|(name, _)| name.to_lowercase() == model.to_lowercase());
        of_model.fold(self.all.apply(known), |abilities, (_, overrides)| {
            overrides.apply(abilities)
        })
    }
}

impl AbilityOverrides {
    fn apply(&self, known: Capabilities) -> Capabilities {
        Capabilities {
            conversation: self.conversation.unwrap_or(known.conversation),
            system: self.system.unwrap_or(known.system),
            tool_calls: self.tool_calls.unwrap_or(known.tool_calls),
            vision: self.vision.unwrap_or(known.vision),
            thinking: self.thinking.unwrap_or(known.thinking),
            format: known.format,
            max_context: self.max_context.unwrap_or(known.max_context),
        }
    }
}

#[cfg(test)]
mod tests {
    use tertulia_core::provider::Format;

    use super::*;

    #[test]
    fn a_models_override_is_stronger_than_the_providers() {
        let known = Capabilities {
            conversation: true,
            system: true,
            tool_calls: true,
            vision: false,
            thinking: false,
            format: Format::Standard,
            max_context: 1_000,
        };
        let all = AbilityOverrides {
            tool_calls: Some(false),
            max_context: Some(2_000),
            ..AbilityOverrides::default()
        };
        let one = AbilityOverrides {
            vision: Some(true),
            max_context: Some(3_000),
            ..AbilityOverrides::default()
        };
        let overrides = Overrides {
            all,
            models: BTreeMap::from([("Llava:7B".to_owned(), one)]),
        };
        assert_eq!(Overrides::default().apply("m", known), known);
        let other = Capabilities {
            tool_calls: false,
            max_context: 2_000,
            ..known
        };
        assert_eq!(overrides.apply("m", known), other);
        let llava = Capabilities {
            vision: true,
            max_context: 3_000,
            ..other
        };
        assert_eq!(overrides.apply("llava:7b", known), llava);
    }
}
