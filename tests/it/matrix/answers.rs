//! How answers look: as they were written, growing, whole, and where nobody may speak.

use serde_json::{Value, json};
use tertulia_testkit::matrix_person::{NewRoom, Saying};

use super::scene::{DEMO, Scene, Setup, Someone};

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_grows_with_its_marks_and_signs() {
    let section = "ack_reaction = \"👀\"\n";
    let slow = "[providers.demo]\npause_ms = 60\n";
    let Some(scene) = Setup::new(slow).section(section).start().await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    let room = scene.room(&anna, NewRoom::encrypted().direct()).await;
    let words = "this is **bold** and `code`, <b>no tag</b>, [here](https://example.org/)";
    let question = anna.says(&room, &Saying::new(words)).await;
    let bot = &scene.bot().user_id;
    let typing = json!({"room": room, "typing": bot});
    anna.order("sign", typing).await.unwrap();
    let read = json!({"room": room, "read": question, "user": bot});
    anna.order("sign", read).await.unwrap();
    let answer = scene.hears(&anna, &room, "no tag").await;
    scene.is_done(&anna, &room).await;
    let shown = scene.shown(&anna, &room).await;
    let whole = shown
        .iter()
        .find(|shown| shown["event_id"] == answer["event_id"])
        .unwrap();
    let html = whole["html"].as_str().unwrap();
    for part in [
        "<strong>bold</strong>",
        "<code>code</code>",
        "&lt;b&gt;no tag&lt;/b&gt;",
        "<a href=\"https://example.org/\">here</a>",
    ] {
        assert!(html.contains(part), "{part}: {whole}");
    }
    assert!(whole["edits"].as_u64().unwrap() >= 2, "{whole}");
    assert_eq!(whole["encrypted"], true, "{whole}");
    let asked = anna
        .order("shown", json!({"room": room, "sender": anna.user_id()}))
        .await;
    let asked = asked.unwrap()["messages"][0].clone();
    assert_eq!(asked["reactions"][0]["key"], "👀", "{asked}");
}

/// Words in an order that can be checked.
fn words() -> String {
    let words: Vec<String> = (0..5000).map(|nth| format!("w{nth:05}")).collect();
    words.join(" ")
}

async fn check_whole(scene: &Scene, person: &impl Someone, room: &str) {
    let words = words();
    person.says(room, &Saying::new(&words)).await;
    scene.hears(person, room, "w04999").await;
    scene.is_done(person, room).await;
    let shown = scene.shown(person, room).await;
    let parts: Vec<&str> = shown.iter().filter_map(|shown| shown["body"].as_str()).collect();
    let parts: Vec<&str> = parts.into_iter().filter(|part| part.contains(" w0")).collect();
    assert!(parts.len() > 1, "{} parts", parts.len());
    let found: Vec<&str> = parts.iter().flat_map(|part| part.split_whitespace()).collect();
    let found: Vec<&str> = found.into_iter().filter(|word| word.starts_with("w0")).collect();
    let expected: Vec<&str> = words.split_whitespace().collect();
    assert!(found == expected, "{} of {} words", found.len(), expected.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn long_answers_come_whole() {
    let Some(scene) = Setup::new(DEMO).admins(&["anna", "ben"]).start().await else {
        return;
    };
    let (anna, ben) = (scene.plain("anna").await, scene.encrypting("ben").await);
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    check_whole(&scene, &anna, &room).await;
    let room = scene.room(&ben, NewRoom::encrypted().direct()).await;
    check_whole(&scene, &ben, &room).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_muted_speaks_again_later_and_nowhere_else() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    let other = scene.room(&anna, NewRoom::default().direct()).await;
    let level = |level: i64| json!({"room": room, "user": scene.bot().user_id, "level": level});
    anna.order("level", level(-1)).await.unwrap();
    anna.says(&room, &Saying::new("apple pie")).await;
    anna.says(&other, &Saying::new("banana bread")).await;
    scene.hears(&anna, &other, "banana bread").await;
    scene
        .until("the refusal", async || {
            scene.log().contains("M_FORBIDDEN").then_some(())
        })
        .await;
    anna.order("level", level(0)).await.unwrap();
    anna.says(&room, &Saying::new("cherry cake")).await;
    scene.hears(&anna, &room, "cherry cake").await;
    let elsewhere = scene.shown(&anna, &other).await;
    assert!(
        !Value::from(elsewhere.clone()).to_string().contains("cherry"),
        "{elsewhere:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_taken_back_while_it_waits_is_not_answered() {
    let slow = "[providers.demo]\npause_ms = 60\n";
    let Some(scene) = Scene::start(slow).await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    anna.say(&room, "date dumpling").await;
    scene.hears(&anna, &room, "I am").await;
    let waits = anna.say(&room, "apple pie").await;
    anna.redact(&room, &waits).await;
    anna.say(&room, "cherry cake").await;
    scene.hears(&anna, &room, "cherry cake").await;
    scene.is_done(&anna, &room).await;
    let shown = Value::from(scene.shown(&anna, &room).await).to_string();
    assert!(
        shown.contains("date dumpling") && !shown.contains("apple pie"),
        "{shown}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_few_messages_a_second_gets_every_answer() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    scene.server().limit(&scene.bot().user_id, 1, 1).await.unwrap();
    let words: Vec<String> = (0..6).map(|nth| format!("piece-{nth}")).collect();
    for word in &words {
        anna.say(&room, word).await;
    }
    scene.hears_in_order(&anna, &room, &words).await;
}
