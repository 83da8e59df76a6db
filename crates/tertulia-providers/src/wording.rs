//! What every kind says in the same words, where a protocol has no field for it.

use serde_json::Value;
use tertulia_core::chat::ToolResult;

/// What a model reads in place of a picture that it cannot see.
pub(crate) const UNSEEN: &str = "[a picture that you cannot see]";
/// Where a prompt's next turn would begin: what a model writes from there on is nobody's.
pub(crate) const NEXT_TURN: &str = "\n\nHuman:";

/// The texts that end an answer, at most so many; empty ones are refused, or end it at once. A prompt's answer ends also where
/// the next turn would begin.
pub(crate) fn stops(asked: &[String], is_prompt: bool, most: usize) -> Vec<String> {
    let next = is_prompt.then(|| NEXT_TURN.to_owned());
    let room = most.saturating_sub(usize::from(is_prompt));
    let asked = asked.iter().filter(|stop| !stop.is_empty()).take(room);
    asked.cloned().chain(next).collect()
}

/// A result that answers none of the calls.
pub(crate) fn told(result: &ToolResult) -> String {
    format!("Result of {}:\n{}", result.name, result.content)
}

/// The wish for an answer in JSON, by a schema or of any form; `None` for what is no such wish.
pub(crate) fn json_wish(format: &Value) -> Option<String> {
    match format {
        Value::String(word) if word == "json" => {
            Some("Answer with one JSON object and with nothing before or behind it.".to_owned())
        }
        schema @ Value::Object(_) => Some(format!(
            "Answer with JSON that follows this schema and with nothing before or behind it:\n{schema}"
        )),
        _ => None,
    }
}

/// The system prompt with a wish behind it.
pub(crate) fn instructed(system: &str, wish: Option<String>) -> String {
    match wish {
        None => system.to_owned(),
        Some(wish) if system.is_empty() => wish,
        Some(wish) => format!("{system}\n\n{wish}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stops_are_bounded_and_say_something() {
        let asked = ["a", "", "\n", "c"].map(str::to_owned);
        assert_eq!(stops(&asked, false, 2), ["a", "\n"]);
        assert_eq!(stops(&asked, true, 2), ["a", NEXT_TURN]);
        assert_eq!(stops(&[], false, 4), Vec::<String>::new());
    }

    #[test]
    fn a_wish_stands_behind_the_system_prompt() {
        assert_eq!(instructed("Be kind.", json_wish(&json!("yaml"))), "Be kind.");
        assert_eq!(instructed("", Some("x".into())), "x");
        let wish = instructed("Be kind.", json_wish(&json!({"type": "object"})));
        assert!(
            wish.starts_with("Be kind.\n\nAnswer with JSON") && wish.ends_with("{\"type\":\"object\"}"),
            "{wish}"
        );
    }
}
