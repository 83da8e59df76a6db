//! What a server tells about a model and about itself.

use serde_json::Value;

/// What `/api/show` says of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a table of abilities is what it is")]
pub(crate) struct Shown {
    /// It completes texts, and so it chats; a model for embeddings does not.
    pub(crate) chat: bool,
    pub(crate) tools: bool,
    pub(crate) vision: bool,
    pub(crate) thinking: bool,
    /// The longest window it was made for, in tokens.
    pub(crate) context_length: Option<u64>,
    /// The `num_ctx` that its maker wrote into it, in tokens.
    pub(crate) own_window: Option<u64>,
}

/// What is known of a model and its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Learnt {
    pub(crate) shown: Shown,
    /// The server refuses what is too long instead of cutting it.
    pub(crate) refuses: bool,
}

/// Families whose models see, for servers that do not say it.
const SEEING: [&str; 2] = ["clip", "mllama"];

impl Shown {
    /// Reads the answer of `/api/show`.
    pub(crate) fn read(answer: &Value) -> Self {
        let able = match answer.get("capabilities").and_then(Value::as_array) {
            Some(listed) => Self::listed(listed),
            None => Self::guessed(answer),
        };
        Self {
            context_length: context_length(answer),
            own_window: answer.get("parameters").and_then(Value::as_str).and_then(own_window),
            ..able
        }
    }

    fn listed(listed: &[Value]) -> Self {
        let has = |ability: &str| listed.iter().any(|listed| listed.as_str() == Some(ability));
        Self {
            chat: has("completion"),
            tools: has("tools"),
            vision: has("vision"),
            thinking: has("thinking"),
            ..Self::default()
        }
    }

    /// Servers before 0.6.4 list nothing. The template then shows what the model can: it names the tools where it takes
    /// them, and the parts of a conversation where it is made for one. No such server lets a model think apart.
    fn guessed(answer: &Value) -> Self {
        let template = answer.get("template").and_then(Value::as_str).unwrap_or_default();
        let names = |word: &str| template.contains(word);
        let families = answer.pointer("/details/families").and_then(Value::as_array);
        let sees = |family: &Value| family.as_str().is_some_and(|family| SEEING.contains(&family));
        Self {
            chat: names(".Messages") || names(".System"),
            tools: names(".Tools"),
            vision: families.into_iter().flatten().any(sees),
            ..Self::default()
        }
    }
}

/// `model_info."<architecture>.context_length"`.
fn context_length(answer: &Value) -> Option<u64> {
    let info = answer.get("model_info")?.as_object()?;
    let architecture = info.get("general.architecture").and_then(Value::as_str);
    let named = architecture.and_then(|name| info.get(&format!("{name}.context_length")));
    let any = || {
        info.iter()
            .find_map(|(key, value)| key.ends_with(".context_length").then_some(value))
    };
    named.or_else(any)?.as_u64().filter(|length| *length > 0)
}

/// The `num_ctx` among the parameters, which are lines of a name and a value.
fn own_window(parameters: &str) -> Option<u64> {
    parameters.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next()? == "num_ctx").then_some(())?;
        words.next()?.parse().ok().filter(|window| *window > 0)
    })
}

/// Whether a server of this version refuses what is longer than the window when it is told `truncate: false` and
/// `shift: false`. Older ones know neither, and cut in silence.
///
/// The two came with 0.12.6; 0.13 leaves some margin. What is no version is taken for an old one.
pub(crate) fn refuses(version: &str) -> bool {
    let mut numbers = version
        .trim_start_matches('v')
        .split(['.', '-', '+'])
        .map(str::parse::<u64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(0)), Some(Ok(minor))) => minor >= 13,
        (Some(Ok(_)), Some(Ok(_))) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_of_abilities_counts() {
        let answer = json!({
            "capabilities": ["completion", "tools", "thinking"],
            "parameters": "stop    \"<|im_end|>\"\nnum_ctx                        8192\ntemperature 0.6",
            "template": "{{ .Prompt }}",
            "details": {"families": ["clip"]},
            "model_info": {
                "general.architecture": "qwen3", "qwen3.vision.context_length": 7, "qwen3.context_length": 40960,
            },
        });
        let expected = Shown {
            chat: true,
            tools: true,
            vision: false,
            thinking: true,
            context_length: Some(40_960),
            own_window: Some(8_192),
        };
        assert_eq!(Shown::read(&answer), expected);
        assert_eq!(Shown::read(&json!({"capabilities": ["embedding"]})), Shown::default());
    }

    #[test]
    fn old_servers_are_read_by_their_templates() {
        let check = |template: &str, families: Value, expected: Shown| {
            let answer = json!({"template": template, "details": {"families": families}, "model_info": null});
            assert_eq!(Shown::read(&answer), expected);
        };
        let chat = Shown {
            chat: true,
            ..Shown::default()
        };
        check("{{ .Prompt }}", Value::Null, Shown::default());
        check(
            "{{ .System }} {{ .Prompt }}",
            json!(["llama", "clip"]),
            Shown { vision: true, ..chat },
        );
        check(
            "{{ range .Messages }}{{ .Tools }}",
            json!(["llama"]),
            Shown { tools: true, ..chat },
        );
        assert_eq!(Shown::read(&json!([])), Shown::default());
    }

    #[test]
    fn versions_are_compared_by_number() {
        for (version, expected) in [
            ("0.13.0", true),
            ("0.30.9-rc1", true),
            ("v1.0.2", true),
            ("0.12.11", false),
            ("0.9.6", false),
            ("0.0.0", false),
            ("", false),
            ("main", false),
        ] {
            assert_eq!(refuses(version), expected, "{version}");
        }
    }
}
