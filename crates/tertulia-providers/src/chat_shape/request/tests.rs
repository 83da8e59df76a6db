//! Bodies, field by field.

use std::sync::Arc;

use serde_json::{Value, json};
use tertulia_core::chat::{ChatMessage, Part, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::{Capabilities, Format, ModelRequest};
use tertulia_message::{Generation, Picture, ToolOffer};

use super::{Audience, body};
use crate::chat_shape::echo::{Echo, Owner};
use crate::chat_shape::model::{ChatLimit, ChatRole, ChatThinking, Traits};
use crate::names::Names;

const ABLE: Capabilities = Capabilities {
    conversation: true,
    system: true,
    tool_calls: true,
    vision: true,
    thinking: true,
    format: Format::Standard,
    max_context: 8_192,
};
const OFFICIAL: Traits = Traits {
    limit: ChatLimit::MaxCompletionTokens,
    ..Traits::USUAL
};

fn request(messages: Vec<ChatMessage>) -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        system: String::new(),
        messages,
        tools: Vec::new(),
        generation: Generation::default(),
    }
}

fn asked(request: &ModelRequest, able: Capabilities, traits: Traits, echo: Echo) -> Value {
    let names = Names::new(&request.tools);
    let owner = Owner {
        kind: "k",
        model: "m",
        echo,
    };
    let audience = Audience {
        owner,
        able,
        traits,
        names: &names,
    };
    let body = serde_json::to_value(body(request, &audience)).unwrap();
    assert_eq!(tertulia_testkit::model_double::refusal(&body), None, "{body}");
    body
}

#[track_caller]
fn check(request: &ModelRequest, official: bool, expected: &Value) {
    let traits = if official { OFFICIAL } else { Traits::USUAL };
    assert_eq!(&asked(request, ABLE, traits, Echo::Nothing), expected);
}

#[test]
fn a_bare_question() {
    check(
        &request(vec![ChatMessage::user("Hi")]),
        true,
        &json!({
            "model": "m", "stream": true, "stream_options": {"include_usage": true},
            "messages": [{"role": "user", "content": "Hi"}],
        }),
    );
}

#[test]
fn everything_that_can_be_asked() {
    let mut request = request(vec![
        ChatMessage::user("a"),
        ChatMessage::assistant("b"),
        ChatMessage::User {
            parts: vec![
                Part::Text("see".into()),
                Part::Picture(Picture {
                    mime: "image/png".into(),
                    bytes: Arc::from([0, 1, 2]),
                }),
            ],
        },
    ]);
    request.system = "Be kind.".into();
    request.tools = vec![
        ToolOffer {
            name: "now".into(),
            description: "the time".into(),
            parameters: json!({"type": "object"}),
        },
        ToolOffer {
            name: "dir.list".into(),
            description: String::new(),
            parameters: Value::Null,
        },
    ];
    request.generation = Generation {
        temperature: Some(0.5),
        top_p: Some(0.9),
        max_tokens: Some(100),
        stop: vec!["END".into()],
        seed: Some(7),
        format: Some(json!({"type": "object", "properties": {}})),
        think: Some(json!("low")),
    };
    let mut expected = json!({
        "model": "m", "stream": true, "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": [
                {"type": "text", "text": "see"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAEC"}},
            ]},
        ],
        "tools": [
            {"type": "function", "function":
                {"name": "now", "description": "the time", "parameters": {"type": "object"}}},
            {"type": "function", "function":
                {"name": "dir_list", "parameters": {"type": "object", "properties": {}}}},
        ],
        "temperature": 0.5, "top_p": 0.9, "max_tokens": 100, "stop": ["END"], "seed": 7,
        "response_format": {"type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object", "properties": {}}}},
        "reasoning_effort": "low",
    });
    check(&request, false, &expected);
    request.generation.think = Some(json!(true));
    request.generation.format = Some(json!("json"));
    let fields = expected.as_object_mut().unwrap();
    fields.remove("reasoning_effort");
    fields.remove("max_tokens");
    fields.insert("max_completion_tokens".into(), json!(100));
    fields.insert("response_format".into(), json!({"type": "json_object"}));
    let wish = "Be kind.\n\nAnswer with one JSON object and with nothing before or behind it.";
    fields["messages"][0]["content"] = json!(wish);
    check(&request, true, &expected);
}

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "dir.list".into(),
        arguments: arguments.into(),
    }
}

fn result(id: &str, content: &str) -> ToolResult {
    ToolResult {
        call_id: id.into(),
        name: "dir.list".into(),
        status: ToolStatus::Ok,
        content: content.into(),
    }
}

fn wire_call(id: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "dir_list", "arguments": arguments}})
}

#[test]
fn rounds_of_tools_are_paired_whatever_the_history_holds() {
    let calls = vec![call("a", "{\"x\": 1}"), call("b", ""), call("c", "{\"cut")];
    let request = request(vec![
        ChatMessage::user("go"),
        ChatMessage::Assistant {
            text: String::new(),
            calls,
            data: None,
        },
        ChatMessage::Tool {
            results: vec![result("b", "two"), result("a", "one"), result("z", "stray")],
        },
        ChatMessage::Assistant {
            text: "more".into(),
            calls: vec![call("d", "{}")],
            data: None,
        },
        ChatMessage::user("and?"),
        ChatMessage::Tool {
            results: vec![result("d", "late")],
        },
    ]);
    let lost = "The result of this call was lost.";
    check(
        &request,
        false,
        &json!({
            "model": "m", "stream": true, "stream_options": {"include_usage": true},
            "messages": [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": null,
                    "tool_calls": [wire_call("a", "{\"x\": 1}"), wire_call("b", "{}"), wire_call("c", "{}")]},
                {"role": "tool", "tool_call_id": "a", "content": "one"},
                {"role": "tool", "tool_call_id": "b", "content": "two"},
                {"role": "tool", "tool_call_id": "c", "content": lost},
                {"role": "user", "content": "Result of dir.list:\nstray"},
                {"role": "assistant", "content": "more", "tool_calls": [wire_call("d", "{}")]},
                {"role": "tool", "tool_call_id": "d", "content": lost},
                {"role": "user", "content": "and?"},
                {"role": "user", "content": "Result of dir.list:\nlate"},
            ],
        }),
    );
}

#[test]
fn an_open_call_at_the_end_is_closed() {
    let last = ChatMessage::Assistant {
        text: String::new(),
        calls: vec![call(&"i".repeat(50), "{}")],
        data: None,
    };
    let request = request(vec![ChatMessage::user("go"), last]);
    let body = asked(&request, ABLE, OFFICIAL, Echo::Nothing);
    assert_eq!(
        body["messages"][2]["tool_call_id"],
        body["messages"][1]["tool_calls"][0]["id"]
    );
}

fn full() -> ModelRequest {
    ModelRequest {
        system: "Be kind.".into(),
        ..request(vec![ChatMessage::user("Hi"), ChatMessage::assistant("Ho")])
    }
}

#[test]
fn the_system_prompt_stands_where_the_model_takes_it() {
    let messages = |role, system| {
        let able = Capabilities { system, ..ABLE };
        let traits = Traits {
            system_role: role,
            ..OFFICIAL
        };
        asked(&full(), able, traits, Echo::Nothing)["messages"].clone()
    };
    let said = |role: &str, text: &str| json!({"role": role, "content": text});
    let apart = |role: &str| json!([said(role, "Be kind."), said("user", "Hi"), said("assistant", "Ho")]);
    let folded = json!([said("user", "Be kind.\n\nHi"), said("assistant", "Ho")]);
    assert_eq!(messages(ChatRole::System, true), apart("system"));
    assert_eq!(messages(ChatRole::Developer, true), apart("developer"));
    assert_eq!(messages(ChatRole::User, true), folded);
    assert_eq!(messages(ChatRole::System, false), folded);
}

#[test]
fn the_system_prompt_stands_in_front_of_pictures_and_of_the_models_own_words() {
    let able = Capabilities {
        system: false,
        vision: false,
        ..ABLE
    };
    let picture = Part::Picture(Picture {
        mime: "image/png".into(),
        bytes: Arc::from([0]),
    });
    let mut request = full();
    request.messages[0] = ChatMessage::User {
        parts: vec![picture, Part::Text("see".into())],
    };
    let messages = |request: &ModelRequest, able| asked(request, able, OFFICIAL, Echo::Nothing)["messages"].clone();
    let unseen = "Be kind.\n\n[a picture that you cannot see]\nsee";
    assert_eq!(messages(&request, able)[0], json!({"role": "user", "content": unseen}));
    let seeing = Capabilities { system: false, ..ABLE };
    let parts = messages(&request, seeing)[0]["content"].clone();
    assert_eq!(parts[0], json!({"type": "text", "text": "Be kind."}));
    assert_eq!(parts.as_array().unwrap().len(), 3);
    request.messages.remove(0);
    assert_eq!(
        messages(&request, able)[0],
        json!({"role": "user", "content": "Be kind."})
    );
}

#[test]
fn without_a_conversation_there_is_one_prompt() {
    let able = Capabilities {
        conversation: false,
        ..ABLE
    };
    let mut request = full();
    request.messages.truncate(1);
    request.tools = vec![ToolOffer {
        name: "now".into(),
        description: String::new(),
        parameters: Value::Null,
    }];
    let body = asked(&request, able, Traits::USUAL, Echo::Nothing);
    let prompt = "System: Be kind.\n\nHuman: Hi\n\nAssistant:";
    assert_eq!(body["messages"], json!([{"role": "user", "content": prompt}]));
    assert_eq!((&body["stop"], &body["tools"]), (&json!(["\n\nHuman:"]), &Value::Null));
}

#[test]
fn what_a_model_does_not_take_is_not_sent() {
    let mut request = full();
    request.generation = Generation {
        temperature: Some(0.5),
        top_p: Some(0.9),
        max_tokens: Some(100),
        stop: vec!["END".into()],
        seed: Some(7),
        format: Some(json!({"type": "object"})),
        think: Some(json!("low")),
    };
    let nothing = Traits {
        limit: ChatLimit::None,
        system_role: ChatRole::System,
        temperature: false,
        top_p: false,
        stop: false,
        seed: false,
        stream_options: false,
        thinking: ChatThinking::None,
        schema: false,
        json: false,
        neighbours: false,
    };
    let wish = "Answer with JSON that follows this schema and with nothing before or behind it:";
    let system = format!("Be kind.\n\n{wish}\n{{\"type\":\"object\"}}");
    let bare = json!({"model": "m", "stream": true, "messages": [
        {"role": "system", "content": system}, {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]});
    assert_eq!(asked(&request, ABLE, nothing, Echo::Nothing), bare);
    let objects = Traits { json: true, ..nothing };
    let body = asked(&request, ABLE, objects, Echo::Nothing);
    assert_eq!(body["response_format"], json!({"type": "json_object"}));
    assert_eq!(body["messages"], bare["messages"]);
}

#[test]
fn thinking_is_asked_for_in_the_models_own_way() {
    let fields = |think: Value, thinking| {
        let mut request = full();
        request.generation.think = Some(think);
        let traits = Traits {
            thinking,
            ..Traits::USUAL
        };
        let names = Names::new(&[]);
        let owner = Owner {
            kind: "k",
            model: "m",
            echo: Echo::Nothing,
        };
        let audience = Audience {
            owner,
            able: ABLE,
            traits,
            names: &names,
        };
        let mut body = serde_json::to_value(body(&request, &audience)).unwrap();
        let fields = body.as_object_mut().unwrap();
        fields.retain(|name, _| !["model", "messages", "stream", "stream_options"].contains(&name.as_str()));
        body
    };
    let check = |thinking, on: Value, off: Value, high: Value| {
        assert_eq!(fields(json!(true), thinking), on, "{thinking:?}");
        assert_eq!(fields(json!(false), thinking), off, "{thinking:?}");
        assert_eq!(fields(json!("High"), thinking), high, "{thinking:?}");
    };
    check(ChatThinking::None, json!({}), json!({}), json!({}));
    check(
        ChatThinking::Effort,
        json!({}),
        json!({"reasoning_effort": "low"}),
        json!({"reasoning_effort": "high"}),
    );
    check(
        ChatThinking::Switch,
        json!({"thinking": {"type": "enabled"}}),
        json!({"thinking": {"type": "disabled"}}),
        json!({"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
    );
    check(
        ChatThinking::Reasoning,
        json!({"reasoning": {"enabled": true}}),
        json!({"reasoning": {"enabled": false}}),
        json!({"reasoning": {"effort": "high"}}),
    );
    let template = |on: bool| json!({"chat_template_kwargs": {"enable_thinking": on}});
    check(ChatThinking::Template, template(true), template(false), template(true));
}

#[test]
fn no_two_calls_have_one_id() {
    let call = |id: &str| ToolCall {
        id: id.into(),
        name: "f".into(),
        arguments: "{}".into(),
    };
    let result = |content: &str| ToolResult {
        call_id: "a".into(),
        name: "f".into(),
        status: ToolStatus::Ok,
        content: content.into(),
    };
    let round = |contents: [&str; 2]| {
        let calls = ChatMessage::Assistant {
            text: String::new(),
            calls: vec![call("a"), call("a")],
            data: None,
        };
        let results = contents.map(result).to_vec();
        [calls, ChatMessage::Tool { results }]
    };
    let history = [ChatMessage::user("Hi")].into_iter();
    let history = history.chain(round(["1", "2"])).chain(round(["3", "4"])).collect();
    let sent = asked(&request(history), ABLE, Traits::USUAL, Echo::Nothing);
    let tools = sent["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|said| said["role"] == "tool");
    let (ids, contents): (Vec<_>, Vec<_>) = tools
        .map(|said| (said["tool_call_id"].to_string(), said["content"].clone()))
        .unzip();
    assert_eq!(contents, ["1", "2", "3", "4"]);
    assert_eq!(
        ids.iter().collect::<std::collections::BTreeSet<_>>().len(),
        4,
        "{ids:?}"
    );
}

#[test]
fn neighbours_are_joined_where_they_are_refused() {
    let picture = Part::Picture(Picture {
        mime: "image/png".into(),
        bytes: b"png".as_slice().into(),
    });
    let call = ToolCall {
        id: "a".into(),
        name: "f".into(),
        arguments: "{}".into(),
    };
    let request = request(vec![
        ChatMessage::user("a"),
        ChatMessage::user("b"),
        ChatMessage::assistant("c"),
        ChatMessage::Assistant {
            text: "d".into(),
            calls: vec![call],
            data: None,
        },
        ChatMessage::user("e"),
        ChatMessage::User { parts: vec![picture] },
    ]);
    let traits = Traits {
        neighbours: false,
        ..Traits::USUAL
    };
    let sent = asked(&request, ABLE, traits, Echo::Nothing);
    let messages = sent["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().filter_map(|said| said["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user"]);
    assert_eq!(
        (&messages[0]["content"], &messages[1]["content"]),
        (&json!("a\n\nb"), &json!("c\n\nd"))
    );
    assert_eq!(messages[3]["content"][0], json!({"type": "text", "text": "e"}));
    assert_eq!(messages[3]["content"][1]["type"], "image_url");
}
