//! Messages whose keys come late.

use std::time::Duration;

use serde_json::json;
use tertulia_testkit::matrix_person::{NewRoom, Saying};

use super::scene::{DEMO, Scene, Someone};

/// Somewhat longer than a key may take before its sender is told.
const PATIENCE_OF_THE_BOT: Duration = Duration::from_secs(62);

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_answered_when_its_key_comes_also_after_a_restart() {
    let Some(mut scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    let room = scene.room(&anna, NewRoom::encrypted().direct()).await;
    anna.says(&room, &Saying::new("apple pie")).await;
    scene.hears(&anna, &room, "apple pie").await;
    anna.order("hold_keys", json!({})).await.unwrap();
    anna.order("new_key", json!({"room": room})).await.unwrap();
    anna.says(&room, &Saying::new("banana bread")).await;
    let waits = "a message cannot be read before its key comes";
    scene
        .until("the message", async || scene.log().contains(waits).then_some(()))
        .await;
    scene.kill_and_start();
    tokio::time::sleep(PATIENCE_OF_THE_BOT).await;
    scene.hears(&anna, &room, "its key has not reached me").await;
    anna.order("release_keys", json!({})).await.unwrap();
    scene.hears_once(&anna, &room, "banana bread").await;
    let shown = scene.shown(&anna, &room).await;
    let hints = shown
        .iter()
        .filter(|shown| shown.to_string().contains("its key has not"));
    assert_eq!(hints.count(), 1, "{shown:#?}");
}
