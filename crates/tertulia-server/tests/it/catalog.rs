//! What the door tells about itself and its models.

use reqwest::Method;
use serde_json::{Value, json};

use crate::daemon::{error, lines, object, start};

#[tokio::test]
async fn it_says_what_it_is() {
    let running = start().await;
    assert_eq!(
        running.get("/").send().await.unwrap().text().await.unwrap(),
        "Ollama is running"
    );
    assert_eq!(
        running.get("/healthz").send().await.unwrap().text().await.unwrap(),
        "ok"
    );
    for route in ["/", "/api/version", "/api/tags"] {
        let response = running.client.head(running.url(route)).send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), response.text().await.unwrap().as_str()),
            (200, ""),
            "{route}"
        );
    }
    let version = object(running.get("/api/version").send().await.unwrap()).await;
    let version = version.get("version").and_then(Value::as_str).unwrap();
    assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{version}");
}

#[tokio::test]
async fn it_lists_its_models() {
    let running = start().await;
    let tags = object(running.get("/api/tags").send().await.unwrap()).await;
    let models = tags.get("models").and_then(Value::as_array).unwrap();
    let names: Vec<_> = models.iter().map(|model| (&model["name"], &model["model"])).collect();
    assert_eq!(
        names,
        [
            (&json!("tertulia:latest"), &json!("tertulia:latest")),
            (&json!("poet:latest"), &json!("poet:latest"))
        ]
    );
    let first = models.first().unwrap();
    assert_eq!(first["modified_at"], "2026-11-30T08:00:00.000000000Z");
    assert_eq!(first["digest"].as_str().unwrap().len(), 64);
    assert_eq!(first["details"]["families"], json!(["tertulia"]));
    let running_models = object(running.get("/api/ps").send().await.unwrap()).await;
    let model = &running_models["models"][0];
    assert_eq!(model["name"], "tertulia:latest");
    assert_eq!(model["expires_at"], "2026-12-01T08:00:00.500000000Z");
}

#[tokio::test]
async fn it_shows_a_model_by_either_key() {
    let running = start().await;
    for body in [json!({"model":"poet"}), json!({"name":"poet:latest","verbose":true})] {
        let shown = object(running.post("/api/show", &body).send().await.unwrap()).await;
        assert_eq!(
            shown["model_info"],
            json!({"general.architecture":"tertulia","tertulia.context_length":8192})
        );
        assert_eq!(
            shown["capabilities"],
            json!(["completion", "tools", "vision", "thinking"])
        );
        assert_eq!(shown["parameters"], "num_ctx 8192");
        assert_eq!(shown["template"], "");
        assert!(shown["details"].is_object());
    }
    let missing = running
        .post("/api/show", &json!({"model":"nobody"}))
        .send()
        .await
        .unwrap();
    let text = "model 'nobody' not found; there is tertulia:latest, poet:latest".to_owned();
    assert_eq!(error(missing).await, (404, text));
    let nameless = running.post("/api/show", &json!({})).send().await.unwrap();
    assert_eq!(error(nameless).await, (400, "model is required".to_owned()));
}

#[tokio::test]
async fn a_model_it_has_is_pulled_at_once() {
    let running = start().await;
    for body in [json!({"model":"tertulia"}), json!({"name":"tertulia","stream":false})] {
        let pulled = running.post("/api/pull", &body).send().await.unwrap();
        assert_eq!(lines(pulled).await, [json!({"status":"success"})]);
    }
    let missing = running
        .post("/api/pull", &json!({"model":"llama3"}))
        .send()
        .await
        .unwrap();
    assert_eq!(error(missing).await.0, 404);
}

#[tokio::test]
async fn what_it_does_not_do_is_said_politely() {
    let running = start().await;
    for (method, route, status) in [
        (Method::POST, "/api/embed", 400),
        (Method::POST, "/api/embeddings", 400),
        (Method::DELETE, "/api/delete", 404),
        (Method::POST, "/api/create", 404),
        (Method::POST, "/api/copy", 404),
        (Method::POST, "/api/push", 404),
        (Method::POST, "/api/blobs/sha256:00", 404),
        (Method::GET, "/api/nothing", 404),
        (Method::GET, "/v1/unknown", 404),
        (Method::GET, "/api/chat", 405),
        (Method::DELETE, "/api/tags", 405),
        (Method::POST, "/", 405),
        (Method::OPTIONS, "/api/chat", 405),
    ] {
        let request = running.client.request(method.clone(), running.url(route));
        let response = request.body(r#"{"model":"tertulia"}"#).send().await.unwrap();
        let (found, text) = error(response).await;
        assert_eq!(found, status, "{method} {route}: {text}");
        assert!(!text.is_empty());
    }
}
