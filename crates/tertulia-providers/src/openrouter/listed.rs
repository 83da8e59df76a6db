//! What OpenRouter's list tells of its models.

use std::collections::BTreeMap;

use serde_json::Value;

/// Of so many models it is remembered what the list tells.
const MODELS: usize = 4_096;
/// The longest name of a model that is remembered, in bytes.
const LONGEST_NAME: usize = 256;

/// What the list tells of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listed {
    /// In tokens.
    pub(crate) window: Option<u64>,
    pub(crate) vision: bool,
    pub(crate) tools: bool,
    pub(crate) thinking: bool,
}

/// The models of the list, by their names in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Models(BTreeMap<String, Listed>);

impl Models {
    /// Reads the list; `None` if it is none.
    pub(crate) fn read(list: &Value) -> Option<Self> {
        let entries = list.get("data")?.as_array()?;
        let named = |entry: &Value| {
            let name = entry.get("id").and_then(Value::as_str)?;
            (name.len() <= LONGEST_NAME).then(|| (name.to_lowercase(), Listed::read(entry)))
        };
        Some(Self(entries.iter().filter_map(named).take(MODELS).collect()))
    }

    /// What is told of a model, or of the one that it is a variant of, `:free`, say.
    pub(crate) fn get(&self, model: &str) -> Option<Listed> {
        let model = model.to_lowercase();
        let base = model.split_once(':').map(|(base, _)| base);
        self.0.get(&model).or_else(|| self.0.get(base?)).copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Listed {
    fn read(entry: &Value) -> Self {
        let lists = |pointer: &str, word: &str| {
            let words = entry.pointer(pointer).and_then(Value::as_array);
            words.is_some_and(|words| words.iter().any(|listed| listed.as_str() == Some(word)))
        };
        let count = |pointer: &str| {
            let count = entry.pointer(pointer).and_then(Value::as_u64);
            count.filter(|count| *count > 0)
        };
        Self {
            // what the first provider takes is what is there for certain
            window: count("/top_provider/context_length").or_else(|| count("/context_length")),
            vision: lists("/architecture/input_modalities", "image"),
            tools: lists("/supported_parameters", "tools"),
            thinking: lists("/supported_parameters", "reasoning"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_list_tells_what_models_can() {
        let list = json!({"data": [
            {"id": "A/One", "context_length": 1000, "top_provider": {"context_length": 900},
                "architecture": {"input_modalities": ["text", "image"]}, "supported_parameters": ["tools", "reasoning"]},
            {"id": "b/two", "context_length": 0},
            {"context_length": 5},
            {"id": "x".repeat(300)},
            7,
        ]});
        let models = Models::read(&list).unwrap();
        let one = Listed {
            window: Some(900),
            vision: true,
            tools: true,
            thinking: true,
        };
        assert_eq!((models.get("a/one"), models.get("a/ONE:free")), (Some(one), Some(one)));
        let two = Listed {
            window: None,
            vision: false,
            tools: false,
            thinking: false,
        };
        assert_eq!((models.get("b/two"), models.get("c")), (Some(two), None));
        assert_eq!(models.0.len(), 2);
        for broken in [json!([]), json!({"data": 1}), json!(null)] {
            assert_eq!(Models::read(&broken), None);
        }
    }
}
