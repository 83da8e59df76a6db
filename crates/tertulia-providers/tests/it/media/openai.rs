//! OpenAI's pictures and sound, and those of servers of its shape.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tertulia_core::media::{MediaAbilities, PictureOrder, Sound, SoundFormat, SpeechOrder};
use tertulia_core::provider::ProviderFault;
use tertulia_ports::Provider;
use tertulia_providers::{MediaModels, OpenAi, OpenAiConfig, ServerConfig};

use super::server::{Answer, Asked, Server};
use super::{OGG, PNG, check, spoken};
use crate::asking::CANARY;

/// The documented rules; `pablo` is a model that behaves as `gpt-image-*` without being called so.
fn rules(asked: &Asked) -> Option<Answer> {
    let refused = |message: &str, code: &str, param: &str| {
        let error = json!({"message": message, "type": "invalid_request_error", "param": param, "code": code});
        Some(Answer::json(400, &json!({"error": error})))
    };
    if asked.path.starts_with("/files/") {
        return (!asked.header("authorization").is_empty()).then(|| Answer::json(403, &json!({})));
    }
    if asked.header("authorization") != format!("Bearer {CANARY}") {
        let message = format!("Incorrect API key provided: {CANARY}");
        return Some(Answer::json(
            401,
            &json!({"error": {"message": message, "code": "invalid_api_key"}}),
        ));
    }
    match asked.path.as_str() {
        "/v1/images/generations" => {
            let body = asked.json();
            let model = body["model"].as_str().unwrap();
            if !model.starts_with("dall-e") && model != "flux" && body.get("response_format").is_some() {
                return refused(
                    "Unknown parameter: 'response_format'.",
                    "unknown_parameter",
                    "response_format",
                );
            }
            let sizes = [Value::Null, "1024x1024".into(), "1536x1024".into(), "1024x1536".into()];
            let fits = model != "gpt-image-1" || sizes.contains(&body["size"]);
            (body["prompt"].as_str().unwrap_or_default().is_empty() || !fits)
                .then(|| refused("Invalid value", "invalid_value", "size"))?
        }
        "/v1/audio/speech" => {
            let body = asked.json();
            let given = ["model", "input", "voice"].iter().all(|name| body[name].is_string());
            (!given).then(|| refused("Missing required parameter", "missing_required_parameter", "voice"))?
        }
        "/v1/audio/transcriptions" => {
            let form = asked.form();
            let names: Vec<&str> = form.iter().map(|[name, ..]| name.as_str()).collect();
            let given = names.contains(&"file") && names.contains(&"model");
            (!given).then(|| refused("you must provide a file", "missing_required_parameter", "file"))?
        }
        _ => refused("Not found", "not_found", "path"),
    }
}

fn provider(server: &Server, media: MediaModels) -> OpenAi {
    let of = ServerConfig {
        api_key: Some(CANARY.into()),
        ..ServerConfig::at("here", format!("{}/v1", server.url()))
    };
    OpenAi::new(OpenAiConfig {
        media,
        ..OpenAiConfig::of(of)
    })
    .unwrap()
}

fn named() -> MediaModels {
    MediaModels {
        picture: Some("gpt-image-1".into()),
        transcription: Some("whisper".into()),
        speech: Some("tts".into()),
        voice: Some("coral".into()),
    }
}

fn order(model: &str) -> PictureOrder {
    PictureOrder {
        prompt: "a cat".into(),
        model: model.into(),
        size: Some((1920, 1080)),
    }
}

fn picture() -> Answer {
    Answer::json(
        200,
        &json!({"data": [{"b64_json": STANDARD.encode(PNG)}], "usage": {"input_tokens": 9}}),
    )
}

#[tokio::test]
async fn pictures_are_asked_for_as_each_model_wants_it() {
    let server = Server::start(rules).await;
    let provider = provider(&server, named());
    let media = provider.media().unwrap();
    for model in ["", "dall-e-3", "pablo"] {
        server.push(picture());
        let picture = media.imagine(&order(model)).await.unwrap();
        assert_eq!((picture.mime.as_str(), &*picture.bytes), ("image/png", PNG), "{model}");
    }
    let body = |model: &str, size: &str| json!({"model": model, "prompt": "a cat", "n": 1, "size": size});
    let with_format = |mut body: Value| {
        body["response_format"] = "b64_json".into();
        body
    };
    let asked: Vec<Value> = server.asked().iter().map(Asked::json).collect();
    let expected = [
        body("gpt-image-1", "1536x1024"),
        with_format(body("dall-e-3", "1792x1024")),
        with_format(body("pablo", "1920x1080")),
        body("pablo", "1920x1080"),
    ];
    assert_eq!(asked, expected);
}

#[tokio::test]
async fn a_picture_may_lie_at_the_server_itself_and_is_fetched_without_the_key() {
    let (server, other) = (Server::start(rules).await, Server::start(rules).await);
    let provider = provider(&server, named());
    let media = provider.media().unwrap();
    let at = |address: String| Answer::json(200, &json!({"data": [{"url": address}]}));
    server.push(at(format!("{}/files/cat.png?sig=x", server.url())));
    server.push(Answer::bytes("image/png", PNG));
    let picture = media.imagine(&order("flux")).await.unwrap();
    assert_eq!((picture.mime.as_str(), &*picture.bytes), ("image/png", PNG));
    server.push(at(format!("data:image/png;base64,{}", STANDARD.encode(PNG))));
    assert_eq!(media.imagine(&order("flux")).await.unwrap(), picture);
    server.push(at(format!("{}/files/cat.png", other.url())));
    check(
        media.imagine(&order("flux")).await,
        ProviderFault::Broken,
        "is not fetched",
    );
    assert!(other.asked().is_empty());
    server.push(at(format!("{}/files/gone.png", server.url())));
    server.push(Answer {
        status: 404,
        ..Answer::bytes("text/plain", "secret")
    });
    let gone = media.imagine(&order("flux")).await;
    assert!(!format!("{gone:?}").contains("secret"));
    check(gone, ProviderFault::Broken, "404");
}

#[tokio::test]
async fn what_is_no_picture_is_an_error() {
    let server = Server::start(rules).await;
    let provider = provider(&server, named());
    let media = provider.media().unwrap();
    let data = |text: &str| Answer::json(200, &json!({"data": [{"b64_json": text}]}));
    let broken = [
        (data("no base64!"), "base64"),
        (data("aGVsbG8="), "neither PNG"),
        (Answer::json(200, &json!({"data": []})), "no picture"),
        (Answer::bytes("text/html", "<p>"), "not understood"),
        (Answer::bytes("application/json", vec![b' '; (32 << 20) + 1]), "32 MiB"),
    ];
    for (answer, words) in broken {
        server.push(answer);
        check(media.imagine(&order("")).await, ProviderFault::Broken, words);
    }
    let error = |status, code: &str| Answer::json(status, &json!({"error": {"message": "no", "code": code}}));
    let shown = json!({"error": {"message": format!("no, not by {CANARY}"), "code": "invalid_api_key"}});
    let refused = [
        (Answer::json(401, &shown), ProviderFault::Unauthorized),
        (error(400, "moderation_blocked"), ProviderFault::Rejected),
        (
            error(429, "rate_limit_exceeded"),
            ProviderFault::RateLimited { after: None },
        ),
        (error(429, "insufficient_quota"), ProviderFault::Billing),
    ];
    for (answer, kind) in refused {
        server.push(answer);
        check(media.imagine(&order("")).await, kind, "no");
    }
}

#[tokio::test]
async fn speech_is_asked_for_in_a_format_and_believed_by_its_bytes() {
    let server = Server::start(rules).await;
    let provider = provider(&server, named());
    let media = provider.media().unwrap();
    server.push(Answer::bytes("audio/opus", OGG));
    let order = SpeechOrder {
        text: "Hi".into(),
        ..SpeechOrder::default()
    };
    let ogg = Sound {
        mime: "audio/ogg".into(),
        bytes: OGG.into(),
    };
    assert_eq!(media.speak(&order).await, Ok(ogg));
    server.push(Answer::bytes("audio/mpeg", b"ID3\x04rest".as_slice()));
    let order = SpeechOrder {
        voice: "ash".into(),
        model: "other".into(),
        format: SoundFormat::Mp3,
        ..order
    };
    assert_eq!(media.speak(&order).await.unwrap().mime, "audio/mpeg");
    server.push(Answer::json(200, &json!({"error": "x"})));
    check(media.speak(&order).await, ProviderFault::Broken, "sound");
    let asked: Vec<Value> = server.asked().iter().map(Asked::json).collect();
    assert_eq!(
        asked[0],
        json!({"model": "tts", "input": "Hi", "voice": "coral", "response_format": "opus"})
    );
    assert_eq!(
        asked[1],
        json!({"model": "other", "input": "Hi", "voice": "ash", "response_format": "mp3"})
    );
}

#[tokio::test]
async fn what_is_said_goes_as_a_form() {
    let server = Server::start(rules).await;
    let provider = provider(&server, named());
    let media = provider.media().unwrap();
    server.push(Answer::json(200, &json!({"text": " Hallo. \n"})));
    let text = media.transcribe(&spoken(OGG, "application/octet-stream")).await;
    assert_eq!(text, Ok("Hallo.".to_owned()));
    let field = |name: &str, content: &str| [name.to_owned(), String::new(), String::new(), content.to_owned()];
    let file = ["file", "sound.ogg", "audio/ogg", std::str::from_utf8(OGG).unwrap()].map(str::to_owned);
    let form = [
        file,
        field("model", "whisper"),
        field("response_format", "json"),
        field("language", "de"),
    ];
    assert_eq!(server.asked()[0].form(), form);
    server.push(Answer::json(200, &json!({})));
    check(
        media.transcribe(&spoken(OGG, "audio/ogg")).await,
        ProviderFault::Broken,
        "no text",
    );
    let long = vec![0; 25_000_001];
    check(
        media.transcribe(&spoken(&long, "audio/ogg")).await,
        ProviderFault::Rejected,
        "at most 25 MB",
    );
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let server = Server::start(rules).await;
    let nothing = provider(&server, MediaModels::default());
    let media = nothing.media().unwrap();
    assert_eq!(media.abilities(), MediaAbilities::default());
    check(
        media.imagine(&order("")).await,
        ProviderFault::NotConfigured,
        "providers.here.media.picture",
    );
    let speech = media.speak(&SpeechOrder::default()).await;
    check(speech, ProviderFault::NotConfigured, "providers.here.media.speech");
    let heard = media.transcribe(&spoken(OGG, "audio/ogg")).await;
    check(
        heard,
        ProviderFault::NotConfigured,
        "providers.here.media.transcription",
    );
    assert!(server.asked().is_empty());
    let official = OpenAi::new(OpenAiConfig::official()).unwrap();
    let media = official.media().unwrap();
    let all = MediaAbilities {
        imagine: true,
        transcribe: true,
        speak: true,
    };
    assert_eq!(media.abilities(), all);
    check(
        media.imagine(&order("")).await,
        ProviderFault::NotConfigured,
        "providers.openai.api_key_file",
    );
    let stranger = OpenAi::new(OpenAiConfig {
        media: named(),
        ..OpenAiConfig::of(ServerConfig::at("here", format!("{}/v1", server.url())))
    })
    .unwrap();
    let refused = stranger.media().unwrap().imagine(&order("")).await;
    assert_eq!(refused.unwrap_err().kind, ProviderFault::Unauthorized);
}
