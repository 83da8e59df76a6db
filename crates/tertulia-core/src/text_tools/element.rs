//! A call between tags: `<tool_call name="..">..</tool_call>`, and the like that models were trained for.

use serde_json::{Map, Value};
use tertulia_message::ToolOffer;

use super::actions::{self, TextCall, known};
use super::escape::{unescaped, unescaped_value};
use super::json;

/// Tags around one call.
const CALLS: [&str; 3] = ["tool_call", "function_call", "invoke"];
/// Tags around several calls; they say nothing.
const WRAPPERS: [&str; 2] = ["tool_calls", "function_calls"];
/// Tags around a value.
const PARAMETERS: [&str; 2] = ["parameter", "param"];
/// The longest opening tag, in bytes.
const LONGEST_HEADER: usize = 1000;

/// What a text that begins with `<` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Begun {
    /// No call, and none to come.
    Nothing,
    /// A call may come of it.
    Maybe,
    /// One that only the closing tag of this name can end.
    Open(&'static str),
    /// A tag that only stands around calls, of so many bytes.
    Around(usize),
    /// An element of so many bytes that is a call, or why it is none.
    Whole(usize, Result<TextCall, String>),
}

/// What a text begins with that begins with `<`.
pub(super) fn begun(text: &str, tools: &[ToolOffer]) -> Begun {
    let Some((tag, behind)) = tag(text) else {
        return if may_be_tag(text) { Begun::Maybe } else { Begun::Nothing };
    };
    let near = behind
        .get(..behind.floor_char_boundary(LONGEST_HEADER))
        .unwrap_or(behind);
    let Some((attributes, _)) = header(near) else {
        let is_short = near.len() == behind.len();
        return if is_short { Begun::Maybe } else { Begun::Nothing };
    };
    let body = behind.get(attributes.len() + 1..).unwrap_or_default();
    let taken = text.len() - body.len();
    if WRAPPERS.contains(&tag) {
        return around(body, taken, tools);
    }
    let name = attribute(attributes, "name");
    let is_known = name.as_ref().is_some_and(|name| known(name, tools).is_some());
    let own_form = tag == "tool_call";
    if name.is_some() && !is_known && !own_form {
        return Begun::Nothing;
    }
    if attributes.ends_with('/') {
        let call = name
            .ok_or("it has no name".to_owned())
            .map(|name| call(&name, Map::new(), tools));
        return Begun::Whole(taken, call);
    }
    if name.is_none() && !begins_behind_blanks(body, "{") {
        return Begun::Nothing;
    }
    let Some((content, length)) = closed(body, tag) else {
        // without a name, it is known by the first letter inside of it
        let is_sure = name.is_some() || !body.trim_start().is_empty();
        return if is_sure { Begun::Open(tag) } else { Begun::Maybe };
    };
    Begun::Whole(taken + length, read(name.as_deref(), content, tools))
}

/// True if a text begins with the tag of a call; `None` if more has to be read.
pub(super) fn is_call_tag(text: &str) -> Option<bool> {
    (!may_be_tag(text)).then(|| tag(text).is_some())
}

/// True if a text that was cut off was to be a call.
pub(super) fn is_call_begun(text: &str, tools: &[ToolOffer]) -> bool {
    let Some((_, behind)) = tag(text) else { return false };
    let Some((attributes, body)) = header(behind) else {
        let attributes = behind.trim_start();
        return attributes.starts_with("name") || attributes.starts_with("id");
    };
    match attribute(attributes, "name") {
        Some(name) => text.starts_with("<tool_call") || known(&name, tools).is_some(),
        None => body.trim_start().starts_with(['{', '<']),
    }
}

/// True for what ends or wraps calls; behind a call it is part of it.
pub(super) fn stray(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("</")?;
    let tag = CALLS
        .iter()
        .chain(&WRAPPERS)
        .find(|tag| rest.starts_with(&format!("{tag}>")))?;
    Some(tag.len() + 3)
}

/// True if a text may become a tag that stands alone behind a call.
pub(super) fn may_be_stray(text: &str) -> bool {
    let tags = CALLS.iter().chain(&WRAPPERS);
    tags.map(|tag| format!("</{tag}>")).any(|tag| tag.starts_with(text))
}

/// True if what stands behind a few blanks begins so, or nothing stands there yet.
fn begins_behind_blanks(text: &str, begin: &str) -> bool {
    let rest = text.trim_start();
    text.len() - rest.len() <= LONGEST_HEADER && (rest.is_empty() || rest.starts_with(begin))
}

fn around(body: &str, taken: usize, tools: &[ToolOffer]) -> Begun {
    let inner = body.trim_start();
    if !begins_behind_blanks(body, "<") {
        return Begun::Nothing;
    }
    if inner.is_empty() {
        return Begun::Maybe;
    }
    // looked at only one deep, however many there are
    let is_wrapper = tag(inner).is_some_and(|(tag, _)| WRAPPERS.contains(&tag));
    if is_wrapper {
        return Begun::Nothing;
    }
    match begun(inner, tools) {
        Begun::Nothing | Begun::Around(_) => Begun::Nothing,
        Begun::Maybe if tag(inner).is_none() => Begun::Maybe,
        Begun::Maybe | Begun::Open(_) | Begun::Whole(..) => Begun::Around(taken + body.len() - inner.len()),
    }
}

/// The name of a tag that is one of a call's, and what follows it.
fn tag(text: &str) -> Option<(&'static str, &str)> {
    let rest = text.strip_prefix('<')?;
    CALLS.iter().chain(&WRAPPERS).find_map(|tag| {
        let behind = rest.strip_prefix(tag)?;
        behind
            .starts_with(|letter: char| letter.is_whitespace() || letter == '>' || letter == '/')
            .then_some((*tag, behind))
    })
}

fn may_be_tag(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('<') else {
        return false;
    };
    CALLS.iter().chain(&WRAPPERS).any(|tag| tag.starts_with(rest))
}

/// The attributes of an opening tag whose name was read, and what follows it.
pub(super) fn header(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (place, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '>') => return Some((text.get(..place)?, text.get(place + 1..)?)),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
    }
    None
}

/// The value of an attribute.
pub(super) fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    loop {
        let (key, behind) = rest.split_once('=')?;
        let behind = behind.trim_start();
        let quote = behind.chars().next().filter(|letter| matches!(letter, '"' | '\''));
        let (value, after) = if let Some(quote) = quote {
            behind.get(1..)?.split_once(quote)?
        } else {
            let end = behind.find(|letter: char| letter.is_whitespace() || letter == '/');
            behind.split_at(end.unwrap_or(behind.len()))
        };
        if key.trim() == name {
            return Some(unescaped(value));
        }
        rest = after;
    }
}

/// What stands before the closing tag, and how long that is with the tag.
fn closed<'a>(body: &'a str, tag: &str) -> Option<(&'a str, usize)> {
    let close = format!("</{tag}>");
    let place = body.find(&close)?;
    Some((body.get(..place)?, place + close.len()))
}

fn read(name: Option<&str>, content: &str, tools: &[ToolOffer]) -> Result<TextCall, String> {
    let content = content.trim();
    if content.starts_with('{') {
        let Some(Value::Object(fields)) = json::parse(content) else {
            return Err("the JSON in it is not valid".to_owned());
        };
        return match name {
            Some(name) => Ok(actions::named(name, fields, tools)),
            None => actions::inner(fields, tools),
        };
    }
    let name = name.ok_or("it has no name")?;
    Ok(call(name, parameters(content, name, tools)?, tools))
}

fn call(name: &str, arguments: Map<String, Value>, tools: &[ToolOffer]) -> TextCall {
    TextCall {
        name: known(name, tools).map_or_else(|| name.to_owned(), |tool| tool.name.clone()),
        arguments: Value::Object(arguments).to_string(),
    }
}

fn parameters(content: &str, tool: &str, tools: &[ToolOffer]) -> Result<Map<String, Value>, String> {
    let schema = known(tool, tools).and_then(|tool| tool.parameters.get("properties"));
    let mut arguments = Map::new();
    let mut rest = content.trim_start();
    while !rest.is_empty() {
        let opened = PARAMETERS.iter().find_map(|tag| {
            let behind = rest.strip_prefix('<')?.strip_prefix(tag)?;
            Some((*tag, behind))
        });
        let (tag, behind) =
            opened.ok_or("between its tags stands something that is no <param name=\"..\">..</param>")?;
        let (attributes, body) = header(behind).ok_or("a <param> is not complete")?;
        let name = attribute(attributes, "name").ok_or("a <param> has no name")?;
        let (value, length) = closed(body, tag).ok_or_else(|| format!("the <param> {name:?} is not closed"))?;
        let kind = schema.and_then(|schema| schema.get(&name)?.get("type"));
        arguments.insert(name, typed(value, kind));
        rest = body.get(length..).unwrap_or_default().trim_start();
    }
    Ok(arguments)
}

/// A value as the tool's schema wants it; what does not fit goes as text, and the tool says so.
fn typed(value: &str, kind: Option<&Value>) -> Value {
    let text = unescaped_value(value);
    let takes = |wanted: &str| match kind {
        Some(Value::String(kind)) => kind == wanted,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == wanted),
        _ => false,
    };
    if takes("string") {
        return Value::String(text);
    }
    let parsed = serde_json::from_str::<Value>(text.trim())
        .ok()
        .or_else(|| json::parse(&text));
    match parsed {
        Some(value @ (Value::Object(_) | Value::Array(_))) => value,
        Some(value) if kind.is_some() => value,
        _ => Value::String(text),
    }
}
