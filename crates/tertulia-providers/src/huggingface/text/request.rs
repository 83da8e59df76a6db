//! The body of a request for text.

use serde::Serialize;
use serde_json::{Value, json};
use tertulia_core::layout;
use tertulia_core::provider::{Capabilities, ModelRequest};

use crate::wording::{NEXT_TURN, instructed, json_wish};

/// So many stops are taken by a server that was set up without a word about them.
const STOPS: usize = 4;
/// The length of an answer of which nobody said how long it may be, in tokens: what servers take by themselves is a hundred
/// or less.
const USUAL_LENGTH: u64 = 1_024;

/// The body of a request for text.
#[derive(Debug, Serialize)]
pub(crate) struct Body {
    pub(super) inputs: String,
    parameters: Parameters,
    stream: bool,
    /// What ends the answer, whether the server was told or not.
    #[serde(skip)]
    pub(super) stops: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Parameters {
    max_new_tokens: u64,
    /// Above 0 only: 0 is refused, and means that nothing is left to chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    do_sample: Option<bool>,
    /// Between 0 and 1 only: 1 is refused, and means nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    stop: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grammar: Option<Value>,
    return_full_text: bool,
    /// The counts, and why it ended.
    details: bool,
}

impl Body {
    pub(crate) fn new(request: &ModelRequest, able: Capabilities) -> Self {
        let generation = &request.generation;
        let said = generation.stop.iter().filter(|stop| !stop.is_empty()).cloned();
        let stops: Vec<String> = std::iter::once(NEXT_TURN.to_owned()).chain(said).collect();
        let usual = USUAL_LENGTH.min(able.max_context / 4).max(1);
        let schema = generation.format.as_ref().filter(|format| format.is_object());
        let is_cold = generation.temperature.is_some_and(|temperature| temperature <= 0.0);
        let parameters = Parameters {
            max_new_tokens: generation.max_tokens.unwrap_or(usual),
            temperature: generation.temperature.filter(|_| !is_cold),
            do_sample: is_cold.then_some(false),
            top_p: generation.top_p.filter(|top_p| *top_p > 0.0 && *top_p < 1.0),
            seed: generation.seed.filter(|seed| *seed >= 0),
            stop: stops.iter().take(STOPS).cloned().collect(),
            grammar: schema.map(|schema| json!({"type": "json", "value": schema})),
            return_full_text: false,
            details: true,
        };
        // there is no grammar of any JSON
        let wish = generation
            .format
            .as_ref()
            .filter(|_| schema.is_none())
            .and_then(json_wish);
        let system = instructed(&request.system, wish);
        Self {
            inputs: layout::prompt(&system, &request.messages),
            parameters,
            stream: true,
            stops,
        }
    }
}

#[cfg(test)]
mod tests {
    use tertulia_core::chat::ChatMessage;
    use tertulia_message::Generation;

    use super::*;
    use crate::kinds::PROMPT_ONLY;

    #[track_caller]
    fn check(generation: Generation, expected: &Value) {
        let request = ModelRequest {
            model: "acme/writer-1b".into(),
            system: "Be kind.".into(),
            messages: vec![ChatMessage::user("Hi")],
            tools: Vec::new(),
            generation,
        };
        let body = serde_json::to_value(Body::new(&request, PROMPT_ONLY)).unwrap();
        let inputs = "System: Be kind.\n\nHuman: Hi\n\nAssistant:";
        assert_eq!(body, json!({"inputs": inputs, "parameters": expected, "stream": true}));
    }

    #[test]
    fn what_the_server_would_refuse_is_left_out() {
        check(
            Generation::default(),
            &json!({
                "max_new_tokens": 1024, "stop": ["\n\nHuman:"], "return_full_text": false, "details": true,
            }),
        );
        check(
            Generation {
                temperature: Some(0.0),
                top_p: Some(1.0),
                seed: Some(-1),
                max_tokens: Some(8),
                stop: ["a", "", "b", "c", "d"].map(str::to_owned).to_vec(),
                ..Generation::default()
            },
            &json!({
                "max_new_tokens": 8, "do_sample": false, "stop": ["\n\nHuman:", "a", "b", "c"],
                "return_full_text": false, "details": true,
            }),
        );
        check(
            Generation {
                temperature: Some(0.5),
                top_p: Some(0.9),
                seed: Some(7),
                format: Some(json!({"type": "object"})),
                ..Generation::default()
            },
            &json!({
                "max_new_tokens": 1024, "temperature": 0.5, "top_p": 0.9, "seed": 7, "stop": ["\n\nHuman:"],
                "grammar": {"type": "json", "value": {"type": "object"}}, "return_full_text": false, "details": true,
            }),
        );
    }

    #[test]
    fn any_json_is_wished_for_in_words() {
        let generation = Generation {
            format: Some(json!("json")),
            ..Generation::default()
        };
        let request = ModelRequest {
            model: "acme/writer-1b".into(),
            system: String::new(),
            messages: vec![ChatMessage::user("Hi")],
            tools: Vec::new(),
            generation,
        };
        let body = serde_json::to_value(Body::new(&request, PROMPT_ONLY)).unwrap();
        let inputs = body["inputs"].as_str().unwrap();
        assert!(inputs.starts_with("System: Answer with one JSON object"), "{inputs}");
        assert!(body["parameters"]["grammar"].is_null());
    }
}
