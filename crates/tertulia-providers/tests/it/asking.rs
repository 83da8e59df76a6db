//! Asks a provider and collects what it answers.

use futures_util::StreamExt;
use tertulia_core::chat::{ChatMessage, ProviderData};
use tertulia_core::provider::{CallDelta, Delta, ModelRequest, ProviderError, Stop, Usage};
use tertulia_message::Generation;
use tertulia_ports::Provider;
use tertulia_providers::{Ollama, OllamaConfig, OpenAi, OpenAiConfig, ServerConfig};
use tertulia_testkit::model_double::ModelDouble;
use tertulia_testkit::ollama_double::OllamaDouble;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

/// The secret of all tests.
pub(crate) const CANARY: &str = "sk-canary-4711";

/// An answer put together.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) thinking: String,
    /// In the order of their first fragments.
    pub(crate) calls: Vec<CallDelta>,
    pub(crate) usage: Usage,
    pub(crate) stop: Option<Stop>,
    pub(crate) error: Option<ProviderError>,
    pub(crate) signs_of_life: usize,
    /// What goes back with the answer.
    pub(crate) data: Option<ProviderData>,
}

pub(crate) fn request(messages: Vec<ChatMessage>) -> ModelRequest {
    ModelRequest {
        model: ModelDouble::MODEL.into(),
        system: String::new(),
        messages,
        tools: Vec::new(),
        generation: Generation::default(),
    }
}

pub(crate) fn question() -> ModelRequest {
    request(vec![ChatMessage::user("Hi")])
}

pub(crate) fn provider_at(base_url: impl Into<String>) -> OpenAi {
    OpenAi::new(OpenAiConfig::of(ServerConfig {
        api_key: Some(CANARY.into()),
        ..ServerConfig::at("openai", base_url)
    }))
    .unwrap()
}

pub(crate) fn ollama_at(double: &OllamaDouble) -> Ollama {
    Ollama::new(ollama_config(double)).unwrap()
}

pub(crate) fn ollama_config(double: &OllamaDouble) -> OllamaConfig {
    OllamaConfig::of(ServerConfig {
        api_key: Some(CANARY.into()),
        model: OllamaDouble::MODEL.into(),
        ..ServerConfig::at("ollama", double.base_url())
    })
}

pub(crate) async fn ask(provider: &dyn Provider, request: ModelRequest) -> Answer {
    let mut answer = Answer::default();
    let mut stream = match provider.stream(request).await {
        Ok(stream) => stream,
        Err(error) => {
            return Answer {
                error: Some(error),
                ..answer
            };
        }
    };
    while let Some(item) = stream.next().await {
        assert_eq!((answer.stop, &answer.error), (None, &None), "{item:?} after the end");
        match item {
            Ok(delta) => answer.take(delta),
            Err(error) => answer.error = Some(error),
        }
    }
    assert!(
        answer.stop.is_some() != answer.error.is_some(),
        "neither end mark nor error: {answer:?}"
    );
    answer
}

impl Answer {
    fn take(&mut self, delta: Delta) {
        match delta {
            Delta::Text(text) => self.text += &text,
            Delta::Thinking(text) => self.thinking += &text,
            Delta::Call(delta) => match self.calls.iter_mut().find(|call| call.index == delta.index) {
                Some(call) => {
                    call.arguments += &delta.arguments;
                    call.id = call.id.take().or(delta.id);
                    call.name = call.name.take().or(delta.name);
                }
                None => self.calls.push(delta),
            },
            Delta::Usage(usage) => self.usage = usage,
            Delta::Data(data) => self.data = Some(data),
            Delta::Alive => self.signs_of_life += 1,
            Delta::End(stop) => self.stop = Some(stop),
        }
    }
}

/// Accepts a connection and reads the question on it; the answer is up to the caller.
pub(crate) async fn accept_question(listener: &TcpListener) -> (TcpStream, String) {
    let (mut connection, _) = listener.accept().await.unwrap();
    let mut asked = Vec::new();
    while !asked.ends_with(b"}") {
        let mut piece = [0; 4096];
        let read = connection.read(&mut piece).await.unwrap();
        asked.extend_from_slice(&piece[..read]);
    }
    (connection, String::from_utf8(asked).unwrap())
}
