//! Compares an answer with what a recording expects.

use serde_json::Value;
use tertulia_core::provider::{CallDelta, ProviderFault, Stop, Usage};

use super::case::{Case, Exchange};
use crate::anthropic::rules;
use crate::asking::Answer;

/// The class of every recorded error, by file.
const FAULTS: &[(&str, &str)] = &[
    ("openai/038", "Rejected"),
    ("openai/048", "Rejected"),
    ("openai/056", "Rejected"),
    ("openai/901", "Unauthorized"),
    ("openai/902", "NoSuchModel"),
    ("openai/903", "ContextTooLong"),
    ("openai/904", "Rejected"),
    ("openai/905", "RateLimited { after: Some(2s) }"),
    ("openai/906", "Billing"),
    ("openai/907", "Unavailable { after: Some(5s) }"),
    ("openai/908", "Unavailable { after: None }"),
    ("openai/911", "Unavailable { after: None }"),
    ("openai-responses/046", "Rejected"),
    ("openai-responses/056", "Billing"),
    ("openai-responses/057", "Billing"),
    ("compatible/027", "NoSuchModel"),
    ("compatible/028", "Rejected"),
    ("compatible/029", "Rejected"),
    ("deepseek/008", "Rejected"),
    ("deepseek/901", "Unauthorized"),
    ("deepseek/902", "Billing"),
    ("deepseek/903", "Rejected"),
    ("deepseek/904", "Rejected"),
    ("deepseek/905", "RateLimited { after: None }"),
    ("deepseek/906", "Unavailable { after: None }"),
    ("openrouter/02", "RateLimited { after: None }"),
    ("openrouter/031", "ContextTooLong"),
    ("openrouter/901", "NoSuchModel"),
    ("openrouter/902", "Unauthorized"),
    ("openrouter/903", "Billing"),
    ("openrouter/904", "Rejected"),
    ("openrouter/905", "RateLimited { after: Some(7s) }"),
    ("openrouter/90", "Unavailable { after: None }"),
    ("huggingface/903", "Broken"),
    ("huggingface/905", "ContextTooLong"),
    ("huggingface/906", "RateLimited { after: None }"),
    ("huggingface/907", "Unavailable { after: Some(20s) }"),
    ("huggingface/908", "Unauthorized"),
    ("huggingface/909", "Billing"),
    ("huggingface/910", "NoSuchModel"),
    ("huggingface/911", "RateLimited { after: Some(30s) }"),
    ("replicate/003", "Broken"),
    ("replicate/006", "ContextTooLong"),
    ("replicate/008", "Unauthorized"),
    ("replicate/009", "Billing"),
    ("replicate/010", "NoSuchModel"),
    ("replicate/011", "Rejected"),
    ("replicate/012", "RateLimited { after: Some(10s) }"),
    ("anthropic/049", "Rejected"),
    ("anthropic/901", "Unauthorized"),
    ("anthropic/902", "Billing"),
    ("anthropic/903", "Unauthorized"),
    ("anthropic/904", "NoSuchModel"),
    ("anthropic/905", "ContextTooLong"),
    ("anthropic/906", "ContextTooLong"),
    ("anthropic/907", "Rejected"),
    ("anthropic/908", "RateLimited { after: Some(39s) }"),
    ("anthropic/909", "Unavailable { after: None }"),
    ("anthropic/91", "Unavailable { after: None }"),
    ("gemini/100", "RateLimited { after: Some(34.4s) }"),
    ("gemini/901", "Unauthorized"),
    ("gemini/902", "Rejected"),
    ("gemini/903", "Rejected"),
    ("gemini/904", "ContextTooLong"),
    ("gemini/905", "Unauthorized"),
    ("gemini/906", "NoSuchModel"),
    ("gemini/907", "RateLimited { after: Some(34.4s) }"),
    ("gemini/908", "Billing"),
    ("gemini/909", "Unavailable { after: None }"),
    ("gemini/910", "Unavailable { after: None }"),
    ("gemini/915", "Unavailable { after: None }"),
    ("ollama/019", "Broken"),
    ("ollama/021", "NoSuchModel"),
    ("ollama/022", "Rejected"),
    ("ollama/023", "Rejected"),
    ("ollama/024", "RateLimited { after: None }"),
    ("ollama/025", "Unavailable { after: None }"),
    ("ollama/026", "Unavailable { after: None }"),
];

/// Files whose thinking is a part of the content. The official client, which does not know such parts, finds none;
/// we give it out as thinking.
pub(crate) const THINKING_IN_PARTS: [&str; 1] = ["compatible/033"];

/// Everything the recordings' description asks to be compared.
pub(crate) fn compare(case: &Case, exchange: &Exchange, answer: &Answer) -> Result<(), String> {
    let expected = &exchange.expected;
    // a refusal has a field of its own, and is what there is to read
    let refusal = expected["refusal"]
        .as_str()
        .filter(|_| exchange.body.contains("\"delta\":"));
    let text = expected["text"].as_str().unwrap_or_default().to_owned() + refusal.unwrap_or_default();
    same("text", &Value::from(text), &Value::from(answer.text.as_str()))
        .map_err(|problem| format!("{problem}; {:?}", answer.error))?;
    if !THINKING_IN_PARTS.iter().any(|name| case.name.starts_with(name)) {
        same(
            "reasoning",
            &expected["reasoning"],
            &Value::from(answer.thinking.as_str()),
        )?;
    } else if answer.thinking.is_empty() {
        return Err("the thinking part is lost".into());
    }
    calls(&expected["tool_calls"], &answer.calls)?;
    kept(&expected["echo"]["blocks"], answer)?;
    if !expected["error"].is_null() {
        return error(case, &expected["error"], answer);
    }
    echoed(case, expected, answer)?;
    let wanted = match expected["stop"].as_str() {
        // A pause for tools of the provider's own, which are never asked for: what is there is the answer. And an older word.
        Some("pause" | "other:complete") => "stop",
        // An end that says that the answer is no good, a malformed call, say; that somebody has ended it; or that nothing was
        // answered yet.
        Some("error" | "canceled" | "other:queued") => "incomplete",
        Some("stop") if refusal.is_some() => "filter",
        word => word.unwrap(),
    };
    same("stop", &Value::from(wanted), &Value::from(stop(answer)))?;
    if expected["stop"] != "incomplete" {
        usage(case, &expected["usage"], &answer.usage)?;
    }
    // by the Responses API it is asked as OpenAI is, which sends no bill
    if case.name.starts_with("openrouter/") && !exchange.body.contains("\"response.completed\"") {
        let wanted = cost(&exchange.body);
        same("cost", &Value::from(wanted), &Value::from(answer.usage.cost))?;
    }
    Ok(())
}

/// The last bill of a body, in billionths of a dollar.
fn cost(body: &str) -> Option<u64> {
    let (_, bill) = body.rsplit_once("\"cost\":")?;
    let dollars: f64 = bill.split([',', '}']).next()?.trim().parse().unwrap();
    format!("{:.0}", dollars * 1e9).parse().ok()
}

/// The recordings have the numbers of the wire: Anthropic's tokens read are without those of the cache, and Gemini's
/// and xAI's tokens written without those of thinking.
fn usage(case: &Case, expected: &Value, actual: &Usage) -> Result<(), String> {
    let count = |field: &str| expected[field].as_u64();
    let sum = |fields: &[&str]| {
        fields
            .iter()
            .filter_map(|field| count(field))
            .reduce(|sum, more| sum + more)
    };
    let (read, written): (&[&str], &[&str]) = match case.name.split('/').next() {
        Some("anthropic") => (&["input", "cache_read", "cache_write"], &["output"]),
        Some("gemini") => (&["input"], &["output", "reasoning"]),
        Some("compatible") if case.name.contains("xai") => (&["input"], &["output", "reasoning"]),
        _ => (&["input"], &["output"]),
    };
    // which is on this API's wire and in none of its descriptions
    let written_to_cache = actual
        .cache_written
        .filter(|_| !case.name.starts_with("openai-responses/"));
    let tokens = [
        ("in", sum(read), actual.tokens_in),
        ("out", sum(written), actual.tokens_out),
        ("cache read", count("cache_read"), actual.cache_read),
        ("cache written", count("cache_write"), written_to_cache),
    ];
    let mut pairs = tokens.into_iter();
    pairs.try_for_each(|(name, wanted, told)| same(&format!("usage {name}"), &Value::from(wanted), &Value::from(told)))
}

fn same(what: &str, expected: &Value, actual: &Value) -> Result<(), String> {
    if expected == actual {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected}, got {actual}"))
    }
}

fn calls(expected: &Value, actual: &[CallDelta]) -> Result<(), String> {
    let expected = expected.as_array().unwrap();
    if expected.len() != actual.len() {
        return Err(format!("calls: expected {expected:?}, got {actual:?}"));
    }
    for (wanted, call) in expected.iter().zip(actual) {
        same("id", &wanted["id"], &Value::from(call.id.as_deref()))?;
        same("name", &wanted["name"], &Value::from(call.name.as_deref()))?;
        let text = if call.arguments.is_empty() {
            "{}"
        } else {
            &call.arguments
        };
        same(
            "arguments",
            &wanted["arguments"],
            &serde_json::from_str(text).unwrap_or(Value::Null),
        )?;
        if wanted["arguments_text_is"].is_null() {
            same(
                "arguments' text",
                &wanted["arguments_text"],
                &Value::from(call.arguments.as_str()),
            )?;
        }
    }
    Ok(())
}

/// Blocks that must go back are there to go back.
fn kept(blocks: &Value, answer: &Answer) -> Result<(), String> {
    let Some(blocks) = blocks.as_array() else {
        return Ok(());
    };
    let data = answer.data.as_ref().map(|data| data.bytes.as_slice());
    let kept: Vec<Value> = data.map_or_else(Vec::new, |bytes| serde_json::from_slice(bytes).unwrap());
    if rules::contains(&kept, blocks) {
        Ok(())
    } else {
        Err(format!("of the blocks {blocks:?} only {kept:?} are kept"))
    }
}

/// What must go back with a turn is kept with it, whether or not the recording goes on.
fn echoed(case: &Case, expected: &Value, answer: &Answer) -> Result<(), String> {
    let data = answer.data.as_ref().map(|data| data.bytes.as_slice());
    let plain = |bytes| Value::from(String::from_utf8_lossy(bytes));
    let read = |bytes| serde_json::from_slice(bytes).unwrap_or_else(|_| plain(bytes));
    let kept: Value = data.map_or(Value::Null, read);
    let lacks = |what: &str| Err(format!("{what} is not kept in {kept}"));
    let echo = &expected["echo"];
    let signed = echo["signatures"].as_array().into_iter().flatten();
    for part in signed.filter(|part| part["part"] == "functionCall" || part["part"] == "text") {
        if !holds(&kept, &part["thoughtSignature"]) {
            return lacks(&part.to_string());
        }
    }
    let items = |name: &str| expected[name]["items"].as_array().cloned().unwrap_or_default();
    let also = items("echo_also");
    for (place, item) in items("echo").iter().enumerate() {
        let is_kept = |item: &Value| item["encrypted_content"].is_string() && holds(&kept, &item["encrypted_content"]);
        if item["encrypted_content"].is_string() && !is_kept(item) && !also.get(place).is_some_and(is_kept) {
            return lacks(&item.to_string());
        }
    }
    let has_calls = !answer.calls.is_empty();
    match case.name.split('/').next() {
        Some("deepseek") if has_calls && echo["reasoning_content"].is_string() => {
            same("reasoning_content", &echo["reasoning_content"], &kept)
        }
        Some("openrouter") if echo["reasoning_details"].is_array() => {
            same("reasoning_details", &told(&echo["reasoning_details"]), &told(&kept))
        }
        _ => Ok(()),
    }
}

/// Fields that are null say nothing.
pub(crate) fn told(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            fields.map(|(name, value)| (name.clone(), told(value))).collect()
        }
        Value::Array(values) => values.iter().map(told).collect(),
        other => other.clone(),
    }
}

fn holds(kept: &Value, wanted: &Value) -> bool {
    match kept {
        Value::Object(fields) => fields.values().any(|value| holds(value, wanted)),
        Value::Array(values) => values.iter().any(|value| holds(value, wanted)),
        other => other == wanted,
    }
}

fn stop(answer: &Answer) -> String {
    match (answer.stop, &answer.error) {
        (Some(Stop::Done), _) => "stop".into(),
        (Some(Stop::Length), _) => "length".into(),
        (Some(Stop::ToolCalls), _) => "tool_calls".into(),
        (Some(Stop::Filtered), _) => "filter".into(),
        (None, Some(error)) if error.kind == ProviderFault::Broken => "incomplete".into(),
        (None, error) => format!("{error:?}"),
    }
}

fn error(case: &Case, expected: &Value, answer: &Answer) -> Result<(), String> {
    let Some(error) = &answer.error else {
        return Err(format!("no error: {answer:?}"));
    };
    let fault = FAULTS
        .iter()
        .find(|(name, _)| case.name.starts_with(name))
        .map(|(_, fault)| *fault);
    same("fault", &Value::from(fault), &Value::from(format!("{:?}", error.kind)))?;
    let fields = ["message", "detail", "error"];
    let said = fields.iter().find_map(|field| expected["body"][field].as_str());
    let said = match said.unwrap().trim() {
        page if page.starts_with("<html>") => "a page of HTML, 500 Internal Server Error",
        said => said,
    };
    // Details are cut at 500 characters.
    let message: String = said.chars().take(400).collect();
    if error.detail.contains(&message) {
        Ok(())
    } else {
        Err(format!("detail: {} lacks {message}", error.detail))
    }
}
