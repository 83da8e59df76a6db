//! What the double answers.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Response, Uri};
use axum::middleware::{self, Next};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::double::{Look, ReplicateDouble, Scene, Shared, Stream};
use crate::asking::CANARY;

type Double = State<Arc<Shared>>;

pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/models/{owner}/{name}/predictions", post(make_official))
        .route("/v1/predictions", post(make_version))
        .route("/v1/predictions/{id}", get(look))
        .route("/v1/predictions/{id}/cancel", post(cancel))
        .route("/v1/files/{id}", get(open))
        .route("/v1/models/{owner}/{name}", get(describe))
        .route("/v1/account", get(account))
        .route("/v1/out/{ending}", get(file))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

/// Nothing is answered without the key.
async fn guard(State(shared): Double, request: Request, next: Next) -> Response<Body> {
    let key = request.headers().get("authorization").and_then(|key| key.to_str().ok());
    if key == Some(&format!("Bearer {CANARY}")) {
        return next.run(request).await;
    }
    shared.note(|log| log.refusals.push(format!("no key for {}", request.uri())));
    problem(401, "You did not pass a valid authentication token")
}

fn problem(status: u16, detail: &str) -> Response<Body> {
    let body = json!({"title": "x", "detail": detail, "status": status}).to_string();
    let response = Response::builder()
        .status(status)
        .header("content-type", "application/problem+json");
    response.body(Body::from(body)).unwrap()
}

fn said(status: u16, body: &Value) -> Response<Body> {
    let response = Response::builder()
        .status(status)
        .header("content-type", "application/json");
    response.body(Body::from(body.to_string())).unwrap()
}

async fn make_official(
    State(shared): Double,
    Path((owner, name)): Path<(String, String)>,
    uri: Uri,
    Json(asked): Json<Value>,
) -> Response<Body> {
    let model = format!("{owner}/{name}");
    if model != ReplicateDouble::MODEL && model != ReplicateDouble::MEDIUM {
        return problem(404, "The requested resource could not be found.");
    }
    make(&shared, &uri, asked, &["input", "stream"])
}

async fn make_version(State(shared): Double, uri: Uri, Json(asked): Json<Value>) -> Response<Body> {
    if asked["version"] != ReplicateDouble::VERSION {
        return problem(
            422,
            "The specified version does not exist (or perhaps you don't have permission to use it?)",
        );
    }
    make(&shared, &uri, asked, &["input", "stream", "version"])
}

fn make(shared: &Shared, uri: &Uri, asked: Value, fields: &[&str]) -> Response<Body> {
    if let Some(refusal) = refusal(&asked, fields) {
        shared.note(|log| log.refusals.push(refusal.clone()));
        return problem(422, &refusal);
    }
    let text = || Scene::text(&[ReplicateDouble::DEFAULT_ANSWER], Duration::ZERO);
    let mut scene = shared.scenes.lock().unwrap().pop_front().unwrap_or_else(text);
    if asked["stream"] != true {
        scene.stream = None;
    }
    let mut number = 0;
    shared.note(|log| {
        number = log.made.len();
        log.made.push((uri.path().to_owned(), asked));
    });
    let body = prediction(shared, number, &scene, &scene.made);
    shared.going().insert(number, scene);
    said(201, &body)
}

/// Why the input does not fit the schema.
fn refusal(asked: &Value, fields: &[&str]) -> Option<String> {
    let unknown = asked.as_object()?.keys().find(|name| !fields.contains(&name.as_str()));
    if let Some(name) = unknown {
        return Some(format!("{name} is not known"));
    }
    let Some(input) = asked["input"].as_object() else {
        return Some("- input: required".into());
    };
    let wrong = input.iter().find(|(name, value)| !match name.as_str() {
        "prompt" | "system_prompt" | "voice" => value.is_string(),
        "max_tokens" | "width" | "height" => value.is_u64(),
        "temperature" | "top_p" => value.is_number(),
        "audio_file" => value
            .as_str()
            .is_some_and(|sound| sound.starts_with("data:audio/ogg;base64,")),
        _ => false,
    });
    match wrong {
        Some((name, _)) => Some(format!("- input.{name}: not in the schema")),
        None if input.contains_key("audio_file") => None,
        None if input.get("prompt").is_none_or(|prompt| prompt == "") => Some("- input: prompt is required".into()),
        None => None,
    }
}

fn prediction(shared: &Shared, number: usize, scene: &Scene, state: &Value) -> Value {
    let base = format!("http://{}/v1", shared.address);
    let own = format!("{base}/predictions/{number}");
    let mut body = json!({
        "id": number.to_string(), "output": null, "error": null, "logs": "", "metrics": {},
        "urls": {"get": own, "cancel": format!("{own}/cancel"), "web": "https://replicate.com/p/1"},
    });
    if scene.stream.is_some() {
        body["urls"]["stream"] = format!("{base}/files/{number}").into();
    }
    for (name, url) in scene.urls.as_object().unwrap() {
        body["urls"][name] = url.clone();
    }
    for (name, value) in state.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

async fn look(State(shared): Double, Path(number): Path<usize>) -> Response<Body> {
    shared.note(|log| log.looked.push(number));
    let mut going = shared.going();
    let scene = going.get_mut(&number).unwrap();
    let look = if scene.looks.len() > 1 {
        scene.looks.remove(0)
    } else {
        scene.looks[0].clone()
    };
    match look {
        Look::Is(state) => said(200, &prediction(&shared, number, scene, &state)),
        Look::Fails(status) => problem(status, "not now"),
    }
}

async fn cancel(State(shared): Double, Path(number): Path<usize>, body: Bytes) -> Response<Body> {
    assert!(body.is_empty());
    shared.note(|log| log.cancelled.push(number));
    said(200, &json!({"id": number.to_string(), "status": "canceled"}))
}

async fn open(State(shared): Double, Path(number): Path<usize>, headers: HeaderMap) -> Response<Body> {
    assert_eq!(headers["accept"], "text/event-stream");
    let is_first = !shared.log.borrow().opened.contains(&number);
    shared.note(|log| log.opened.push(number));
    if !is_first {
        shared.note(|log| log.refusals.push("a stream is read once".into()));
        return problem(410, "gone");
    }
    let script = shared.going()[&number].stream.clone().unwrap();
    let event = |name: &str, data: &str| {
        let lines = format!("data: {}\n", data.replace('\n', "\ndata: "));
        Bytes::from(format!("event: {name}\nid: 1:0\n{lines}\n"))
    };
    let hello = stream::iter([Ok::<_, Infallible>(Bytes::from(": hi\n\n"))]);
    let body = match script {
        Stream::Refuses(status) => return problem(status, "no stream"),
        Stream::Shut => std::future::pending().await,
        Stream::Silent => Body::from_stream(hello.chain(stream::pending())),
        Stream::Endless(pause) => Body::from_stream(stream::unfold((), move |()| async move {
            tokio::time::sleep(pause).await;
            Some((Ok::<_, Infallible>(event("output", "more ")), ()))
        })),
        Stream::Events(events, pause) => {
            Body::from_stream(hello.chain(stream::iter(events).then(move |(name, data)| async move {
                tokio::time::sleep(pause).await;
                Ok(event(name, &data))
            })))
        }
    };
    let response = Response::builder().header("content-type", "text/event-stream; charset=utf-8");
    response.body(body).unwrap()
}

async fn describe(Path((owner, name)): Path<(String, String)>) -> Response<Body> {
    let model = format!("{owner}/{name}");
    let known = [
        ReplicateDouble::MODEL,
        ReplicateDouble::FOREIGN,
        ReplicateDouble::MEDIUM,
    ];
    if !known.contains(&model.as_str()) {
        return problem(404, "The requested resource could not be found.");
    }
    let field = |kind: &str| json!({"type": kind});
    let media = json!({
        "prompt": field("string"), "width": field("integer"), "height": field("integer"), "audio_file": field("string"),
        "voice": field("string"),
    });
    let fields = json!({
        "prompt": field("string"), "system_prompt": field("string"), "max_tokens": field("integer"),
        "temperature": field("number"), "top_p": field("number"),
    });
    let fields = if model == ReplicateDouble::MEDIUM {
        media
    } else {
        fields
    };
    said(
        200,
        &json!({
            "owner": owner, "name": name, "is_official": model != ReplicateDouble::FOREIGN,
            "latest_version": {
                "id": ReplicateDouble::VERSION,
                "openapi_schema": {"components": {"schemas": {"Input": {"type": "object", "properties": fields}}}},
            },
        }),
    )
}

async fn account() -> Response<Body> {
    said(200, &json!({"type": "user", "username": "someone"}))
}

async fn file(Path(ending): Path<String>) -> Response<Body> {
    let body = match ending.as_str() {
        "png" => ReplicateDouble::PICTURE,
        "ogg" => ReplicateDouble::SOUND,
        _ => return problem(404, "gone"),
    };
    Response::new(Body::from(body))
}
