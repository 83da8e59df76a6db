//! Rooms: who may have the bot come, what becomes of rooms that it leaves, encryption, and rooms that others replace.

use reqwest::Method;
use serde_json::{Value, json};
use tertulia_testkit::matrix_person::{NewRoom, Saying};

use super::scene::{DEMO, PlainPerson, Scene, Setup, Someone, encoded};

async fn logs(scene: &Scene, part: &str) {
    let find = async || scene.log().contains(part).then_some(());
    scene.until(part, find).await;
}

async fn has_joined(scene: &Scene, person: &PlainPerson, room: &str) {
    let bot = &scene.bot().user_id;
    let find = async || person.has(room, bot).await.then_some(());
    scene.until(&format!("the bot in {room}"), find).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invitations_are_accepted_by_policy() {
    let Some(mut scene) = Scene::start(DEMO).await else {
        return;
    };
    let (anna, eve) = (scene.plain("anna").await, scene.plain("eve").await);
    let bot = scene.bot().user_id.clone();
    let strange = eve.opens(&NewRoom::default().direct().with(&bot)).await;
    logs(&scene, "an invitation is not accepted").await;
    let space = json!({"preset": "private_chat", "creation_content": {"type": "m.space"}, "invite": [bot]});
    let space = anna.done(Method::POST, "v3/createRoom", Some(space)).await;
    let room = scene.room(&anna, NewRoom::default()).await;
    anna.say(&room, "apple pie").await;
    scene.hears(&anna, &room, "apple pie").await;
    let home = scene.stop();
    let later = anna.opens(&NewRoom::default().with(&bot)).await;
    anna.say(&later, "banana bread").await;
    scene.wake(home);
    has_joined(&scene, &anna, &later).await;
    // what was said before it came is not for it
    anna.say(&later, "cherry cake").await;
    scene.hears(&anna, &later, "cherry cake").await;
    let shown = scene.shown(&anna, &later).await;
    assert!(
        shown.iter().all(|shown| !shown.to_string().contains("banana")),
        "{shown:#?}"
    );
    assert!(!eve.has(&strange, &bot).await);
    assert!(!anna.has(space["room_id"].as_str().unwrap(), &bot).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_the_code_can_reach_a_bot_that_nobody_governs() {
    let Some(scene) = Setup::new(DEMO).admins(&[]).start().await else {
        return;
    };
    let (eve, ben) = (scene.plain("eve").await, scene.plain("ben").await);
    let bot = scene.bot().user_id.clone();
    let group = ben.opens(&NewRoom::default().with(&bot)).await;
    logs(&scene, "an invitation is not accepted").await;
    let room = scene.room(&eve, NewRoom::default().direct()).await;
    let log = scene.log();
    let code = log
        .split("/claim ")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    let code: String = code.unwrap().chars().take(9).collect();
    eve.say(&room, &format!("!claim {code}")).await;
    scene.hears(&eve, &room, "admin").await;
    eve.say(&room, "apple pie").await;
    scene.hears(&eve, &room, "apple pie").await;
    // now somebody governs it, and others no longer have it come
    let direct = ben.opens(&NewRoom::default().direct().with(&bot)).await;
    logs(&scene, &format!("path=matrix/{direct}")).await;
    assert!(!ben.has(&group, &bot).await && !ben.has(&direct, &bot).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_was_thrown_out_comes_again_when_asked() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let bot = scene.bot().user_id.clone();
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    anna.say(&room, "apple pie").await;
    scene.hears(&anna, &room, "apple pie").await;
    for (number, acts) in [&["kick"][..], &["ban", "unban"]].into_iter().enumerate() {
        for act in acts {
            anna.member(&room, act, &bot).await;
        }
        let find = async || (scene.log().matches("not in a room any more").count() > number).then_some(());
        scene.until("word of it in the log", find).await;
        anna.member(&room, "invite", &bot).await;
        has_joined(&scene, &anna, &room).await;
        let question = format!("here again {number}");
        anna.say(&room, &question).await;
        scene.hears_once(&anna, &room, &question).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_becomes_encrypted_is_answered_encrypted() {
    let Some(mut scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    anna.says(&room, &Saying::new("apple pie")).await;
    let answer = scene.hears(&anna, &room, "apple pie").await;
    assert_eq!(answer["encrypted"], false, "{answer}");
    anna.order("encrypt", json!({"room": room})).await.unwrap();
    for word in ["banana bread", "cherry cake"] {
        anna.says(&room, &Saying::new(word)).await;
        let answer = scene.hears(&anna, &room, word).await;
        assert_eq!(
            (&answer["encrypted"], &answer["undecryptable"]),
            (&json!(true), &json!(false)),
            "{answer}"
        );
        scene.kill_and_start();
    }
}

/// What the bot needs to follow: an invitation, or leave for everybody.
async fn replaced(anna: &PlainPerson, room: &str) -> String {
    let path = format!("v3/rooms/{}/upgrade", encoded(room));
    let made = anna.done(Method::POST, &path, Some(json!({"new_version": "12"}))).await;
    made["replacement_room"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on_in_the_room_that_replaces_its_own() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let bot = scene.bot().user_id.clone();
    for by_invitation in [true, false] {
        let room = scene.room(&anna, NewRoom::default().version("10")).await;
        if !by_invitation {
            anna.set(&room, "m.room.join_rules", "", json!({"join_rule": "public"}))
                .await;
        }
        anna.say(&room, "apple pie").await;
        scene.hears(&anna, &room, "apple pie").await;
        let new = replaced(&anna, &room).await;
        if by_invitation {
            anna.member(&new, "invite", &bot).await;
        }
        has_joined(&scene, &anna, &new).await;
        anna.say(&new, "what did I say").await;
        scene.hears_once(&anna, &new, "Before that you said: apple pie").await;
        let is_gone = async || (!anna.has(&room, &bot).await).then_some(());
        scene.until("the bot out of the old room", is_gone).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_knows_nothing_of_another_does_not_replace_it() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default()).await;
    anna.say(&room, "apple pie").await;
    scene.hears(&anna, &room, "apple pie").await;
    let other = scene.room(&anna, NewRoom::default()).await;
    let tombstone = json!({"body": "moved", "replacement_room": other});
    anna.set(&room, "m.room.tombstone", "", tombstone).await;
    logs(&scene, "replaced by one that does not know of it").await;
    anna.say(&other, "what did I say").await;
    scene.hears(&anna, &other, "Nothing before that").await;
    anna.say(&room, "what did I say").await;
    let answer: Value = scene.hears(&anna, &room, "Before that you said: apple pie").await;
    assert_eq!(answer["thread"], Value::Null);
}
