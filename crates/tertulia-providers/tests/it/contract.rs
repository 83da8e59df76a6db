//! Every implementation keeps the contract of a provider.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tertulia_ports::Provider;
use tertulia_providers::{
    Anthropic, AnthropicConfig, DeepSeek, DeepSeekConfig, Demo, Google, GoogleConfig, Ollama, OllamaConfig, OpenAi,
    OpenAiApi, OpenAiConfig, OpenRouter, OpenRouterConfig,
};
use tertulia_testkit::gemini_double::{GeminiDouble, GeminiScript};
use tertulia_testkit::model_double::{Ending, Habits, ModelDouble, Script};
use tertulia_testkit::ollama_double::{OllamaDouble, OllamaScript, OllamaServer};
use tertulia_testkit::provider_contract::{ProviderSubject, Scene, check};

use crate::anthropic::double::{self, AnthropicDouble, text_events};
use crate::asking::{CANARY, ollama_at, provider_at};
use crate::chat_kinds::{self, deepseek_at, openrouter_at};
use crate::google::google_config;
use crate::responses::double::{self as responses, ResponsesDouble};

struct ChatSubject {
    kind: &'static str,
    double: ModelDouble,
    provider: Arc<dyn Provider>,
    unconfigured: Arc<dyn Provider>,
}

#[async_trait]
impl ProviderSubject for ChatSubject {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider)
    }

    fn model(&self) -> String {
        ModelDouble::MODEL.into()
    }

    fn secret(&self) -> String {
        CANARY.into()
    }

    fn unconfigured(&self) -> Option<(Arc<dyn Provider>, String)> {
        Some((
            Arc::clone(&self.unconfigured),
            format!("providers.{}.api_key_file", self.kind),
        ))
    }

    fn prepare(&self, scene: Scene) {
        self.double.push(match scene {
            Scene::Answer => Script::slow_text("I am the double.", 4, Duration::from_millis(1)),
            Scene::Endless => Script::Endless(Duration::from_millis(1)),
        });
    }

    async fn freed(&self) -> bool {
        self.double
            .until(|calls| calls.last().is_some_and(|call| call.ending == Ending::Disconnected))
            .await
    }
}

struct OllamaSubject {
    double: OllamaDouble,
    provider: Arc<dyn Provider>,
}

#[async_trait]
impl ProviderSubject for OllamaSubject {
    fn kind(&self) -> &'static str {
        "ollama"
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider)
    }

    fn model(&self) -> String {
        OllamaDouble::MODEL.into()
    }

    fn secret(&self) -> String {
        CANARY.into()
    }

    fn unconfigured(&self) -> Option<(Arc<dyn Provider>, String)> {
        Some((
            Arc::new(Ollama::new(OllamaConfig::at("https://ollama.com")).unwrap()),
            "providers.ollama.api_key_file".into(),
        ))
    }

    fn prepare(&self, scene: Scene) {
        let pause = Duration::from_millis(1);
        self.double.push(match scene {
            Scene::Answer => OllamaScript::text(&["I am ", "the ", "double."], pause),
            Scene::Endless => OllamaScript::Endless(pause),
        });
    }

    async fn freed(&self) -> bool {
        self.double
            .until(|calls| calls.last().is_some_and(|call| call.ending == Ending::Disconnected))
            .await
    }
}

struct AnthropicSubject {
    double: AnthropicDouble,
    provider: Arc<dyn Provider>,
}

#[async_trait]
impl ProviderSubject for AnthropicSubject {
    fn kind(&self) -> &'static str {
        "anthropic"
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider)
    }

    fn model(&self) -> String {
        AnthropicDouble::MODEL.into()
    }

    fn secret(&self) -> String {
        CANARY.into()
    }

    fn unconfigured(&self) -> Option<(Arc<dyn Provider>, String)> {
        Some((
            Arc::new(Anthropic::new(AnthropicConfig::official()).unwrap()),
            "providers.anthropic.api_key_file".into(),
        ))
    }

    fn prepare(&self, scene: Scene) {
        let pause = Duration::from_millis(1);
        self.double.push(match scene {
            Scene::Answer => double::Scene::Events(text_events(&["I am ", "the ", "double."]), pause),
            Scene::Endless => double::Scene::Endless(pause),
        });
    }

    async fn freed(&self) -> bool {
        self.double.left_alone().await
    }
}

struct GoogleSubject {
    double: GeminiDouble,
    provider: Arc<dyn Provider>,
}

#[async_trait]
impl ProviderSubject for GoogleSubject {
    fn kind(&self) -> &'static str {
        "google"
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider)
    }

    fn model(&self) -> String {
        GeminiDouble::MODEL.into()
    }

    fn secret(&self) -> String {
        CANARY.into()
    }

    fn unconfigured(&self) -> Option<(Arc<dyn Provider>, String)> {
        Some((
            Arc::new(Google::new(GoogleConfig::official()).unwrap()),
            "providers.google.api_key_file".into(),
        ))
    }

    fn prepare(&self, scene: Scene) {
        let pause = Duration::from_millis(1);
        self.double.push(match scene {
            Scene::Answer => GeminiScript::text(&["I am ", "the ", "double."], pause),
            Scene::Endless => GeminiScript::Endless(pause),
        });
    }

    async fn freed(&self) -> bool {
        self.double
            .until(|calls| calls.last().is_some_and(|call| call.ending == Ending::Disconnected))
            .await
    }
}

struct ResponsesSubject {
    double: ResponsesDouble,
    provider: Arc<dyn Provider>,
}

#[async_trait]
impl ProviderSubject for ResponsesSubject {
    fn kind(&self) -> &'static str {
        "openai"
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider)
    }

    fn model(&self) -> String {
        ResponsesDouble::MODEL.into()
    }

    fn secret(&self) -> String {
        CANARY.into()
    }

    fn unconfigured(&self) -> Option<(Arc<dyn Provider>, String)> {
        let config = OpenAiConfig {
            api: OpenAiApi::Responses,
            ..OpenAiConfig::official()
        };
        Some((
            Arc::new(OpenAi::new(config).unwrap()),
            "providers.openai.api_key_file".into(),
        ))
    }

    fn prepare(&self, scene: Scene) {
        let pause = Duration::from_millis(1);
        self.double.push(match scene {
            Scene::Answer => responses::Scene::Events(responses::text_events(&["I am ", "the ", "double."]), pause),
            Scene::Endless => responses::Scene::Endless(pause),
        });
    }

    async fn freed(&self) -> bool {
        self.double.left_alone().await
    }
}

struct DemoSubject;

#[async_trait]
impl ProviderSubject for DemoSubject {
    fn kind(&self) -> &'static str {
        "demo"
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::new(Demo::with_pause(Duration::from_millis(1)))
    }

    fn model(&self) -> String {
        Demo::MODEL.into()
    }

    fn secret(&self) -> String {
        String::new()
    }

    fn unconfigured(&self) -> Option<(Arc<dyn Provider>, String)> {
        None
    }

    fn prepare(&self, _scene: Scene) {}

    /// Nothing is held open.
    async fn freed(&self) -> bool {
        true
    }
}

async fn keeps_the_contract(
    kind: &'static str,
    habits: Habits,
    provider: impl Fn(String) -> Arc<dyn Provider>,
    unconfigured: impl Provider + 'static,
) {
    let double = chat_kinds::double(habits).await;
    let subject = ChatSubject {
        kind,
        provider: provider(double.base_url()),
        unconfigured: Arc::new(unconfigured),
        double,
    };
    assert_eq!(check(&subject).await, Ok(()));
    assert_eq!(subject.double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn openai_keeps_the_contract() {
    let unconfigured = OpenAi::new(OpenAiConfig::official()).unwrap();
    let provider = |base_url: String| Arc::new(provider_at(base_url)) as Arc<dyn Provider>;
    keeps_the_contract("openai", Habits::OpenAi, provider, unconfigured).await;
}

#[tokio::test]
async fn deepseek_keeps_the_contract() {
    let unconfigured = DeepSeek::new(DeepSeekConfig::official()).unwrap();
    let provider = |base_url: String| Arc::new(deepseek_at(base_url)) as Arc<dyn Provider>;
    keeps_the_contract("deepseek", Habits::DeepSeek, provider, unconfigured).await;
}

#[tokio::test]
async fn openrouter_keeps_the_contract() {
    let unconfigured = OpenRouter::new(OpenRouterConfig::official()).unwrap();
    let provider = |base_url: String| Arc::new(openrouter_at(base_url)) as Arc<dyn Provider>;
    keeps_the_contract("openrouter", Habits::OpenRouter, provider, unconfigured).await;
}

#[tokio::test]
async fn ollama_keeps_the_contract_with_prompts_and_with_chats() {
    for probed in [false, true] {
        let server = OllamaServer {
            key: Some(CANARY.into()),
            ..OllamaServer::default()
        };
        let double = OllamaDouble::start(server).await.unwrap();
        let provider = Arc::new(ollama_at(&double));
        if probed {
            assert_eq!(provider.probe(OllamaDouble::MODEL, false).await, Ok(()));
        }
        let subject = OllamaSubject { double, provider };
        assert_eq!(check(&subject).await, Ok(()));
        assert_eq!(subject.double.refusals(), Vec::<String>::new());
        let route = if probed { "/api/chat" } else { "/api/generate" };
        assert!(subject.double.calls().iter().all(|call| call.route == route));
    }
}

#[tokio::test]
async fn anthropic_keeps_the_contract() {
    let double = AnthropicDouble::start().await;
    let provider = Arc::new(double.provider());
    let subject = AnthropicSubject { double, provider };
    assert_eq!(check(&subject).await, Ok(()));
    assert_eq!(subject.double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn google_keeps_the_contract() {
    let double = GeminiDouble::start(Some(CANARY)).await.unwrap();
    let provider = Arc::new(Google::new(google_config(&double)).unwrap());
    let subject = GoogleSubject { double, provider };
    assert_eq!(check(&subject).await, Ok(()));
    assert_eq!(subject.double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn openai_keeps_the_contract_by_responses() {
    let double = ResponsesDouble::start().await;
    let provider = Arc::new(double.provider());
    let subject = ResponsesSubject { double, provider };
    assert_eq!(check(&subject).await, Ok(()));
    assert_eq!(subject.double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn the_demo_keeps_the_contract() {
    assert_eq!(check(&DemoSubject).await, Ok(()));
}
