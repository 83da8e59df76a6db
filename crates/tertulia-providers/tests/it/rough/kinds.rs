//! The kinds that are treated roughly: one line for each.

use std::fmt;
use std::sync::Arc;

use tertulia_ports::Provider;
use tertulia_providers::{
    Anthropic, AnthropicConfig, DeepSeek, DeepSeekConfig, Google, GoogleConfig, HuggingFace, HuggingFaceApi,
    HuggingFaceConfig, Ollama, OllamaConfig, OpenAi, OpenAiApi, OpenAiConfig, OpenRouter, OpenRouterConfig, Replicate,
    ReplicateConfig, ServerConfig, SetupError,
};

use crate::asking::CANARY;

/// A kind, with what was recorded of its API.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) folders: &'static [&'static str],
    pub(crate) api: &'static str,
    make: fn(ServerConfig) -> Result<Arc<dyn Provider>, SetupError>,
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Kind {
    const fn new(
        name: &'static str,
        folders: &'static [&'static str],
        api: &'static str,
        make: fn(ServerConfig) -> Result<Arc<dyn Provider>, SetupError>,
    ) -> Self {
        Self {
            name,
            folders,
            api,
            make,
        }
    }

    /// It is answered in this form at the place that is rough.
    pub(crate) fn takes(&self, content_type: &str) -> bool {
        self.name != STAGED || content_type.starts_with("text/event-stream")
    }

    /// Every how manieth body it is given: one that looks again after a while takes its time for each.
    pub(crate) fn stride(&self) -> usize {
        if self.api == "predictions" { 11 } else { 1 }
    }

    /// The provider, with a key.
    pub(crate) fn provider(&self, base_url: &str) -> Arc<dyn Provider> {
        let server = ServerConfig {
            api_key: Some(CANARY.into()),
            ..ServerConfig::at(self.name, base_url)
        };
        (self.make)(server).unwrap()
    }
}

/// The kind whose prediction is made as it should be, and whose stream is rough.
const STAGED: &str = "replicate's stream";

/// Every kind there is.
#[rustfmt::skip]
pub(crate) const KINDS: &[Kind] = &[
    Kind::new("openai", &["openai", "compatible", "huggingface"], "chat", |at| Ok(Arc::new(OpenAi::new(OpenAiConfig::of(at))?))),
    Kind::new("responses", &["openai-responses", "deepseek", "openrouter"], "responses", |at| Ok(Arc::new(OpenAi::new(OpenAiConfig { api: OpenAiApi::Responses, ..OpenAiConfig::of(at) })?))),
    Kind::new("deepseek", &["deepseek"], "chat", |at| Ok(Arc::new(DeepSeek::new(DeepSeekConfig::of(at))?))),
    Kind::new("openrouter", &["openrouter"], "chat", |at| Ok(Arc::new(OpenRouter::new(OpenRouterConfig::of(at))?))),
    Kind::new("anthropic", &["anthropic"], "messages", |at| Ok(Arc::new(Anthropic::new(AnthropicConfig::of(at))?))),
    Kind::new("google", &["gemini"], "gemini", |at| Ok(Arc::new(Google::new(GoogleConfig::of(at))?))),
    Kind::new("huggingface", &["huggingface"], "chat", |at| Ok(Arc::new(HuggingFace::new(HuggingFaceConfig::of(at))?))),
    Kind::new("text generation", &["huggingface"], "tgi", |at| Ok(Arc::new(HuggingFace::new(HuggingFaceConfig { api: HuggingFaceApi::TextGeneration { dedicated: true }, ..HuggingFaceConfig::of(at) })?))),
    Kind::new("replicate", &["replicate"], "predictions", |at| Ok(Arc::new(Replicate::new(ReplicateConfig::of(at))?))),
    Kind::new(STAGED, &["replicate"], "predictions", |at| Ok(Arc::new(Replicate::new(ReplicateConfig::of(ServerConfig { base_url: format!("{}/staged", at.base_url), ..at }))?))),
    Kind::new("ollama", &["ollama"], "ollama", |at| Ok(Arc::new(Ollama::new(OllamaConfig::of(at))?))),
];
