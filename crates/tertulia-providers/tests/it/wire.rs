//! One conversation as every kind sends it, with the provider's own way to call tools and with tools in words.

#![expect(clippy::panic, reason = "test code")]

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{Method, Uri};
use serde_json::{Value, json};
use tertulia_core::chat::{ChatMessage, Part, ToolCall, ToolResult, ToolStatus};
use tertulia_core::layout::Asked;
use tertulia_core::provider::ModelRequest;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Generation, Picture, ToolOffer};
use tertulia_ports::Provider;
use tertulia_providers::{
    AbilityOverrides, Anthropic, AnthropicConfig, DeepSeek, DeepSeekConfig, Google, GoogleConfig, HuggingFace,
    HuggingFaceApi, HuggingFaceConfig, Ollama, OllamaConfig, OpenAi, OpenAiApi, OpenAiConfig, OpenRouter,
    OpenRouterConfig, Overrides, Replicate, ReplicateConfig, ServerConfig,
};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::asking::{CANARY, ask};

const MODEL: &str = "org/model";

/// What a model can do beyond the defaults of its kind.
const SEES: AbilityOverrides = AbilityOverrides {
    conversation: None,
    system: None,
    tool_calls: None,
    vision: Some(true),
    thinking: None,
    max_context: Some(32_000),
};
const IN_WORDS: AbilityOverrides = AbilityOverrides {
    tool_calls: Some(false),
    ..SEES
};

type Requests = Arc<Mutex<Vec<(Uri, Value)>>>;

/// A server that keeps what it is asked, and has no answer.
struct Ear {
    requests: Requests,
    address: String,
    _task: JoinSet<()>,
}

impl Ear {
    async fn open() -> Self {
        let requests = Requests::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(hear).with_state(Arc::clone(&requests));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            requests,
            address,
            _task: task,
        }
    }

    /// What a provider at this address sends to be answered.
    async fn hear(&self, provider: &dyn Provider, request: ModelRequest) -> (Uri, Value) {
        let answer = ask(provider, request).await;
        let last = self.requests.lock().unwrap().pop();
        last.unwrap_or_else(|| panic!("nothing was asked: {answer:?}"))
    }
}

/// The body that Gemini's kind sends.
pub(crate) fn gemini_body(request: ModelRequest) -> Value {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let ear = Ear::open().await;
        let google = Google::new(GoogleConfig::at(ear.address.clone())).unwrap();
        ear.hear(&google, request).await.1
    })
}

async fn hear(State(requests): State<Requests>, method: Method, uri: Uri, body: String) -> &'static str {
    if method == Method::POST {
        requests
            .lock()
            .unwrap()
            .push((uri, serde_json::from_str(&body).unwrap()));
    }
    "{}"
}

/// A system prompt, a round of tools, two speakers and a picture.
fn messages() -> Vec<ChatMessage> {
    let call = ToolCall {
        id: "call_0_0".into(),
        name: "now".into(),
        arguments: "{\"zone\":\"Europe/Rome\"}".into(),
    };
    let result = ToolResult {
        call_id: "call_0_0".into(),
        name: "now".into(),
        status: ToolStatus::Ok,
        content: "12:00 <noon>".into(),
    };
    let picture = Picture {
        mime: "image/png".into(),
        bytes: b"png".as_slice().into(),
    };
    vec![
        ChatMessage::user("\"ann\": What time is it?"),
        ChatMessage::Assistant {
            text: "I look.".into(),
            calls: vec![call],
            data: None,
        },
        ChatMessage::Tool { results: vec![result] },
        ChatMessage::assistant("Noon."),
        ChatMessage::User {
            parts: vec![Part::Text("\"bob\": And what is this?".into()), Part::Picture(picture)],
        },
    ]
}

fn tools() -> Vec<ToolOffer> {
    let path = json!({"type": "string", "description": "Where it goes."});
    vec![ToolOffer {
        name: "message_web".into(),
        description: "Sends a message.".into(),
        parameters: json!({
            "type": "object",
            "properties": {"text": {"type": "string"}, "interface_path": path},
            "required": ["text"],
        }),
    }]
}

/// What a kind sends, for a model with these abilities.
pub(crate) async fn sent(kind: &str, abilities: AbilityOverrides) -> String {
    let ear = Ear::open().await;
    let server = ServerConfig {
        api_key: Some(CANARY.into()),
        model: MODEL.into(),
        capabilities: Overrides {
            all: abilities,
            ..Overrides::default()
        },
        ..ServerConfig::at(kind, ear.address.clone())
    };
    let provider = provider(kind, server);
    let able = provider.capabilities(MODEL);
    let (tools, generation) = (tools(), Generation::default());
    let asked = Asked {
        model: MODEL,
        base: "Be kind.",
        tree: "",
        path: &InterfacePath::parse("telegram_bot/-100/7").unwrap(),
        tells_path: true,
        tools: &tools,
        generation: &generation,
    };
    let request = asked.request(asked.system(&able), messages(), &able);
    let (uri, body) = ear.hear(&*provider, request).await;
    let text = format!("POST {}\n{}", uri.path(), serde_json::to_string_pretty(&body).unwrap());
    let both = text.contains("tool_call id=") && !body["tools"].is_null();
    assert!(!both, "never both ways in one request: {text}");
    assert!(!text.contains(CANARY));
    text
}

fn provider(kind: &str, server: ServerConfig) -> Box<dyn Provider> {
    match kind {
        "openai" => Box::new(OpenAi::new(OpenAiConfig::of(server)).unwrap()),
        "responses" => {
            let api = OpenAiApi::Responses;
            Box::new(
                OpenAi::new(OpenAiConfig {
                    api,
                    ..OpenAiConfig::of(server)
                })
                .unwrap(),
            )
        }
        "anthropic" => Box::new(Anthropic::new(AnthropicConfig::of(server)).unwrap()),
        "deepseek" => Box::new(DeepSeek::new(DeepSeekConfig::of(server)).unwrap()),
        "openrouter" => Box::new(OpenRouter::new(OpenRouterConfig::of(server)).unwrap()),
        "google" => Box::new(Google::new(GoogleConfig::of(server)).unwrap()),
        "huggingface" => Box::new(HuggingFace::new(HuggingFaceConfig::of(server)).unwrap()),
        "huggingface-text" => {
            let api = HuggingFaceApi::TextGeneration { dedicated: false };
            let config = HuggingFaceConfig {
                api,
                ..HuggingFaceConfig::of(server)
            };
            Box::new(HuggingFace::new(config).unwrap())
        }
        "ollama" => Box::new(Ollama::new(OllamaConfig::of(server)).unwrap()),
        "replicate" => Box::new(Replicate::new(ReplicateConfig::of(server)).unwrap()),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn every_kind_with_its_own_way_to_call_tools() {
    for kind in ["openai", "responses", "anthropic", "deepseek", "openrouter", "google"] {
        insta::assert_snapshot!(format!("{kind}-own-way"), sent(kind, SEES).await);
    }
}

#[tokio::test]
async fn every_kind_with_tools_in_words() {
    for kind in ["openai", "responses", "anthropic", "deepseek", "openrouter", "google"] {
        insta::assert_snapshot!(format!("{kind}-in-words"), sent(kind, IN_WORDS).await);
    }
}

#[tokio::test]
async fn kinds_that_take_one_prompt() {
    for kind in ["ollama", "replicate", "huggingface-text"] {
        insta::assert_snapshot!(format!("{kind}-prompt"), sent(kind, SEES).await);
    }
}

#[tokio::test]
async fn kinds_that_are_known_to_chat() {
    let chat = AbilityOverrides {
        conversation: Some(true),
        system: Some(true),
        ..IN_WORDS
    };
    let able = AbilityOverrides {
        tool_calls: Some(true),
        ..chat
    };
    for kind in ["ollama", "huggingface"] {
        insta::assert_snapshot!(format!("{kind}-chat-in-words"), sent(kind, chat).await);
        insta::assert_snapshot!(format!("{kind}-chat-own-way"), sent(kind, able).await);
    }
}
