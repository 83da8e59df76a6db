//! Files of the bot, in clear and encrypted; those of people are fetched in `contract.rs`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tertulia_testkit::matrix_person::{MatrixPerson, NewRoom, Saying};

use super::scene::{DEMO, Scene, Someone};

async fn check_file(scene: &Scene, anna: &MatrixPerson, room: &str) {
    anna.says(room, &Saying::new("apple pie")).await;
    scene.hears(anna, room, "apple pie").await;
    anna.says(room, &Saying::new("!export")).await;
    let file = scene
        .until("the file", async || {
            let shown = scene.shown(anna, room).await;
            shown.into_iter().find(|shown| shown["msgtype"] == "m.file")
        })
        .await;
    let fetched: Value = anna.fetch(file["event_id"].as_str().unwrap()).await.unwrap();
    let bytes = STANDARD.decode(fetched["base64"].as_str().unwrap()).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("apple pie"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_the_bot_comes_whole() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    for room in [NewRoom::default(), NewRoom::encrypted()] {
        let room = scene.room(&anna, room.direct()).await;
        check_file(&scene, &anna, &room).await;
    }
}
