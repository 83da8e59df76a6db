//! Pictures and sound by HuggingFace's own inference.

use serde_json::json;
use tertulia_core::media::{PictureOrder, Sound, SpeechOrder, SpokenWords};
use tertulia_core::provider::ProviderFault;
use tertulia_ports::Provider;
use tertulia_providers::{HuggingFace, HuggingFaceApi, MediaModels};

use super::double::{HuggingFaceDouble, Scene};

fn provider(double: &HuggingFaceDouble) -> HuggingFace {
    let mut config = double.config(HuggingFaceApi::Chat);
    config.media = MediaModels {
        picture: Some("acme/flux".into()),
        transcription: Some("acme/ear".into()),
        speech: Some("acme/mouth".into()),
        voice: None,
    };
    HuggingFace::new(config).unwrap()
}

#[tokio::test]
async fn pictures_are_made_and_sounds_written_down() {
    let double = HuggingFaceDouble::start().await;
    let provider = provider(&double);
    let media = provider.media().unwrap();
    let able = media.abilities();
    assert_eq!((able.imagine, able.transcribe, able.speak), (true, true, false));
    let order = PictureOrder {
        prompt: "a cat".into(),
        size: Some((512, 256)),
        ..PictureOrder::default()
    };
    let picture = media.imagine(&order).await.unwrap();
    // the type is what it is, and not what was said
    assert_eq!(
        (picture.mime.as_str(), &*picture.bytes),
        ("image/png", HuggingFaceDouble::PICTURE)
    );
    let spoken = SpokenWords {
        sound: Sound {
            mime: "audio/mpeg; x".into(),
            bytes: [1, 2, 3].into(),
        },
        model: "acme/other-ear".into(),
        language: None,
    };
    assert_eq!(media.transcribe(&spoken).await.as_deref(), Ok("What was said."));
    let asked = double.asked();
    let drawn = json!({"inputs": "a cat", "parameters": {"width": 512, "height": 256}});
    assert_eq!(asked[0], ("acme/flux".into(), drawn));
    assert_eq!(
        asked[1],
        ("acme/other-ear".into(), json!({"type": "audio/mpeg", "bytes": 3}))
    );
    assert_eq!(double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn what_cannot_be_had_is_an_error() {
    let double = HuggingFaceDouble::start().await;
    let provider = provider(&double);
    let media = provider.media().unwrap();
    double.push(Scene::Plain(200, json!({"error": "no picture"})));
    double.push(Scene::Plain(402, json!({"error": "credits are used up"})));
    let order = PictureOrder::default();
    let kind = |error: tertulia_core::provider::ProviderError| error.kind;
    assert_eq!(media.imagine(&order).await.map_err(kind), Err(ProviderFault::Broken));
    assert_eq!(media.imagine(&order).await.map_err(kind), Err(ProviderFault::Billing));
    let refused = media.speak(&SpeechOrder::default()).await.map_err(kind);
    assert_eq!(refused, Err(ProviderFault::Rejected));
    let none = HuggingFace::new(double.config(HuggingFaceApi::Chat)).unwrap();
    let error = none.media().unwrap().imagine(&order).await.unwrap_err();
    assert!(error.detail.contains("providers.huggingface.media.picture"), "{error}");
}
