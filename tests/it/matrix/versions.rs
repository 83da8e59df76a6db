//! Rooms of every age: their ids differ, and a thread stays one in all of them.

use reqwest::Method;
use serde_json::{Value, json};
use tertulia_testkit::matrix_person::{NewRoom, Saying};

use super::scene::{DEMO, PlainPerson, Scene, Someone, encoded};

/// Something that the bot leaves alone; in rooms of version 3 an id with a slash in it.
async fn subject(anna: &PlainPerson, room: &str, version: &str) -> String {
    let content = json!({"msgtype": "m.notice", "body": "a subject"});
    loop {
        let subject = anna.send(room, "m.room.message", content.clone()).await;
        if version != "3" || subject.contains('/') {
            return subject;
        }
    }
}

/// Every message of the bot is in the thread, or a new content of one that is.
fn check_relations(events: &[Value], bot: &str, root: &str, asked: &str) {
    let mut ours: Vec<&Value> = Vec::new();
    let said = |event: &&Value| event["sender"] == bot && event["type"] == "m.room.message";
    for event in events.iter().filter(said) {
        let relates = &event["content"]["m.relates_to"];
        if relates["rel_type"] == "m.replace" {
            assert!(
                ours.iter().any(|ours| ours["event_id"] == relates["event_id"]),
                "{event}"
            );
            continue;
        }
        assert_eq!(
            (relates["rel_type"].as_str(), relates["event_id"].as_str()),
            (Some("m.thread"), Some(root)),
            "{event}"
        );
        assert_eq!(relates["is_falling_back"], true, "{event}");
        assert_eq!(relates["m.in_reply_to"]["event_id"], asked, "{event}");
        ours.push(event);
    }
    assert!(!ours.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_are_threads_in_rooms_of_every_version() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.plain("anna").await;
    for version in ["1", "3", "10", "12"] {
        let room = scene.room(&anna, NewRoom::default().version(version)).await;
        let create = anna
            .done(
                Method::GET,
                &format!("v3/rooms/{}/state/m.room.create/", encoded(&room)),
                None,
            )
            .await;
        assert_eq!(create["room_version"].as_str().unwrap_or("1"), version);
        let begun = subject(&anna, &room, version).await;
        let asked = anna.says(&room, &Saying::new("apple pie").thread(&begun)).await;
        let answer = scene.hears(&anna, &room, "apple pie").await;
        assert_eq!(answer["thread"], begun.as_str(), "{answer}");
        check_relations(&anna.events(&room).await, &scene.bot().user_id, &begun, &asked);
        // what was said in the room is another conversation
        anna.says(&room, &Saying::new("what did I say").thread(&begun)).await;
        let answer = scene.hears(&anna, &room, "Before that you said: apple pie").await;
        assert_eq!(answer["thread"], begun.as_str(), "{answer}");
        anna.say(&room, "what did I say").await;
        let answer = scene.hears(&anna, &room, "Nothing before that").await;
        assert_eq!(answer["thread"], Value::Null, "{answer}");
    }
}
