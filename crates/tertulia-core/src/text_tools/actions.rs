//! Calls in JSON.

use serde_json::{Map, Value};
use tertulia_message::ToolOffer;

/// A call that was read in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as the JSON text of an object.
    pub arguments: String,
}

/// Keys under which the name of a tool stands.
pub(super) const NAMES: [&str; 3] = ["type", "action", "name"];
/// Keys under which arguments stand.
const ARGUMENTS: [&str; 3] = ["payload", "arguments", "parameters"];
/// The key of a list of calls.
pub(super) const LIST: &str = "actions";

/// The tool of this name; models are careless about upper and lower case.
pub(super) fn known<'a>(name: &str, tools: &'a [ToolOffer]) -> Option<&'a ToolOffer> {
    let name = name.trim();
    let same = |tool: &&ToolOffer| tool.name == name;
    let alike = |tool: &&ToolOffer| tool.name.to_lowercase() == name.to_lowercase();
    tools.iter().find(same).or_else(|| tools.iter().find(alike))
}

/// The calls that a whole JSON value is: `None` if it is none, an error if it is a broken one.
pub(super) fn calls(value: &Value, tools: &[ToolOffer]) -> Option<Result<Vec<TextCall>, String>> {
    let list = match value {
        Value::Array(list) => list,
        Value::Object(fields) => match fields.get(LIST) {
            Some(Value::Array(list)) if fields.len() == 1 => list,
            _ => return one(fields, tools).map(|call| call.map(|call| vec![call])),
        },
        _ => return None,
    };
    if list.is_empty() {
        // an empty list of actions is nothing to show, other than an empty list of whatever
        return value.is_object().then(|| Ok(Vec::new()));
    }
    let objects = list.iter().filter_map(Value::as_object);
    let mut read: Vec<_> = objects.map(|fields| one(fields, tools)).collect();
    if read.iter().all(Option::is_none) {
        return None;
    }
    if read.len() < list.len() || read.iter().any(Option::is_none) {
        read.push(Some(Err(
            "not every action in it is one of a tool that there is".to_owned()
        )));
    }
    Some(read.into_iter().flatten().collect())
}

/// One object as a call.
fn one(fields: &Map<String, Value>, tools: &[ToolOffer]) -> Option<Result<TextCall, String>> {
    let (key, tool) = NAMES.iter().find_map(|key| {
        let name = fields.get(*key)?.as_str()?;
        Some((*key, known(name, tools)?))
    })?;
    let mut rest = fields.clone();
    rest.remove(key);
    if key == "action" {
        return Some(flat(tool, rest));
    }
    rest.remove("id");
    let arguments = ARGUMENTS.iter().find_map(|key| rest.remove(*key));
    if !rest.is_empty() {
        // an object of its own that happens to have such a key
        return None;
    }
    Some(of(tool, arguments))
}

/// `{"action": name, ..}`: what else is in it are the arguments, or has them.
fn flat(tool: &ToolOffer, mut rest: Map<String, Value>) -> Result<TextCall, String> {
    if rest.len() == 1
        && let Some(arguments) = ARGUMENTS.iter().find_map(|key| rest.remove(*key))
    {
        return of(tool, Some(arguments));
    }
    of(tool, Some(Value::Object(rest)))
}

fn of(tool: &ToolOffer, arguments: Option<Value>) -> Result<TextCall, String> {
    let fields = match arguments {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(fields)) => fields,
        // some were trained to write them as JSON text
        Some(Value::String(text)) => match super::json::parse(&text) {
            Some(Value::Object(fields)) => fields,
            _ => return Err(format!("the arguments of {} are not a JSON object", tool.name)),
        },
        Some(_) => return Err(format!("the arguments of {} are not a JSON object", tool.name)),
    };
    Ok(TextCall {
        name: tool.name.clone(),
        arguments: Value::Object(fields).to_string(),
    })
}

/// The object between tags that name no tool.
pub(super) fn inner(fields: Map<String, Value>, tools: &[ToolOffer]) -> Result<TextCall, String> {
    if let Some(read) = one(&fields, tools) {
        return read;
    }
    let mut fields = fields;
    let name = NAMES.iter().find_map(|key| fields.remove(*key));
    let name = name.as_ref().and_then(Value::as_str).ok_or("it has no name")?;
    let arguments = ARGUMENTS.iter().find_map(|key| fields.remove(*key));
    Ok(TextCall {
        name: name.to_owned(),
        arguments: arguments.unwrap_or(Value::Object(fields)).to_string(),
    })
}

/// The object between tags that name a tool: its arguments, or once more all of the call.
pub(super) fn named(name: &str, fields: Map<String, Value>, tools: &[ToolOffer]) -> TextCall {
    let tool = known(name, tools);
    let is_whole = fields.get("name").and_then(Value::as_str) == Some(name);
    let again = if is_whole { one(&fields, tools) } else { None };
    if let Some(Ok(call)) = again {
        return call;
    }
    TextCall {
        name: tool.map_or_else(|| name.to_owned(), |tool| tool.name.clone()),
        arguments: Value::Object(fields).to_string(),
    }
}

/// Whether JSON that has only begun may become a call.
pub(super) fn may_become(text: &str, tools: &[ToolOffer]) -> bool {
    let rest = text.trim_start();
    let Some(rest) = rest.strip_prefix('[') else {
        return object_may(rest, tools);
    };
    object_may(rest, tools)
}

fn object_may(text: &str, tools: &[ToolOffer]) -> bool {
    let rest = text.trim_start();
    if rest.is_empty() {
        return true;
    }
    let Some(rest) = rest.strip_prefix('{') else {
        return false;
    };
    let rest = rest.trim_start();
    if rest.is_empty() || rest.starts_with('}') {
        return true;
    }
    let Some(rest) = rest.strip_prefix('"') else {
        return false;
    };
    let Some((key, rest)) = rest.split_once('"') else {
        return keys().any(|key| key.starts_with(rest)) || parameters(tools).any(|key| key.starts_with(rest));
    };
    if !keys().any(|known| known == key) {
        // an argument may stand before the name of its tool
        return parameters(tools).any(|known| known == key);
    }
    let rest = rest.trim_start();
    let Some(rest) = rest.strip_prefix(':') else {
        return rest.is_empty();
    };
    let rest = rest.trim_start();
    if key == LIST {
        return rest.is_empty()
            || rest
                .strip_prefix('[')
                .is_some_and(|rest| rest.trim_start().starts_with(']') || object_may(rest, tools));
    }
    if !NAMES.contains(&key) || rest.is_empty() {
        return true;
    }
    let Some(rest) = rest.strip_prefix('"') else {
        return false;
    };
    match rest.split_once('"') {
        Some((name, _)) => known(name, tools).is_some(),
        None => tools
            .iter()
            .any(|tool| tool.name.to_lowercase().starts_with(&rest.trim_start().to_lowercase())),
    }
}

fn keys() -> impl Iterator<Item = &'static str> {
    let others = [LIST, "id", "text", "interface_path"];
    NAMES.into_iter().chain(ARGUMENTS).chain(others)
}

fn parameters(tools: &[ToolOffer]) -> impl Iterator<Item = &str> {
    let properties = tools
        .iter()
        .filter_map(|tool| tool.parameters.get("properties")?.as_object());
    properties.flat_map(|properties| properties.keys().map(String::as_str))
}

/// True if broken JSON clearly was to be a call: it names a tool.
pub(super) fn names_a_tool(text: &str, tools: &[ToolOffer]) -> bool {
    NAMES.iter().any(|key| {
        let key = format!("\"{key}\"");
        let values = text.split(key.as_str()).skip(1);
        let mut names = values.filter_map(|rest| {
            let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
            rest.split_once('"').map(|(name, _)| name)
        });
        names.any(|name| known(name, tools).is_some())
    })
}
