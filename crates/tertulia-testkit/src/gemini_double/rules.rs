//! The documented rules for a request, as a pure check.

use serde_json::{Map, Value};

use super::contents;
use crate::model_double::{demand, known};

const FIELDS: [&str; 4] = ["systemInstruction", "contents", "tools", "generationConfig"];
const GENERATION: [&str; 9] = [
    "temperature",
    "topP",
    "maxOutputTokens",
    "stopSequences",
    "seed",
    "responseMimeType",
    "responseJsonSchema",
    "responseSchema",
    "thinkingConfig",
];

/// What the documented rules say against the body of a request; `None` when it is fine.
///
/// Rules: known fields of the right type; roles `user` and `model` alone and a user's content first; parts that are not
/// empty; calls right after a user's content, answered in the next content by as many responses in the same order;
/// arguments and responses as objects; a schema in one of two places; thinking by budget or by level.
#[must_use]
pub fn refusal(request: &Value) -> Option<String> {
    check(request).err()
}

fn check(request: &Value) -> Result<(), String> {
    let fields = request.as_object().ok_or("the body must be an object")?;
    known(fields, &FIELDS, "name")?;
    if let Some(instruction) = fields.get("systemInstruction") {
        let text = instruction.pointer("/parts/0/text").and_then(Value::as_str);
        demand(
            text.is_some_and(|text| !text.is_empty()),
            "systemInstruction must have a text",
        )?;
    }
    check_tools(fields.get("tools"))?;
    if let Some(generation) = fields.get("generationConfig") {
        check_generation(generation.as_object().ok_or("generationConfig must be an object")?)?;
    }
    contents::check(fields.get("contents"))
}

fn check_generation(fields: &Map<String, Value>) -> Result<(), String> {
    known(fields, &GENERATION, "name at generationConfig")?;
    let number = |name: &str| fields.get(name).is_none_or(Value::is_number);
    demand(
        number("temperature") && number("topP"),
        "temperature and topP must be numbers",
    )?;
    let whole = |name: &str| {
        fields
            .get(name)
            .is_none_or(|value| value.as_i64().is_some_and(is_int32))
    };
    demand(
        whole("maxOutputTokens") && whole("seed"),
        "maxOutputTokens and seed must be numbers of 32 bits",
    )?;
    let texts = |list: &Value| list.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    demand(
        fields.get("stopSequences").is_none_or(texts),
        "stopSequences must be a list of texts",
    )?;
    let schemas = ["responseJsonSchema", "responseSchema"].map(|name| fields.contains_key(name));
    let json = fields
        .get("responseMimeType")
        .is_some_and(|kind| kind == "application/json");
    demand(schemas != [true, true], "one schema is enough")?;
    demand(json || schemas == [false, false], "a schema needs application/json")?;
    check_thinking(fields.get("thinkingConfig"))
}

fn is_int32(number: i64) -> bool {
    i32::try_from(number).is_ok()
}

fn check_thinking(thinking: Option<&Value>) -> Result<(), String> {
    let Some(thinking) = thinking else { return Ok(()) };
    let fields = thinking.as_object().ok_or("thinkingConfig must be an object")?;
    known(
        fields,
        &["includeThoughts", "thinkingBudget", "thinkingLevel"],
        "name at thinkingConfig",
    )?;
    let both = fields.contains_key("thinkingBudget") && fields.contains_key("thinkingLevel");
    demand(!both, "you can only set one of thinking budget and thinking level")?;
    let levels = ["MINIMAL", "LOW", "MEDIUM", "HIGH"];
    let level = fields.get("thinkingLevel");
    let fits = level.is_none_or(|level| level.as_str().is_some_and(|word| levels.contains(&word)));
    demand(fits, "invalid thinkingLevel")
}

fn check_tools(tools: Option<&Value>) -> Result<(), String> {
    let Some(tools) = tools else { return Ok(()) };
    for tool in tools.as_array().ok_or("tools must be a list")? {
        let offers = tool.get("functionDeclarations").and_then(Value::as_array);
        let offers = offers.filter(|offers| !offers.is_empty());
        offers
            .ok_or("tools[0].functionDeclarations must not be empty")?
            .iter()
            .try_for_each(check_offer)?;
    }
    Ok(())
}

fn check_offer(offer: &Value) -> Result<(), String> {
    let fields = offer.as_object().ok_or("a declaration must be an object")?;
    known(
        fields,
        &["name", "description", "parameters", "parametersJsonSchema"],
        "name at functionDeclarations",
    )?;
    let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
    demand(
        crate::model_double::is_function_name(name),
        format!("invalid function name {name:?}"),
    )?;
    let schemas = [fields.get("parameters"), fields.get("parametersJsonSchema")];
    demand(schemas.iter().flatten().count() < 2, "one schema is enough")?;
    let object = |schema: &Value| schema.is_object();
    demand(schemas.into_iter().flatten().all(object), "a schema must be an object")
}
