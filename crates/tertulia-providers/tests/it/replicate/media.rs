//! Pictures and sound at Replicate.

use std::sync::Arc;

use serde_json::{Value, json};
use tertulia_core::media::{PictureOrder, Sound, SpeechOrder, SpokenWords};
use tertulia_core::provider::ProviderFault;
use tertulia_ports::Provider;
use tertulia_providers::{MediaModels, Replicate};

use super::double::{ReplicateDouble, Scene};
use super::{made, processing};

/// A provider of pictures and sounds, whose next predictions have these outputs in the end.
fn provider(double: &ReplicateDouble, outputs: impl IntoIterator<Item = Value>) -> Replicate {
    for output in outputs {
        let done = json!({"status": "succeeded", "output": output});
        double.push(Scene::polled([processing(&json!(null)), done]));
    }
    let mut config = double.config();
    let muse = || Some(ReplicateDouble::MEDIUM.to_owned());
    config.media = MediaModels {
        picture: muse(),
        transcription: muse(),
        speech: muse(),
        voice: None,
    };
    Replicate::new(config).unwrap()
}

fn drawing() -> PictureOrder {
    PictureOrder {
        prompt: "a cat".into(),
        size: Some((512, 768)),
        ..PictureOrder::default()
    }
}

#[tokio::test]
async fn pictures_lie_at_addresses_or_in_the_output() {
    let double = ReplicateDouble::start().await;
    let place = format!("{}/v1/out/png", double.base_url());
    let inside = "data:image/png;base64,iVBORw0KGgo=";
    let provider = provider(&double, [json!([place]), json!(inside), json!({"image": place})]);
    let media = provider.media().unwrap();
    assert!(media.abilities().imagine && media.abilities().transcribe && media.abilities().speak);
    for _ in 0..3 {
        let picture = media.imagine(&drawing()).await.unwrap();
        assert_eq!(
            (picture.mime.as_str(), &*picture.bytes),
            ("image/png", ReplicateDouble::PICTURE)
        );
    }
    let input = json!({"prompt": "a cat", "width": 512, "height": 768});
    assert_eq!(
        made(&double),
        ("/v1/models/acme/muse/predictions".into(), json!({"input": input}))
    );
    assert_eq!(double.log().refusals, Vec::<String>::new());
}

#[tokio::test]
async fn files_elsewhere_are_not_fetched() {
    let (double, elsewhere) = (ReplicateDouble::start().await, ReplicateDouble::start().await);
    let places = [
        format!("{}/v1/out/png", elsewhere.base_url()),
        "https://replicate.delivery.evil.example/x.png".to_owned(),
        "file:///etc/passwd".to_owned(),
        format!("{}/v1/out/none", double.base_url()),
        "no address".to_owned(),
    ];
    let provider = provider(&double, places.map(Value::from));
    for _ in 0..5 {
        let error = provider.media().unwrap().imagine(&drawing()).await.unwrap_err();
        assert!(
            matches!(error.kind, ProviderFault::Broken | ProviderFault::Rejected),
            "{error}"
        );
    }
    assert_eq!(elsewhere.log().refusals, Vec::<String>::new());
    assert_eq!(double.log().made.len(), 5);
}

#[tokio::test]
async fn sounds_become_texts_and_texts_sounds() {
    let double = ReplicateDouble::start().await;
    let place = format!("{}/v1/out/ogg", double.base_url());
    let provider = provider(&double, [json!({"text": " Good day. "}), json!(place)]);
    let media = provider.media().unwrap();
    let spoken = SpokenWords {
        sound: Sound {
            mime: "audio/ogg".into(),
            bytes: Arc::from(ReplicateDouble::SOUND),
        },
        model: String::new(),
        language: None,
    };
    assert_eq!(media.transcribe(&spoken).await.as_deref(), Ok("Good day."));
    let order = SpeechOrder {
        text: "Good day.".into(),
        voice: "anna".into(),
        ..SpeechOrder::default()
    };
    let sound = media.speak(&order).await.unwrap();
    assert_eq!(
        (sound.mime.as_str(), &*sound.bytes),
        ("audio/ogg", ReplicateDouble::SOUND)
    );
    assert_eq!(
        made(&double).1["input"],
        json!({"prompt": "Good day.", "voice": "anna"})
    );
    let plain = double.provider();
    let error = plain.media().unwrap().speak(&order).await.unwrap_err();
    assert_eq!(error.kind, ProviderFault::NotConfigured);
    assert!(error.detail.contains("providers.replicate.media.speech"), "{error}");
}

#[tokio::test]
async fn who_waits_no_longer_cancels() {
    let double = ReplicateDouble::start().await;
    double.push(Scene::polled([processing(&json!(null))]));
    let provider = provider(&double, []);
    let order = drawing();
    let waiting = provider.media().unwrap().imagine(&order);
    let looked = double.until(|log| log.looked.len() > 2);
    let seen = tokio::select! {
        _ = waiting => false,
        seen = looked => seen,
    };
    assert!(seen && double.until(|log| log.cancelled == [0]).await);
}
