//! The operations on paths and messages, as the conformance vectors name them.

use serde_json::{Value, json};
use tertulia_message::dsl::{Assembler, Kind, Message};
use tertulia_message::path::{self, InterfacePath, PathLevel};
use tertulia_testkit::conformance::{Failure, Outcome, Suite};

#[test]
fn conformance_of_paths_and_messages() {
    Suite::new()
        .operation("build", build)
        .operation("legacy", legacy)
        .operation("parse", parse)
        .operation("level", level)
        .operation("valid", |input| Ok(parsed(input, "path").is_ok().into()))
        .operation("roundtrip", roundtrip)
        .operation("resolve_registered", resolve)
        .operation("merge", merge)
        .operation("helper", helper)
        .operation("is_builtin", |input| {
            Ok(text(&input["type"]).and_then(Kind::named).is_some().into())
        })
        .check();
}

fn text(value: &Value) -> Option<&str> {
    value.as_str()
}

/// A string, or a number in decimal.
fn column(value: &Value) -> Option<String> {
    text(value)
        .map(str::to_owned)
        .or_else(|| value.as_number().map(ToString::to_string))
}

fn path_level(value: &Value) -> PathLevel {
    value.as_i64().map_or_else(|| column(value).into(), PathLevel::Number)
}

fn parsed(input: &Value, key: &str) -> Result<InterfacePath, Failure> {
    Ok(InterfacePath::parse(text(&input[key]).unwrap_or_default())?)
}

fn build(input: &Value) -> Outcome {
    let (interface, levels) = input["args"]
        .as_array()
        .and_then(|args| args.split_first())
        .ok_or("no args")?;
    let path = InterfacePath::build(text(interface).unwrap_or_default(), levels.iter().map(path_level))?;
    Ok(path.as_str().into())
}

fn legacy(input: &Value) -> Outcome {
    let [chat, thread] = ["chat_id", "thread_id"].map(|key| column(&input[key]));
    let interface = text(&input["interface"]).unwrap_or_default();
    Ok(
        InterfacePath::from_legacy(interface, chat.as_deref(), thread.as_deref())?
            .as_str()
            .into(),
    )
}

fn parse(input: &Value) -> Outcome {
    let path = parsed(input, "path")?;
    Ok(json!({"interface": path.interface(), "target": path.target(), "thread": path.thread()}))
}

fn level(input: &Value) -> Outcome {
    let place = input["level"].as_u64().and_then(|level| usize::try_from(level).ok());
    Ok(json!(parsed(input, "path")?.level(place.unwrap_or(usize::MAX))))
}

fn roundtrip(input: &Value) -> Outcome {
    let interface = text(&input["interface"]).unwrap_or_default();
    let built = InterfacePath::build(interface, [path_level(&input["target"]), path_level(&input["thread"])])?;
    let path = InterfacePath::parse(built.as_str())?;
    Ok(json!({"target": path.target(), "thread": path.thread()}))
}

fn resolve(input: &Value) -> Outcome {
    let registered: Vec<_> = input["registered"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(text)
        .collect();
    let [context, message] = ["context_path", "message_path"].map(|key| parsed(input, key).ok());
    let path = path::resolve(text(&input["path"]), &registered, context.as_ref(), message.as_ref())?;
    Ok(json!(path.as_ref().map(InterfacePath::as_str)))
}

fn merge(input: &Value) -> Outcome {
    let messages: Vec<Message> = serde_json::from_value(input["messages"].clone())?;
    let mut assembler = Assembler::new();
    for message in &messages {
        if let Err(error) = assembler.push(message) {
            let left = assembler
                .get(&message.id)
                .map(|left| left.props.clone())
                .unwrap_or_default();
            return Err(Failure::leaving(&error, left.into()));
        }
    }
    let merged = assembler.messages().last().ok_or("no messages")?;
    Ok(json!({"type": merged.kind, "props": merged.props}))
}

fn helper(input: &Value) -> Outcome {
    let kind = text(&input["helper"]).and_then(Kind::named).ok_or("no such helper")?;
    let args = input["args"].as_array().ok_or("no args")?;
    let texts: Vec<_> = args.iter().filter_map(text).collect();
    let message = match (kind, texts.as_slice(), args.as_slice()) {
        (Kind::Text, [content], [_]) => Message::text(*content),
        (Kind::Thinking, [content], [_]) => Message::thinking(*content),
        (Kind::Loading, [message], [_]) => Message::loading(*message),
        (Kind::ToolCall, [id, name, arguments], [_, _, _]) => Message::tool_call(*id, *name, *arguments),
        (Kind::Error, [message, code], [_, _]) => Message::error(*message, *code),
        (Kind::Image, [url, alt], [_, _]) => Message::image(*url, *alt),
        (Kind::Audio, [url], [_]) => Message::audio(*url),
        (Kind::Video, [url], [_]) => Message::video(*url),
        (Kind::Action, [name, ..], [Value::String(_), payload]) => Message::action(*name, payload.clone()),
        (Kind::Event, [event, message, ..], [Value::String(_), Value::String(_), data]) => {
            Message::event(*event, *message, data.clone())
        }
        _ => Message::of(kind, args.iter().cloned()),
    };
    Ok(serde_json::to_value(message)?)
}
