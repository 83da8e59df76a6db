//! How to generate: `options`, `format` and `think`.

use serde_json::Value;
use tertulia_message::Generation;

use super::fields::Fields;
use crate::refusal::Refusal;

/// What the request says about generating. Options that only a model file knows are not looked at.
pub(super) fn read(fields: &Fields<'_>) -> Result<Generation, Refusal> {
    let mut generation = Generation {
        format: format(fields)?,
        think: think(fields)?,
        ..Generation::default()
    };
    if let Some(options) = fields.object("options")? {
        let options = Fields::new(options, "options");
        generation.temperature = float(&options, "temperature")?;
        generation.top_p = float(&options, "top_p")?;
        // below zero stands for "no limit"
        generation.max_tokens = integer(&options, "num_predict")?
            .and_then(|n| u64::try_from(n).ok())
            .filter(|n| *n > 0);
        generation.seed = integer(&options, "seed")?;
        generation.stop = stop(&options)?;
    }
    Ok(generation)
}

fn float(options: &Fields<'_>, key: &str) -> Result<Option<f64>, Refusal> {
    let read = |value: &Value| value.as_f64().ok_or_else(|| wrong(key, "float32"));
    options.get(key).map(read).transpose()
}

fn integer(options: &Fields<'_>, key: &str) -> Result<Option<i64>, Refusal> {
    let read = |value: &Value| match value.as_i64() {
        Some(n) => Ok(n),
        None => value.as_f64().and_then(whole).ok_or_else(|| wrong(key, "integer")),
    };
    options.get(key).map(read).transpose()
}

/// Some clients write whole numbers as `256.0`.
fn whole(number: f64) -> Option<i64> {
    let is_exact = number.fract() == 0.0 && number.abs() < 9e15;
    is_exact.then(|| format!("{number:.0}").parse().ok()).flatten()
}

fn stop(options: &Fields<'_>) -> Result<Vec<String>, Refusal> {
    let text = |value: &Value| {
        value
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| wrong("stop", "array of strings"))
    };
    match options.get("stop") {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => list.iter().map(text).collect(),
        Some(one) => Ok(vec![text(one)?]),
    }
}

fn wrong(key: &str, kind: &str) -> Refusal {
    Refusal::bad(format!("option {key:?} must be of type {kind}"))
}

fn format(fields: &Fields<'_>) -> Result<Option<Value>, Refusal> {
    match fields.get("format") {
        None => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(json @ Value::String(text)) if text == "json" => Ok(Some(json.clone())),
        Some(schema @ Value::Object(_)) => Ok(Some(schema.clone())),
        Some(other) => Err(Refusal::bad(format!(
            "invalid format: {}; expected \"json\" or a valid JSON Schema object",
            shortened(other)
        ))),
    }
}

fn think(fields: &Fields<'_>) -> Result<Option<Value>, Refusal> {
    match fields.get("think") {
        None => Ok(None),
        Some(flag @ Value::Bool(_)) => Ok(Some(flag.clone())),
        Some(level @ Value::String(text)) if ["low", "medium", "high", "max"].contains(&text.as_str()) => {
            Ok(Some(level.clone()))
        }
        Some(other) => Err(Refusal::bad(format!(
            "invalid think value: {} (must be \"high\", \"medium\", \"low\", \"max\", true, or false)",
            shortened(other)
        ))),
    }
}

fn shortened(value: &Value) -> String {
    value.to_string().chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn generation(body: &Value) -> Result<Generation, String> {
        read(&Fields::new(body.as_object().unwrap(), "ChatRequest")).map_err(|refusal| refusal.text)
    }

    #[test]
    fn options_become_generation() {
        let body = json!({"think":"low","format":{"type":"object"},"options":{
            "temperature":0.5,"top_p":1,"num_predict":256.0,"seed":-7,"stop":["a"],"num_ctx":4096,"mirostat":"x"}});
        let expected = Generation {
            temperature: Some(0.5),
            top_p: Some(1.0),
            max_tokens: Some(256),
            stop: vec!["a".into()],
            seed: Some(-7),
            format: Some(json!({"type":"object"})),
            think: Some(json!("low")),
        };
        assert_eq!(generation(&body), Ok(expected));
    }

    #[test]
    fn what_is_absent_or_endless_is_left_to_the_provider() {
        for body in [
            json!({}),
            json!({"options":null,"think":null,"format":""}),
            json!({"options":{"num_predict":-1}}),
            json!({"options":{"num_predict":-2,"stop":[],"seed":null}}),
        ] {
            assert_eq!(generation(&body), Ok(Generation::default()), "{body}");
        }
    }

    #[test]
    fn wrong_types_are_named() {
        for (body, expected) in [
            (
                json!({"options":{"temperature":"hot"}}),
                "option \"temperature\" must be of type float32",
            ),
            (
                json!({"options":{"num_predict":1.5}}),
                "option \"num_predict\" must be of type integer",
            ),
            (
                json!({"options":{"seed":1e300}}),
                "option \"seed\" must be of type integer",
            ),
            (
                json!({"options":{"stop":[1]}}),
                "option \"stop\" must be of type array of strings",
            ),
            (
                json!({"options":[]}),
                "json: cannot unmarshal array into Go struct field ChatRequest.options of type map[string]interface {}",
            ),
            (
                json!({"think":"deep"}),
                "invalid think value: \"deep\" (must be \"high\", \"medium\", \"low\", \"max\", true, or false)",
            ),
            (
                json!({"format":"xml"}),
                "invalid format: \"xml\"; expected \"json\" or a valid JSON Schema object",
            ),
        ] {
            assert_eq!(generation(&body), Err(expected.to_owned()));
        }
    }
}
