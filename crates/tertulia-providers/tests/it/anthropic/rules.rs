//! What the real server refuses, as one strict check of a request.

use std::collections::BTreeSet;

use axum::http::HeaderMap;
use serde_json::Value;

use crate::asking::CANARY;

const FIELDS: [&str; 11] = [
    "model",
    "max_tokens",
    "system",
    "messages",
    "tools",
    "temperature",
    "top_p",
    "stop_sequences",
    "thinking",
    "output_config",
    "stream",
];
const USER_BLOCKS: [&str; 3] = ["text", "image", "tool_result"];

/// Why the server would refuse the request, if it would.
pub(crate) fn refusal(headers: &HeaderMap, asked: &Value) -> Option<String> {
    door(headers)
        .and_then(|()| fields(asked))
        .and_then(|()| turns(asked))
        .and_then(|()| pairs(asked))
        .err()
}

/// The key goes where it belongs, and nowhere else.
pub(crate) fn door(headers: &HeaderMap) -> Result<(), String> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    demand(header("x-api-key") == Some(CANARY), "invalid x-api-key")?;
    demand(
        header("anthropic-version") == Some("2023-06-01"),
        "anthropic-version: header is required",
    )?;
    demand(header("authorization").is_none(), "two keys")
}

fn fields(asked: &Value) -> Result<(), String> {
    for name in asked.as_object().unwrap().keys() {
        demand(FIELDS.contains(&name.as_str()), &format!("{name}: extra inputs"))?;
    }
    let limit = asked["max_tokens"].as_u64().unwrap_or(0);
    demand(limit >= 1, "max_tokens: field required")?;
    demand(!is_blank(&asked["system"]), "system: empty")?;
    let sampled = ["temperature", "top_p"].map(|name| !asked[name].is_null());
    demand(sampled != [true, true], "temperature and top_p together")?;
    if asked["thinking"]["type"] == "enabled" {
        let budget = asked["thinking"]["budget_tokens"].as_u64().unwrap_or(0);
        demand(
            budget >= 1024 && budget < limit,
            "max_tokens must be greater than budget_tokens",
        )?;
        demand(sampled == [false, false], "temperature while thinking")?;
    }
    let mut names = BTreeSet::new();
    for tool in list(&asked["tools"]) {
        let name = tool["name"].as_str().unwrap_or_default();
        demand(is_plain(name) && name.len() <= 64, "tools.name: pattern")?;
        demand(names.insert(name), "tool names must be unique")?;
        demand(tool["input_schema"]["type"] == "object", "input_schema.type")?;
    }
    Ok(())
}

fn turns(asked: &Value) -> Result<(), String> {
    let messages = list(&asked["messages"]);
    for (place, message) in messages.iter().enumerate() {
        let role = if place % 2 == 0 { "user" } else { "assistant" };
        demand(message["role"] == role, &format!("messages.{place}: not the {role}'s"))?;
        let blocks = list(&message["content"]);
        demand(!blocks.is_empty(), "content is empty")?;
        for block in blocks {
            demand(
                block["type"] != "text" || !is_blank(&block["text"]),
                "text content blocks must be non-empty",
            )?;
            let kind = block["type"].as_str().unwrap_or_default();
            demand(
                role != "user" || USER_BLOCKS.contains(&kind),
                "a block of the assistant",
            )?;
            demand(
                role == "user" || !USER_BLOCKS[1..].contains(&kind),
                "a block of the user",
            )?;
        }
    }
    demand(
        messages.len() % 2 == 1,
        "no prefill; the last message must be the user's",
    )
}

/// Calls and results, and the thinking in front of them.
fn pairs(asked: &Value) -> Result<(), String> {
    let mut all = BTreeSet::new();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for message in list(&asked["messages"]) {
        let blocks = list(&message["content"]);
        let results = blocks.iter().take_while(|block| block["type"] == "tool_result").count();
        let later = blocks[results..].iter().any(|block| block["type"] == "tool_result");
        demand(!later, "tool_result blocks come first")?;
        for result in &blocks[..results] {
            let id = result["tool_use_id"].as_str().unwrap_or_default();
            demand(open.remove(id), &format!("unexpected tool_use_id {id}"))?;
        }
        demand(
            open.is_empty(),
            "tool_use ids without tool_result blocks immediately after",
        )?;
        let last_is_thought = blocks.last().is_some_and(is_thinking);
        demand(!last_is_thought, "the final block cannot be thinking")?;
        for block in blocks.iter().filter(|block| block["type"] == "tool_use") {
            let id = block["id"].as_str().unwrap_or_default();
            demand(is_plain(id), &format!("tool_use.id: pattern: {id}"))?;
            demand(
                is_plain(block["name"].as_str().unwrap_or_default()),
                "tool_use.name: pattern",
            )?;
            demand(block["input"].is_object(), "tool_use.input: a dictionary")?;
            demand(all.insert(id), "tool_use ids must be unique")?;
            open.insert(id);
        }
    }
    demand(open.is_empty(), "open calls at the end")?;
    thinking_in_front(asked)
}

/// With a budget to think, the last round must begin with thinking.
fn thinking_in_front(asked: &Value) -> Result<(), String> {
    let last = list(&asked["messages"])
        .iter()
        .rfind(|message| message["role"] == "assistant");
    let blocks = last.map_or(&[][..], |message| list(&message["content"]));
    let calls = blocks.iter().any(|block| block["type"] == "tool_use");
    let thought = blocks.first().is_some_and(is_thinking);
    demand(
        asked["thinking"]["type"] != "enabled" || !calls || thought,
        "expected thinking, but found tool_use",
    )
}

/// The kept blocks of the answer before are back, in order and unchanged.
pub(crate) fn has_echo(asked: &Value, echo: &Value) -> bool {
    let messages = list(&asked["messages"]);
    let last = messages.iter().rfind(|message| message["role"] == "assistant");
    last.is_some_and(|message| contains(list(&message["content"]), list(&echo["blocks"])))
}

/// Whether the blocks are among others, in order. A block of which only the type is known is any of that type.
pub(crate) fn contains(all: &[Value], wanted: &[Value]) -> bool {
    let mut all = all.iter();
    wanted.iter().all(|wanted| {
        let bare = wanted.as_object().unwrap().len() == 1;
        all.any(|block| block == wanted || (bare && block["type"] == wanted["type"]))
    })
}

fn is_thinking(block: &Value) -> bool {
    block["type"] == "thinking" || block["type"] == "redacted_thinking"
}

fn is_blank(text: &Value) -> bool {
    text.as_str().is_some_and(|text| text.trim().is_empty())
}

fn is_plain(id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !id.is_empty() && id.bytes().all(fits)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn demand(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}

#[test]
fn every_rule_refuses() {
    use serde_json::json;
    let user = |blocks: Value| json!({"role": "user", "content": blocks});
    let model = |blocks: Value| json!({"role": "assistant", "content": blocks});
    let text = json!({"type": "text", "text": "a"});
    let call = json!({"type": "tool_use", "id": "t", "name": "f", "input": {}});
    let done = json!({"type": "tool_result", "tool_use_id": "t"});
    let thought = json!({"type": "thinking", "thinking": "", "signature": "s"});
    let check = |messages: Value, more: Value, expected: &str| {
        let mut asked = json!({"model": "m", "max_tokens": 2000, "messages": messages});
        let more = more.as_object().unwrap().clone();
        asked.as_object_mut().unwrap().extend(more);
        let outcome = fields(&asked).and_then(|()| turns(&asked)).and_then(|()| pairs(&asked));
        assert_eq!(outcome.err().unwrap_or_default(), expected, "{asked}");
    };
    let none = || json!({});
    let round = |first: Value, last: Value| json!([user(json!([text])), model(first), user(last)]);
    check(json!([user(json!([text]))]), none(), "");
    check(round(json!([thought, call]), json!([done, text])), none(), "");
    check(json!([model(json!([text]))]), none(), "messages.0: not the user's");
    check(
        json!([user(json!([text])), user(json!([text]))]),
        none(),
        "messages.1: not the assistant's",
    );
    check(json!([user(json!([]))]), none(), "content is empty");
    let blank = json!({"type": "text", "text": " "});
    check(
        json!([user(json!([blank]))]),
        none(),
        "text content blocks must be non-empty",
    );
    let prefill = json!([user(json!([text])), model(json!([text]))]);
    check(prefill, none(), "no prefill; the last message must be the user's");
    let open = "tool_use ids without tool_result blocks immediately after";
    check(round(json!([call]), json!([text])), none(), open);
    check(
        round(json!([call]), json!([text, done])),
        none(),
        "tool_result blocks come first",
    );
    check(round(json!([text]), json!([done])), none(), "unexpected tool_use_id t");
    check(
        round(json!([call, call]), json!([done])),
        none(),
        "tool_use ids must be unique",
    );
    check(
        round(json!([text, thought]), json!([text])),
        none(),
        "the final block cannot be thinking",
    );
    let colon = json!({"type": "tool_use", "id": "f:0", "name": "f", "input": {}});
    check(
        round(json!([colon]), json!([text])),
        none(),
        "tool_use.id: pattern: f:0",
    );
    let budget = json!({"thinking": {"type": "enabled", "budget_tokens": 1024}});
    let late = "expected thinking, but found tool_use";
    check(round(json!([call]), json!([done])), budget.clone(), late);
    check(round(json!([thought, call]), json!([done])), budget, "");
    let one = || json!([user(json!([text]))]);
    let much = json!({"thinking": {"type": "enabled", "budget_tokens": 2000}});
    check(one(), much, "max_tokens must be greater than budget_tokens");
    check(
        one(),
        json!({"temperature": 1, "top_p": 1}),
        "temperature and top_p together",
    );
    check(one(), json!({"seed": 1}), "seed: extra inputs");
    check(one(), json!({"system": ""}), "system: empty");
    let asked = json!({"messages": round(json!([thought, call]), json!([done]))});
    for (blocks, back) in [
        (json!([thought]), true),
        (json!([{"type": "thinking"}, call]), true),
        (json!([call, thought]), false),
        (json!([{"type": "thinking", "thinking": "x", "signature": "s"}]), false),
    ] {
        assert_eq!(has_echo(&asked, &json!({"blocks": blocks})), back, "{blocks}");
    }
}
