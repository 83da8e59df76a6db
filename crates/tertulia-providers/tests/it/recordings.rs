//! Recorded streams of many servers, cut anywhere, give what the official clients make of them.

pub(crate) mod case;
mod chat;
pub(crate) mod expected;
mod gemini;
mod responses;
pub(crate) mod server;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Arc;

use serde_json::Value;
use tertulia_core::chat::{ChatMessage, ProviderData, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::{CallDelta, ModelRequest};
use tertulia_message::ToolOffer;
use tertulia_ports::Provider;
use tertulia_providers::{
    Anthropic, AnthropicConfig, Google, GoogleConfig, HuggingFace, HuggingFaceConfig, Ollama, OllamaConfig,
    ServerConfig,
};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::asking::{Answer, CANARY, ask, provider_at, request};
use crate::chat_kinds::{deepseek_at, openrouter_at};

use case::{Case, RecordedResult, cases};
use server::Server;

const FOLDERS: [&str; 2] = ["openai", "compatible"];
const RESPONSES: [&str; 3] = ["openai-responses", "deepseek", "openrouter"];

/// Bodies of at least so many bytes are not cut into single bytes.
const LARGE: usize = 20_000;

/// So many runs go on side by side.
const AT_ONCE: usize = 8;

/// Counts are seen also where all is well: what is printed by the macros is kept back then.
pub(crate) fn tell(line: &str) {
    let line = format!("{line}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_of_openai_shape() {
    let openai = |base_url: String| Arc::new(provider_at(base_url)) as Arc<dyn Provider>;
    run(&FOLDERS, "chat", openai).await;
    let excepted = expected::THINKING_IN_PARTS.len();
    tell(&format!("thinking not compared: {excepted} file"));
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_of_deepseek() {
    let deepseek = |base_url: String| Arc::new(deepseek_at(base_url + "/deepseek")) as Arc<dyn Provider>;
    run(&["deepseek"], "chat", deepseek).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_of_openrouter() {
    let openrouter = |base_url: String| Arc::new(openrouter_at(base_url + "/openrouter")) as Arc<dyn Provider>;
    run(&["openrouter"], "chat", openrouter).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_of_responses() {
    run(&RESPONSES, "responses", responses::provider).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_of_anthropic() {
    let anthropic = |base_url: String| {
        let config = AnthropicConfig::of(ServerConfig {
            api_key: Some(CANARY.into()),
            ..ServerConfig::at("anthropic", base_url)
        });
        Arc::new(Anthropic::new(config).unwrap()) as Arc<dyn Provider>
    };
    run(&["anthropic"], "messages", anthropic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_of_ollama() {
    let ollama = |base_url: String| Arc::new(Ollama::new(OllamaConfig::at(base_url)).unwrap()) as Arc<dyn Provider>;
    run(&["ollama"], "ollama", ollama).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_of_gemini() {
    let google = |base_url: String| {
        let config = GoogleConfig::at(format!("{base_url}/v1beta"));
        Arc::new(Google::new(config).unwrap()) as Arc<dyn Provider>
    };
    run(&["gemini"], "gemini", google).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_of_huggingface() {
    let huggingface = |base_url: String| {
        let mut config = HuggingFaceConfig::at(base_url);
        // there is no list here that would tell it
        config.server.capabilities.all.tool_calls = Some(true);
        Arc::new(HuggingFace::new(config).unwrap()) as Arc<dyn Provider>
    };
    run(&["huggingface"], "chat", huggingface).await;
}

/// Every API of every folder is played by one of the tests.
#[test]
fn recordings_are_all_played() {
    let Some(folder) = case::folder() else { return };
    let all = std::fs::read_to_string(folder.join("index.tsv"))
        .unwrap()
        .lines()
        .count()
        - 1;
    let played: [(&[&str], &str); 10] = [
        (&FOLDERS, "chat"),
        (&["deepseek"], "chat"),
        (&["openrouter"], "chat"),
        (&["huggingface"], "chat"),
        (&RESPONSES, "responses"),
        (&["anthropic"], "messages"),
        (&["gemini"], "gemini"),
        (&["ollama"], "ollama"),
        (&["huggingface"], "tgi"),
        (&["replicate"], "predictions"),
    ];
    let played = played.map(|(folders, api)| case::listed(&folder, folders, api));
    assert_eq!(played.iter().sum::<usize>(), all, "{played:?}");
}

/// Plays all recordings of an API.
async fn run(folders: &[&str], api: &str, provider: impl Fn(String) -> Arc<dyn Provider>) {
    let Some(folder) = case::folder() else { return };
    let (cases, other_apis) = cases(&folder, folders, api);
    let recordings = cases.len();
    let exchanges: usize = cases.iter().map(|case| case.exchanges.len()).sum();
    let server = Server::start(&cases).await;
    let provider = provider(server.base_url());
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut runs = JoinSet::new();
    let mut uncut = 0;
    for (number, case) in cases.into_iter().enumerate() {
        for size in [1, 7, 4096] {
            if size == 1 && case.exchanges.iter().any(|exchange| exchange.body.len() >= LARGE) {
                uncut += 1;
                continue;
            }
            let (case, provider, places) = (case.clone(), Arc::clone(&provider), Arc::clone(&places));
            runs.spawn(async move {
                let _place = places.acquire().await.unwrap();
                let outcome = play(&*provider, &case, number, size).await;
                outcome.map_err(|error| format!("{} by {size}: {error}", case.name))
            });
        }
    }
    let count = runs.len();
    let broken: Vec<String> = runs.join_all().await.into_iter().filter_map(Result::err).collect();
    tell(&format!(
        "{recordings} recordings of {api}: {exchanges} exchanges in {count} runs; not cut into bytes: {uncut} large files; \
         left out: {other_apis} files of other APIs"
    ));
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Asks as often as the recording answers: after a round of calls with the recorded results.
async fn play(provider: &dyn Provider, case: &Case, number: usize, size: usize) -> Result<(), String> {
    let mut messages = vec![ChatMessage::user("Hi")];
    for (round, exchange) in case.exchanges.iter().enumerate() {
        let request = ModelRequest {
            model: server::model(number, size, round),
            ..offering(case, messages.clone())
        };
        provider.probe(&request.model, false).await.unwrap();
        let answer = ask(provider, request).await;
        expected::compare(case, exchange, &answer)?;
        messages.extend(round_of_calls(case, &answer, server::model(number, size, round + 1)));
    }
    Ok(())
}

/// Offers the tools that the recorded answers call.
fn offering(case: &Case, messages: Vec<ChatMessage>) -> ModelRequest {
    let calls = case
        .exchanges
        .iter()
        .filter_map(|exchange| exchange.expected["tool_calls"].as_array())
        .flatten();
    let names: BTreeSet<&str> = calls.filter_map(|call| call["name"].as_str()).collect();
    let offer = |name: &str| ToolOffer {
        name: name.into(),
        description: String::new(),
        parameters: Value::Null,
    };
    ModelRequest {
        tools: names.into_iter().map(offer).collect(),
        ..request(messages)
    }
}

fn round_of_calls(case: &Case, answer: &Answer, next: String) -> [ChatMessage; 2] {
    let call = |(place, call): (usize, &CallDelta)| ToolCall {
        // where the wire has no id, the recorded program has made one up
        id: call
            .id
            .clone()
            .or_else(|| case.results.get(place)?.id.clone())
            .unwrap_or_default(),
        name: call.name.clone().unwrap_or_default(),
        arguments: call.arguments.clone(),
    };
    let calls: Vec<ToolCall> = answer.calls.iter().enumerate().map(call).collect();
    let result = |(place, result): (usize, &RecordedResult)| ToolResult {
        call_id: result
            .id
            .clone()
            .or_else(|| Some(calls.get(place)?.id.clone()))
            .unwrap_or_default(),
        name: String::new(),
        status: ToolStatus::Ok,
        content: result.content.clone(),
    };
    let results = case.results.iter().enumerate().map(result).collect();
    [
        ChatMessage::Assistant {
            text: answer.text.clone(),
            calls,
            // here every round has a model of its own
            data: answer.data.clone().map(|data| ProviderData { model: next, ..data }),
        },
        ChatMessage::Tool { results },
    ]
}
