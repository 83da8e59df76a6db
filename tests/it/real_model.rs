//! A real small model, by all APIs that its server speaks, and by a schema.

use serde_json::{Value, json};

use crate::daemon::Daemon;
use crate::ollama::{Ollama, Reply};
use crate::ollama_client::poll;
use crate::test_tools::{Model, TestTools};

/// The name that the server gives to its model, once it is loaded.
async fn loaded(model: &Model) -> String {
    poll(model, "/health", |page| page["status"] == "ok").await;
    let listed = poll(model, "/v1/models", |page| page["data"][0]["id"].is_string()).await;
    listed["data"][0]["id"].as_str().unwrap().to_owned()
}

/// A daemon that asks the model by such a provider. Tools would only make so small a model slower.
fn daemon(provider: &str, base_url: &str, name: &str) -> Daemon {
    tokio::task::block_in_place(|| {
        Daemon::start(&format!(
            "[providers.local]\n{provider}\nmodel = \"{name}\"\nbase_url = \"{base_url}\"\n[tools]\nenabled = []\n"
        ))
    })
}

/// Asks for a few tokens, the likeliest ones.
async fn asks(door: &Ollama, conversation: Option<&str>, text: &str, more: Value) -> Reply {
    let mut body = json!({"model": "tertulia", "messages": [{"role": "user", "content": text}],
        "options": {"temperature": 0, "num_predict": 16}});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Reply::of(door.post("/api/chat", conversation, body.to_string()).await).await
}

/// How many tokens the model has read for an answer.
fn tokens_read(reply: &Reply) -> u64 {
    reply.lines().last().unwrap()["prompt_eval_count"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_holds_a_conversation_by_every_api() {
    let Some(tools) = TestTools::find("a_real_model_holds_a_conversation_by_every_api") else {
        return;
    };
    let model = tools.model();
    let name = loaded(&model).await;
    let openai = format!("{}/v1", model.url());
    for (provider, base_url) in [
        ("kind = \"openai\"", openai.as_str()),
        ("kind = \"openai\"\napi = \"responses\"", openai.as_str()),
        ("kind = \"anthropic\"", model.url()),
    ] {
        let daemon = daemon(provider, base_url, &name);
        let door = Ollama::of(&daemon);
        let first = asks(&door, Some("talk"), "What is the capital of France?", json!({})).await;
        assert!(
            first.is_whole() && first.text().contains("Paris"),
            "{provider}: {first:?}"
        );
        let second = asks(&door, Some("talk"), "And of Italy?", json!({})).await;
        assert!(second.is_whole() && !second.text().is_empty(), "{provider}: {second:?}");
        // the second question alone is the shorter one: the model has read the first one again
        assert!(
            tokens_read(&second) > tokens_read(&first),
            "{provider}: {first:?} {second:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_answers_by_a_schema() {
    let Some(tools) = TestTools::find("a_real_model_answers_by_a_schema") else {
        return;
    };
    let model = tools.model();
    let name = loaded(&model).await;
    let daemon = daemon("kind = \"openai\"", &format!("{}/v1", model.url()), &name);
    let schema = json!({
        "type": "object",
        "properties": {
            "capital": {"type": "string", "enum": ["Paris", "Rome"]},
            "is_large": {"type": "boolean"},
        },
        "required": ["capital", "is_large"],
        "additionalProperties": false,
    });
    let more = json!({"format": schema, "stream": false, "options": {"temperature": 0, "num_predict": 48}});
    let reply = asks(&Ollama::of(&daemon), None, "Name a large capital as JSON.", more).await;
    assert!(reply.is_whole(), "{reply:?}");
    let answer: Value = serde_json::from_str(&reply.text()).unwrap_or_else(|_| panic!("{reply:?}"));
    let answer = answer.as_object().unwrap();
    assert_eq!(answer.len(), 2, "{answer:?}");
    assert!(
        ["Paris", "Rome"].contains(&answer["capital"].as_str().unwrap()),
        "{answer:?}"
    );
    assert!(answer["is_large"].is_boolean(), "{answer:?}");
}
