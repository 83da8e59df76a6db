//! What the router's list of models, or an endpoint, tells about a model.

use serde_json::Value;

/// What is known of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Listed {
    /// Its window, in tokens.
    pub(crate) context: Option<u64>,
    pub(crate) tools: bool,
    pub(crate) vision: bool,
}

/// What stands for a partner where the router chooses one.
const CHOICES: [&str; 3] = ["fastest", "cheapest", "preferred"];

impl Listed {
    /// The entry of a model, `owner/name` or `owner/name:partner`. Where any partner may answer, only what all of them can
    /// counts.
    pub(crate) fn read(list: &Value, model: &str) -> Option<Self> {
        let (name, partner) = model.split_once(':').unwrap_or((model, ""));
        let entry = entries(list).find(|entry| is_named(entry.get("id"), name))?;
        let Some(partners) = entry.get("providers").and_then(Value::as_array) else {
            return Some(Self {
                context: ["max_model_len", "context_length"]
                    .iter()
                    .find_map(|field| count(entry, field)),
                ..Self::default()
            });
        };
        let is_meant = |offer: &&Value| {
            let any = partner.is_empty() || CHOICES.contains(&partner.to_lowercase().as_str());
            let lives = offer
                .get("status")
                .and_then(Value::as_str)
                .is_none_or(|status| status == "live");
            lives && (any || is_named(offer.get("provider"), partner))
        };
        let meant: Vec<&Value> = partners.iter().filter(is_meant).collect();
        if meant.is_empty() {
            return None;
        }
        let inputs = entry
            .pointer("/architecture/input_modalities")
            .and_then(Value::as_array);
        Some(Self {
            context: meant.iter().filter_map(|offer| count(offer, "context_length")).min(),
            tools: meant
                .iter()
                .all(|offer| offer.get("supports_tools") == Some(&Value::Bool(true))),
            vision: inputs.into_iter().flatten().any(|input| input == "image"),
        })
    }

    /// The list is the router's, which has every model that can be asked.
    pub(crate) fn is_of_router(list: &Value) -> bool {
        entries(list).any(|entry| entry.get("providers").is_some_and(Value::is_array))
    }

    /// What an endpoint tells about itself.
    pub(crate) fn of_endpoint(info: &Value) -> Self {
        Self {
            context: ["max_total_tokens", "max_input_tokens", "max_input_length"]
                .iter()
                .find_map(|field| count(info, field)),
            ..Self::default()
        }
    }
}

fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.get("data").and_then(Value::as_array).into_iter().flatten()
}

fn is_named(value: Option<&Value>, name: &str) -> bool {
    value
        .and_then(Value::as_str)
        .is_some_and(|value| value.to_lowercase() == name.to_lowercase())
}

fn count(value: &Value, field: &str) -> Option<u64> {
    value.get(field).and_then(Value::as_u64).filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_partner_decides_where_one_is_named() {
        let offer = |name: &str, status: &str, context: u64, tools: bool| json!({"provider": name, "status": status, "context_length": context, "supports_tools": tools});
        let list = json!({"data": [
            {"id": "other/model", "providers": []},
            {"id": "Acme/Seer-8B", "architecture": {"input_modalities": ["text", "image"]}, "providers": [
                offer("one", "live", 131_072, true), offer("two", "live", 32_768, false), offer("gone", "error", 8, false),
            ]},
        ]});
        let check = |model: &str, expected: Option<(u64, bool)>| {
            let expected = expected.map(|(context, tools)| Listed {
                context: Some(context),
                tools,
                vision: true,
            });
            assert_eq!(Listed::read(&list, model), expected, "{model}");
        };
        check("acme/seer-8b", Some((32_768, false)));
        check("acme/seer-8b:cheapest", Some((32_768, false)));
        check("acme/seer-8b:One", Some((131_072, true)));
        for missing in ["acme/seer-8b:gone", "acme/seer-8b:three", "acme/none", "other/model"] {
            check(missing, None);
        }
        assert!(Listed::is_of_router(&list) && !Listed::is_of_router(&json!({"data": [{"id": "tgi"}]})));
    }

    #[test]
    fn endpoints_tell_their_window() {
        let context = |listed: Listed| listed.context;
        let list = json!({"data": [{"id": "acme/writer", "max_model_len": 4096}]});
        assert_eq!(Listed::read(&list, "acme/writer").and_then(context), Some(4_096));
        let info = json!({"max_total_tokens": 2048, "max_input_length": 1024});
        assert_eq!(context(Listed::of_endpoint(&info)), Some(2_048));
        assert_eq!(Listed::of_endpoint(&json!([])), Listed::default());
    }
}
