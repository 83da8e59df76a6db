//! What the Responses API refuses, as one strict check of a request.

use std::collections::BTreeSet;

use serde_json::Value;

const FIELDS: [&str; 12] = [
    "model",
    "input",
    "instructions",
    "stream",
    "store",
    "include",
    "tools",
    "max_output_tokens",
    "temperature",
    "top_p",
    "text",
    "reasoning",
];

/// Why the server would refuse the request, if it would.
pub(crate) fn refusal(asked: &Value) -> Option<String> {
    fields(asked)
        .and_then(|()| tools(asked))
        .and_then(|()| items(list(&asked["input"])))
        .err()
}

/// Items that must go back are among those of the request: a thought by its id, its summary and what is sealed in it. One
/// that the provider itself was to remember cannot go back where it remembers nothing.
pub(crate) fn has_items(input: &Value, wanted: &Value) -> bool {
    let can_return = |item: &&Value| item["encrypted_content"].is_string() || !list(&item["content"]).is_empty();
    let same = |one: &Value, other: &Value| {
        let equal = |name: &str| one[name] == other[name];
        equal("id") && equal("summary") && equal("encrypted_content")
    };
    let is_there = |item: &Value| list(input).iter().any(|other| same(item, other));
    list(wanted).iter().filter(can_return).all(is_there)
}

fn fields(asked: &Value) -> Result<(), String> {
    for name in asked.as_object().unwrap().keys() {
        demand(
            FIELDS.contains(&name.as_str()),
            &format!("Unknown parameter: '{name}'."),
        )?;
    }
    demand(asked["store"] == false && asked["stream"] == true, "store and stream")?;
    let limit = &asked["max_output_tokens"];
    demand(
        limit.is_null() || limit.as_u64() >= Some(16),
        "max_output_tokens: below 16",
    )?;
    let format = &asked["text"]["format"];
    let named = !format["name"].is_null() && format["schema"].is_object();
    demand(format["type"] != "json_schema" || named, "text.format: name and schema")
}

fn tools(asked: &Value) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for tool in list(&asked["tools"]) {
        let name = tool["name"].as_str().unwrap_or_default();
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        demand(
            tool["type"] == "function" && tool.get("function").is_none(),
            "tools: flat form",
        )?;
        demand(
            (1..=64).contains(&name.len()) && name.bytes().all(fits),
            "tools.name: pattern",
        )?;
        demand(names.insert(name), "tool names must be unique")?;
        demand(
            tool["strict"] == false || tool["parameters"]["additionalProperties"] == false,
            "strict schema",
        )?;
    }
    Ok(())
}

fn items(items: &[Value]) -> Result<(), String> {
    demand(!items.is_empty(), "input: empty")?;
    let mut open: Vec<&str> = Vec::new();
    let mut called = BTreeSet::new();
    for (place, item) in items.iter().enumerate() {
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        let id = text("call_id");
        match text("type") {
            "message" => {
                demand(
                    open.is_empty(),
                    &format!("No tool output found for tool call {open:?}."),
                )?;
                message(item)?;
            }
            "reasoning" => {
                let follows = items.get(place + 1).is_some_and(|next| next["id"].is_string());
                demand(follows, "'reasoning' was provided without its required following item")?;
                demand(
                    has_content(item),
                    "Items are not persisted when `store` is set to false",
                )?;
            }
            "function_call" | "custom_tool_call" => {
                demand((1..=64).contains(&id.len()) && called.insert(id), "call_id")?;
                let object = serde_json::from_str::<serde_json::Map<_, _>>(text("arguments")).is_ok();
                demand(text("type") == "custom_tool_call" || object, "arguments")?;
                open.push(id);
            }
            "function_call_output" | "custom_tool_call_output" => {
                let call = open.iter().position(|open| *open == id);
                let call = call.ok_or(format!(
                    "No tool call found for function call output with call_id {id}."
                ))?;
                open.remove(call);
                demand(item["output"].is_string(), "output")?;
            }
            // what the provider's own tools did
            "web_search_call" | "file_search_call" | "code_interpreter_call" => {}
            other => return Err(format!("Invalid value: '{other}'.")),
        }
    }
    demand(
        open.is_empty(),
        &format!("No tool output found for tool call {open:?}."),
    )
}

fn message(item: &Value) -> Result<(), String> {
    let user = match item["role"].as_str() {
        Some("user" | "system") => true,
        Some("assistant") => false,
        other => return Err(format!("role {other:?}")),
    };
    let part = |part: &Value| match part["type"].as_str() {
        Some("input_text") => user && part["text"].is_string(),
        Some("input_image") => user && part["image_url"].is_string(),
        Some("output_text") => !user && part["text"].is_string() && part["annotations"].is_array(),
        _ => false,
    };
    let content = &item["content"];
    let fits = content.is_string() || (!list(content).is_empty() && list(content).iter().all(part));
    demand(fits, "content")
}

fn has_content(item: &Value) -> bool {
    item["encrypted_content"].is_string() || !list(&item["content"]).is_empty()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn demand(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
