//! What the double refuses.

use serde_json::{Value, json};

use super::refusal;

#[track_caller]
fn refused(contents: &Value, why: &str) {
    let refusal = refusal(&json!({"contents": contents})).unwrap_or_default();
    assert!(refusal.contains(why), "{refusal:?} lacks {why:?}");
}

fn says(role: &str, parts: &Value) -> Value {
    json!({"role": role, "parts": parts})
}

fn call(name: &str) -> Value {
    json!({"functionCall": {"name": name, "args": {}}, "thoughtSignature": "s"})
}

fn response(name: &str) -> Value {
    json!({"functionResponse": {"name": name, "response": {}}})
}

#[test]
fn a_conversation_that_keeps_the_rules_is_taken() {
    let contents = json!([
        says(
            "user",
            &json!([{"text": "a"}, {"inlineData": {"mimeType": "image/png", "data": "AAEC"}}])
        ),
        says(
            "model",
            &json!([{"text": "b"}, {"text": "", "thoughtSignature": "s"}, call("f"), call("g")])
        ),
        says("user", &json!([response("f"), response("g")])),
        says("user", &json!([{"text": "c"}])),
    ]);
    assert_eq!(refusal(&json!({"contents": contents})), None);
}

#[test]
fn roles_and_parts_are_checked() {
    let hi = json!([{"text": "Hi"}]);
    refused(&json!([]), "contents is not specified");
    refused(&json!([says("model", &hi)]), "the first content must be a user's");
    refused(
        &json!([says("user", &hi), says("assistant", &hi)]),
        "Please use a valid role",
    );
    refused(&json!([says("user", &json!([]))]), "parts must not be empty");
    refused(
        &json!([says("user", &json!([{"text": ""}]))]),
        "a part must not be empty",
    );
    refused(&json!([says("user", &json!([{"text": "a", "image": 1}]))]), "image");
    refused(&json!([says("user", &json!([{"thought": true}]))]), "exactly one kind");
    let url = json!([{"inlineData": {"mimeType": "image/png", "data": "data:image/png;base64,AA"}}]);
    refused(&json!([says("user", &url)]), "inlineData");
}

#[test]
fn calls_and_responses_are_paired() {
    let hi = says("user", &json!([{"text": "Hi"}]));
    let calls = says("model", &json!([call("f"), call("g")]));
    let count = "number of function response parts";
    refused(&json!([hi, calls]), count);
    refused(&json!([hi, calls, hi]), count);
    refused(&json!([hi, calls, says("user", &json!([response("f")]))]), count);
    refused(
        &json!([hi, calls, says("user", &json!([response("g"), response("f")]))]),
        count,
    );
    refused(&json!([hi, says("user", &json!([response("f")]))]), count);
    let spoken = says("model", &json!([{"text": "b"}]));
    refused(&json!([hi, spoken, calls]), "immediately after a user turn");
    let text = json!([{"functionResponse": {"name": "f", "response": "text"}}]);
    refused(
        &json!([hi, says("model", &json!([call("f")])), says("user", &text)]),
        "must be an object",
    );
}

#[test]
fn settings_are_checked() {
    let with = |field: &str, value: Value| {
        let contents = json!([says("user", &json!([{"text": "Hi"}]))]);
        refusal(&json!({"contents": contents, field: value})).unwrap_or_default()
    };
    assert!(with("model", json!("m")).contains("model"));
    let generation = |value: Value| with("generationConfig", value);
    assert!(generation(json!({"max_tokens": 1})).contains("max_tokens"));
    assert!(generation(json!({"seed": 1_u64 << 40})).contains("32 bits"));
    assert!(generation(json!({"responseJsonSchema": {}})).contains("application/json"));
    assert!(generation(json!({"thinkingConfig": {"thinkingLevel": "low"}})).contains("thinkingLevel"));
    assert!(
        generation(json!({"thinkingConfig": {"thinkingLevel": "LOW", "thinkingBudget": 1}})).contains("only set one")
    );
    let tool = |offer: Value| with("tools", json!([{"functionDeclarations": [offer]}]));
    assert!(tool(json!({"name": "dir.list"})).contains("invalid function name"));
    assert!(tool(json!({"name": "f", "strict": true})).contains("strict"));
    assert_eq!(tool(json!({"name": "f", "parametersJsonSchema": {}})), "");
}
