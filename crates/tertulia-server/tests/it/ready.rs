//! What those are told who ask whether we are ready.

use std::sync::Arc;

use serde_json::json;
use tertulia_server::Trouble;

use crate::daemon::{Troubles, error, object, start_with};

#[tokio::test]
async fn it_is_ready_unless_something_is_wrong() {
    let troubles = Arc::new(Troubles::default());
    let running = start_with(|config| {
        config.readiness = Arc::clone(&troubles) as _;
        config.access.tokens = vec!["a-token-of-somebody".into()];
    })
    .await;
    let ready = running.get("/readyz").send().await.unwrap();
    assert_eq!(ready.status(), 200);
    assert_eq!(object(ready).await, json!({"ready": true}));

    troubles.0.lock().unwrap().push(Trouble {
        part: "store".to_owned(),
        problem: "does not answer".to_owned(),
        since: Some("2026-11-30T08:00:00Z".parse().unwrap()),
    });
    let unready = running.get("/readyz").send().await.unwrap();
    assert_eq!(unready.status(), 503);
    let trouble = json!({"part": "store", "problem": "does not answer", "since": "2026-11-30T08:00:00.000000000Z"});
    assert_eq!(object(unready).await, json!({"ready": false, "troubles": [trouble]}));
    let alive = running.get("/healthz").send().await.unwrap();
    assert_eq!(
        (alive.status().as_u16(), alive.text().await.unwrap().as_str()),
        (200, "ok")
    );

    troubles.0.lock().unwrap().clear();
    assert_eq!(running.get("/readyz").send().await.unwrap().status(), 200);
    let foreign = running.get("/readyz").header("host", "evil.test").send().await.unwrap();
    assert_eq!(error(foreign).await.0, 403);
}
