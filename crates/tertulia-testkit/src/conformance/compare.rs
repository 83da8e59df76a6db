//! Judges an operation's outcome by what its vector expects.

use serde_json::{Map, Value, json};

use super::vector::{Comparison, Vector};
use super::{Failure, Outcome};

/// What differs from run to run in a chunk of an `OpenAI` stream: compared only when expected.
const VOLATILE: [&str; 3] = ["id", "created", "model"];

/// `Err` says how the outcome differs from the expected one.
pub(super) fn judge(vector: &Vector, outcome: &Outcome) -> Result<(), String> {
    let expects_error = vector.expected.get("error").is_some_and(Value::is_string);
    match outcome {
        Err(failure) if expects_error => unchanged(&vector.expected, failure),
        Err(failure) => Err(format!("failed: {}", failure.message)),
        Ok(actual) if expects_error && vector.comparison != Comparison::Properties => {
            Err(format!("expected an error, got {actual}"))
        }
        Ok(actual) => values(vector, actual),
    }
}

fn unchanged(expected: &Value, failure: &Failure) -> Result<(), String> {
    match expected.get("unchanged") {
        Some(unchanged) if failure.left.as_ref() != Some(unchanged) => {
            Err(format!("expected {unchanged} unchanged, left {:?}", failure.left))
        }
        _ => Ok(()),
    }
}

fn values(vector: &Vector, actual: &Value) -> Result<(), String> {
    let expected = &vector.expected;
    let equal = match vector.comparison {
        Comparison::Exact if vector.op == "openai_chunks" => *expected == without_volatile(expected, actual),
        Comparison::Exact => expected == actual,
        Comparison::Subset => contains(actual, expected),
        Comparison::Properties => return properties(expected, actual),
    };
    if equal {
        Ok(())
    } else {
        Err(format!("expected {expected}, got {actual}"))
    }
}

fn properties(expected: &Value, actual: &Value) -> Result<(), String> {
    let Some(expected) = expected.as_object() else {
        return Err("expected properties are not an object".to_owned());
    };
    for (name, wanted) in expected {
        match actual.get(name) {
            None => return Err(format!("the property {name} is not known")),
            Some(measured) if !has_keys(measured, wanted) => {
                return Err(format!("{name}: expected {wanted}, got {measured}"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Like equality, but objects may have more keys than wanted.
fn has_keys(measured: &Value, wanted: &Value) -> bool {
    match (measured, wanted) {
        (Value::Object(measured), Value::Object(wanted)) => wanted
            .iter()
            .all(|(key, wanted)| measured.get(key).is_some_and(|measured| has_keys(measured, wanted))),
        _ => measured == wanted,
    }
}

/// Objects by key; arrays in order, with gaps; anything else by equality.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|whole| contains(whole, part))),
        (Value::Array(whole), Value::Array(part)) => {
            let mut rest = whole.iter();
            part.iter().all(|part| rest.any(|whole| contains(whole, part)))
        }
        _ => whole == part,
    }
}

fn without_volatile(expected: &Value, actual: &Value) -> Value {
    let given = |index: usize| expected.pointer(&format!("/chunks/{index}")).and_then(Value::as_object);
    let mut actual = actual.clone();
    if let Some(chunks) = actual.get_mut("chunks").and_then(Value::as_array_mut) {
        for (index, chunk) in chunks.iter_mut().enumerate() {
            *chunk = keep_expected(chunk, given(index));
        }
    }
    actual
}

fn keep_expected(chunk: &Value, expected: Option<&Map<String, Value>>) -> Value {
    let Some(chunk) = chunk.as_object() else {
        return chunk.clone();
    };
    let wanted = |key: &str| expected.is_some_and(|expected| expected.contains_key(key));
    let kept = chunk
        .iter()
        .filter(|(key, _)| !VOLATILE.contains(&key.as_str()) || wanted(key));
    json!(
        kept.map(|(key, value)| (key.clone(), value.clone()))
            .collect::<Map<_, _>>()
    )
}
