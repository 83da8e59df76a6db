//! HuggingFace against its strict double.

mod contract;
mod double;
mod media;
mod recordings;

use std::time::Duration;

use serde_json::json;
use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::{ModelRequest, ProviderFault, Stop};
use tertulia_ports::Provider;
use tertulia_providers::{HuggingFace, HuggingFaceApi, HuggingFaceConfig};

use crate::asking::{CANARY, ask, request};

use double::{HuggingFaceDouble, Scene};

const SHARED: HuggingFaceApi = HuggingFaceApi::TextGeneration { dedicated: false };
const DEDICATED: HuggingFaceApi = HuggingFaceApi::TextGeneration { dedicated: true };

fn asking(model: &str) -> ModelRequest {
    ModelRequest {
        model: model.into(),
        ..request(vec![ChatMessage::user("Once upon a")])
    }
}

#[tokio::test]
async fn texts_are_asked_by_the_model_or_at_the_endpoint() {
    for (api, place) in [(SHARED, HuggingFaceDouble::MODEL), (DEDICATED, "")] {
        let double = HuggingFaceDouble::start().await;
        let provider = HuggingFace::new(double.config(api)).unwrap();
        double.push(Scene::Tokens(vec![" Hel", "lo\n", "\nHuman", ": no"], Duration::ZERO));
        let mut question = asking("");
        question.system = "Be kind.".into();
        question.generation.temperature = Some(0.0);
        let answer = ask(&provider, question).await;
        assert_eq!((answer.text.as_str(), answer.stop), (" Hello", Some(Stop::Done)));
        assert_eq!((answer.usage.tokens_in, answer.usage.tokens_out), (Some(7), Some(4)));
        let (asked_at, body) = double.asked().remove(0);
        let prompt = "System: Be kind.\n\nHuman: Once upon a\n\nAssistant:";
        assert_eq!((asked_at.as_str(), &body["inputs"]), (place, &json!(prompt)));
        assert_eq!(double.refusals(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn endpoints_tell_their_window_and_models_whether_they_are_there() {
    let double = HuggingFaceDouble::start().await;
    let provider = HuggingFace::new(double.config(DEDICATED)).unwrap();
    assert_eq!(provider.probe("", false).await, Ok(()));
    let able = provider.capabilities("");
    assert_eq!(
        (able.max_context, able.conversation, able.system),
        (HuggingFaceDouble::WINDOW, false, false)
    );
    let provider = HuggingFace::new(double.config(SHARED)).unwrap();
    assert_eq!(provider.probe("", true).await, Ok(()));
    for missing in ["acme/none", "a/b/c", "../x"] {
        let error = ask(&provider, asking(missing)).await.error.unwrap();
        assert_eq!(error.kind, ProviderFault::NoSuchModel, "{missing}: {error}");
    }
}

#[tokio::test]
async fn the_router_tells_what_a_model_can() {
    let double = HuggingFaceDouble::start().await;
    let provider = HuggingFace::new(double.config(HuggingFaceApi::Chat)).unwrap();
    let able = provider.capabilities("");
    assert_eq!((able.conversation, able.system, able.tool_calls), (true, true, false));
    let one = format!("{}:one", HuggingFaceDouble::MODEL);
    for model in ["", &one] {
        assert_eq!(provider.probe(model, false).await, Ok(()));
    }
    let able = provider.capabilities("");
    assert_eq!((able.tool_calls, able.vision, able.max_context), (false, true, 32_768));
    assert!(provider.capabilities(&one).tool_calls);
    let unknown = provider.probe("acme/none", false).await.unwrap_err();
    assert_eq!(unknown.kind, ProviderFault::NoSuchModel, "{unknown}");
}

#[tokio::test]
async fn refusals_are_classified_and_hide_the_key() {
    let double = HuggingFaceDouble::start().await;
    let provider = HuggingFace::new(double.config(SHARED)).unwrap();
    double.push(Scene::Plain(
        503,
        json!({"error": format!("{CANARY} is currently loading")}),
    ));
    let error = ask(&provider, asking("")).await.error.unwrap();
    assert!(matches!(error.kind, ProviderFault::Unavailable { .. }), "{error}");
    assert!(!error.detail.contains(CANARY), "{error}");
    let mut config = double.config(SHARED);
    config.server.api_key = Some("another".into());
    let refused = HuggingFace::new(config).unwrap().probe("", true).await.unwrap_err();
    assert_eq!(refused.kind, ProviderFault::Unauthorized, "{refused}");
    let official = HuggingFace::new(HuggingFaceConfig::official()).unwrap();
    assert_eq!(official.missing_setting(), Some("providers.huggingface.api_key_file"));
    assert!(!format!("{provider:?}").contains(CANARY));
}
