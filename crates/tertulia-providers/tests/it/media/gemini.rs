//! Gemini's pictures and sound, and Imagen's pictures.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tertulia_core::media::{MediaAbilities, PictureOrder, SpeechOrder};
use tertulia_core::provider::ProviderFault;
use tertulia_ports::Provider;
use tertulia_providers::{Google, GoogleConfig, MediaModels, ServerConfig};

use super::server::{Answer, Asked, Server};
use super::{OGG, PNG, check, spoken};
use crate::asking::CANARY;

/// The documented rules.
fn rules(asked: &Asked) -> Option<Answer> {
    let refused = |status: u16, word: &str, message: &str| {
        Some(Answer::json(
            status,
            &json!({"error": {"code": status, "message": message, "status": word}}),
        ))
    };
    if asked.header("x-goog-api-key") != CANARY || !asked.header("authorization").is_empty() {
        return refused(400, "INVALID_ARGUMENT", "API key not valid.");
    }
    let body = asked.json();
    if asked.path.ends_with(":predict") {
        let fits = body["instances"][0]["prompt"].is_string() && body.get("contents").is_none();
        return (!fits).then(|| refused(400, "INVALID_ARGUMENT", "instances"))?;
    }
    if !asked.path.ends_with(":generateContent") {
        return refused(404, "NOT_FOUND", "no such method");
    }
    let parts = body["contents"][0]["parts"].as_array().unwrap();
    let fits = body["contents"][0]["role"] == "user" && !parts.is_empty();
    let spoken = body["generationConfig"]["responseModalities"] == json!(["AUDIO"]);
    let voiced = body.pointer("/generationConfig/speechConfig/voiceConfig/prebuiltVoiceConfig/voiceName");
    (!fits || spoken != voiced.is_some()).then(|| refused(400, "INVALID_ARGUMENT", "contents"))?
}

fn provider(server: &Server) -> Google {
    let of = ServerConfig {
        api_key: Some(CANARY.into()),
        ..ServerConfig::at("here", format!("{}/v1beta", server.url()))
    };
    Google::new(GoogleConfig {
        media: MediaModels {
            picture: Some("gemini-image".into()),
            transcription: Some("gemini-flash".into()),
            speech: Some("gemini-tts".into()),
            voice: None,
        },
        ..GoogleConfig::of(of)
    })
    .unwrap()
}

fn answer(parts: &Value) -> Answer {
    let candidate = json!({"content": {"role": "model", "parts": parts}, "finishReason": "STOP"});
    Answer::json(200, &json!({"candidates": [candidate]}))
}

fn data(mime: &str, bytes: &[u8]) -> Value {
    json!({"inlineData": {"mimeType": mime, "data": STANDARD.encode(bytes)}})
}

fn order(model: &str, size: Option<(u32, u32)>) -> PictureOrder {
    PictureOrder {
        prompt: "a cat".into(),
        model: model.into(),
        size,
    }
}

#[tokio::test]
async fn pictures_come_within_answers() {
    let server = Server::start(rules).await;
    let provider = provider(&server);
    let media = provider.media().unwrap();
    let mut thought = data("image/png", b"\x89PNG\r\n\x1a\nsketch");
    thought["thought"] = true.into();
    server.push(answer(&json!([thought, {"text": "Here:"}, data("image/jpeg", PNG)])));
    let picture = media.imagine(&order("", Some((1920, 1080)))).await.unwrap();
    assert_eq!((picture.mime.as_str(), &*picture.bytes), ("image/png", PNG));
    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/v1beta/models/gemini-image:generateContent");
    let config = json!({"responseModalities": ["TEXT", "IMAGE"], "imageConfig": {"aspectRatio": "16:9"}});
    let contents = json!([{"role": "user", "parts": [{"text": "a cat"}]}]);
    assert_eq!(asked.json(), json!({"contents": contents, "generationConfig": config}));
    server.push(answer(&json!([{"text": "I would rather not."}])));
    check(
        media.imagine(&order("", None)).await,
        ProviderFault::Rejected,
        "I would rather not.",
    );
    server.push(Answer::json(200, &json!({"promptFeedback": {"blockReason": "SAFETY"}})));
    check(media.imagine(&order("", None)).await, ProviderFault::Rejected, "SAFETY");
    server.push(Answer::json(200, &json!({})));
    check(media.imagine(&order("", None)).await, ProviderFault::Broken, "empty");
    server.push(answer(&json!([data("image/png", b"<svg>")])));
    check(
        media.imagine(&order("", None)).await,
        ProviderFault::Broken,
        "neither PNG",
    );
}

#[tokio::test]
async fn imagen_predicts() {
    let server = Server::start(rules).await;
    let provider = provider(&server);
    let media = provider.media().unwrap();
    let prediction = json!({"mimeType": "image/png", "bytesBase64Encoded": STANDARD.encode(PNG)});
    server.push(Answer::json(200, &json!({"predictions": [prediction]})));
    let picture = media.imagine(&order("imagen-4.0", None)).await.unwrap();
    assert_eq!(&*picture.bytes, PNG);
    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/v1beta/models/imagen-4.0:predict");
    let parameters = json!({"sampleCount": 1, "aspectRatio": "1:1"});
    assert_eq!(
        asked.json(),
        json!({"instances": [{"prompt": "a cat"}], "parameters": parameters})
    );
    server.push(Answer::json(200, &json!({})));
    check(
        media.imagine(&order("imagen-4.0", None)).await,
        ProviderFault::Rejected,
        "filtered",
    );
}

#[tokio::test]
async fn bare_samples_become_a_file() {
    let server = Server::start(rules).await;
    let provider = provider(&server);
    let media = provider.media().unwrap();
    server.push(answer(&json!([data("audio/L16;codec=pcm;rate=16000", &[1, 2, 3, 4])])));
    let order = SpeechOrder {
        text: "Hi".into(),
        voice: "Puck".into(),
        ..SpeechOrder::default()
    };
    let sound = media.speak(&order).await.unwrap();
    assert_eq!((sound.mime.as_str(), sound.bytes.len()), ("audio/wav", 48));
    assert_eq!(sound.bytes[24..28], 16_000_u32.to_le_bytes());
    let voice = server.asked()[0].json()["generationConfig"]["speechConfig"].clone();
    assert_eq!(
        voice,
        json!({"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": "Puck"}}})
    );
    server.push(answer(&json!([data("audio/unknown", b"what")])));
    check(media.speak(&order).await, ProviderFault::Broken, "sound");
}

#[tokio::test]
async fn what_is_said_is_heard_by_a_model() {
    let server = Server::start(rules).await;
    let provider = provider(&server);
    let media = provider.media().unwrap();
    server.push(answer(
        &json!([{"text": "hm", "thought": true}, {"text": "Hallo "}, {"text": "Welt.\n"}]),
    ));
    let text = media.transcribe(&spoken(OGG, "video/ogg")).await;
    assert_eq!(text, Ok("Hallo Welt.".to_owned()));
    let parts = server.asked()[0].json()["contents"][0]["parts"].clone();
    assert_eq!(parts[0], data("audio/ogg", OGG));
    assert!(parts[1]["text"].as_str().unwrap().ends_with("probably de."));
    let cut = json!({"content": {"parts": [{"text": "Hal"}]}, "finishReason": "MAX_TOKENS"});
    server.push(Answer::json(200, &json!({"candidates": [cut]})));
    check(
        media.transcribe(&spoken(OGG, "audio/ogg")).await,
        ProviderFault::Rejected,
        "MAX_TOKENS",
    );
    let long = vec![0; 14_000_001];
    check(
        media.transcribe(&spoken(&long, "audio/ogg")).await,
        ProviderFault::Rejected,
        "at most 14 MB",
    );
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn models_are_only_those_that_are_configured() {
    let official = Google::new(GoogleConfig::official()).unwrap();
    let media = official.media().unwrap();
    assert_eq!(media.abilities(), MediaAbilities::default());
    let missing = media.imagine(&order("x", None)).await;
    check(missing, ProviderFault::NotConfigured, "providers.google.api_key_file");
    let server = Server::start(rules).await;
    let keyed = Google::new(GoogleConfig::at(format!("{}/v1beta", server.url()))).unwrap();
    let media = keyed.media().unwrap();
    check(
        media.imagine(&order("", None)).await,
        ProviderFault::NotConfigured,
        "providers.google.media.picture",
    );
    check(
        media.imagine(&order("x", None)).await,
        ProviderFault::Rejected,
        "API key not valid",
    );
    let order = SpeechOrder::default();
    check(
        media.speak(&order).await,
        ProviderFault::NotConfigured,
        "providers.google.media.speech",
    );
}
