//! Whatever a history holds, the server takes the request.

use std::sync::Arc;

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tertulia_core::chat::{ChatMessage, Part, ProviderData, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::ModelRequest;
use tertulia_message::{Generation, Picture, ToolOffer};

use super::double::AnthropicDouble;
use crate::asking::{ask, question};

const MODELS: [&str; 4] = ["claude-3-opus", "claude-sonnet-4-5", "claude-opus-4-6", "smollm2"];
/// So many requests are asked of one server.
const REQUESTS: usize = 40;

#[test]
fn the_server_takes_whatever_was_said() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(Config {
        cases: 8,
        max_shrink_iters: 20,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&vec(asking(), REQUESTS), |requests| {
        runtime.block_on(async {
            let double = AnthropicDouble::start().await;
            let provider = double.provider();
            for request in requests {
                ask(&provider, request).await;
            }
            prop_assert_eq!(double.refusals(), Vec::<String>::new());
            Ok(())
        })
    });
    outcome.unwrap();
}

fn asking() -> impl Strategy<Value = ModelRequest> {
    let think = prop_oneof![
        Just(None),
        Just(Some(json!(true))),
        Just(Some(json!(false))),
        Just(Some(json!("high")))
    ];
    let sampling = prop::option::of(0.0..2.0_f64);
    let limit = prop::option::of(1_u64..100_000);
    let tools = btree_set(tool_name(), 0..3);
    let settings = (think, sampling, limit, tools);
    (model(), said(), vec(message(), 0..8), settings).prop_map(
        |(model, system, messages, (think, sampling, max_tokens, tools))| ModelRequest {
            model,
            system,
            messages,
            tools: tools.into_iter().map(offer).collect(),
            generation: Generation {
                think,
                temperature: sampling,
                top_p: sampling,
                max_tokens,
                ..question().generation
            },
        },
    )
}

fn offer(name: String) -> ToolOffer {
    ToolOffer {
        name,
        description: String::new(),
        parameters: Value::Null,
    }
}

fn message() -> impl Strategy<Value = ChatMessage> {
    let part = prop_oneof![
        said().prop_map(Part::Text),
        prop::sample::select(vec!["image/png", "image/tiff"]).prop_map(|mime| {
            Part::Picture(Picture {
                mime: mime.into(),
                bytes: Arc::from([7]),
            })
        })
    ];
    let assistant = (said(), vec(call(), 0..3), prop::option::of(data()))
        .prop_map(|(text, calls, data)| ChatMessage::Assistant { text, calls, data });
    prop_oneof![
        vec(part, 0..3).prop_map(|parts| ChatMessage::User { parts }),
        assistant,
        vec(result(), 0..3).prop_map(|results| ChatMessage::Tool { results }),
    ]
}

fn model() -> impl Strategy<Value = String> {
    prop::sample::select(MODELS.to_vec()).prop_map(str::to_owned)
}

fn said() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", " \n", "Hi", "ä b"]).prop_map(str::to_owned)
}

fn tool_name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["now", "dir.list", "dir list", "dir_list"]).prop_map(str::to_owned)
}

fn call_id() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "b", "functions.now:0"]).prop_map(str::to_owned)
}

fn call() -> impl Strategy<Value = ToolCall> {
    let arguments = prop::sample::select(vec!["", "{}", "{\"x\":1}", "[1]", "{\"cut"]);
    (call_id(), tool_name(), arguments).prop_map(|(id, name, arguments)| ToolCall {
        id,
        name,
        arguments: arguments.to_owned(),
    })
}

fn result() -> impl Strategy<Value = ToolResult> {
    (call_id(), said()).prop_map(|(call_id, content)| ToolResult {
        call_id,
        name: "now".into(),
        status: ToolStatus::Failed,
        content,
    })
}

fn data() -> impl Strategy<Value = ProviderData> {
    let block = prop_oneof![
        Just(json!({"type": "thinking", "thinking": "", "signature": "s"})),
        Just(json!({"type": "redacted_thinking", "data": "x"})),
        Just(json!({"type": "text", "length": 2})),
        Just(json!({"type": "text", "length": 4})),
        Just(json!({"type": "tool_use"})),
    ];
    (model(), vec(block, 0..4)).prop_map(|(model, blocks)| ProviderData {
        kind: "anthropic".into(),
        model,
        bytes: Value::Array(blocks).to_string().into_bytes(),
    })
}
