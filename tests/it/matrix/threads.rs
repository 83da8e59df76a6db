//! Several people at once, each in a thread.

use reqwest::Method;
use serde_json::json;
use tertulia_testkit::matrix_person::{NewRoom, Saying};

use super::scene::{DEMO, Scene, Setup, Someone, encoded};

#[tokio::test(flavor = "multi_thread")]
async fn two_people_in_two_threads_get_their_own_answers() {
    let Some(scene) = Setup::new(DEMO).open().start().await else {
        return;
    };
    let (anna, ben) = (scene.plain("anna").await, scene.plain("ben").await);
    let bot = scene.bot().user_id.clone();
    let room = scene.room(&anna, NewRoom::default()).await;
    anna.member(&room, "invite", ben.user_id()).await;
    ben.own(&room, "join").await;
    let (one, other) = (anna.say(&room, "mine").await, ben.say(&room, "mine as well").await);
    for round in 0..3 {
        // whoever was answered in a thread once need not say the bot's name again
        let asks = |who: &str, root: &str| {
            let saying = Saying::new(&format!("{who} asks {round}")).thread(root);
            if round == 0 { saying.mention(&bot) } else { saying }
        };
        let (asks_anna, asks_ben) = (asks("anna", &one), asks("ben", &other));
        tokio::join!(anna.says(&room, &asks_anna), ben.says(&room, &asks_ben));
        for (who, root) in [("anna", &one), ("ben", &other)] {
            let answer = scene.hears(&anna, &room, &format!("{who} asks {round}")).await;
            assert_eq!(answer["thread"], root.as_str(), "{answer}");
        }
    }
    let before = Saying::new("what did I say").thread(&other);
    ben.says(&room, &before).await;
    let answer = scene.hears(&anna, &room, "Before that you said").await;
    assert!(answer["body"].as_str().unwrap().contains("ben asks 2"), "{answer}");
    assert_eq!(answer["thread"], other.as_str(), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_of_the_bot_is_known_after_a_restart_and_by_its_root() {
    let Some(mut scene) = Setup::new(DEMO).open().start().await else {
        return;
    };
    let (anna, ben) = (scene.plain("anna").await, scene.plain("ben").await);
    let bot = scene.bot().user_id.clone();
    let room = scene.room(&anna, NewRoom::default()).await;
    anna.member(&room, "invite", ben.user_id()).await;
    ben.own(&room, "join").await;
    let foreign = ben.say(&room, "nobody's bot").await;
    let subject = ben.say(&room, "a subject").await;
    ben.says(&room, &Saying::new("apple pie").thread(&subject).mention(&bot))
        .await;
    scene.hears(&ben, &room, "apple pie").await;
    let home = scene.stop();
    ben.says(&room, &Saying::new("unheard of").thread(&foreign)).await;
    ben.says(&room, &Saying::new("banana bread").thread(&subject)).await;
    scene.wake(home);
    let answer = scene.hears(&ben, &room, "banana bread").await;
    assert_eq!(answer["thread"], subject.as_str(), "{answer}");
    // a thread below an answer, and one below a question
    let asked = ben.says(&room, &Saying::new("cherry cake").mention(&bot)).await;
    let answer = scene.hears(&ben, &room, "cherry cake").await;
    for (root, word) in [
        (answer["event_id"].as_str().unwrap(), "date dumpling"),
        (&asked, "elder jam"),
    ] {
        ben.says(&room, &Saying::new(word).thread(root)).await;
        let answer = scene.hears(&ben, &room, word).await;
        assert_eq!(answer["thread"], root, "{answer}");
    }
    scene.is_done(&ben, &room).await;
    let shown = scene.shown(&ben, &room).await;
    assert!(
        shown.iter().all(|shown| !shown.to_string().contains("unheard of")),
        "{shown:#?}"
    );
}

/// Whoever edits or redacts a question before it is answered is heard; what names nothing does no harm.
#[tokio::test(flavor = "multi_thread")]
async fn odd_relations_do_no_harm() {
    let Some(scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default()).await;
    let nothing = "$9H_jn7HEGP7-kaB6G5gN388hqnj8JdsxdMFiFAR-yk4";
    let said = |relates: serde_json::Value| json!({"msgtype": "m.text", "body": "apple pie", "m.relates_to": relates});
    let reply = said(json!({"m.in_reply_to": {"event_id": nothing}}));
    anna.send(&room, "m.room.message", reply).await;
    scene.hears(&anna, &room, "apple pie").await;
    // a root that was taken back is still a root
    let redacted = anna
        .send(&room, "m.room.message", json!({"msgtype": "m.notice", "body": "x"}))
        .await;
    anna.redact(&room, &redacted).await;
    anna.says(&room, &Saying::new("banana bread").thread(&redacted)).await;
    let answer = scene.hears(&anna, &room, "banana bread").await;
    assert_eq!(answer["thread"], redacted.as_str(), "{answer}");
    // relations that are none
    for odd in [
        json!(7),
        json!({"rel_type": "m.thread"}),
        json!({"rel_type": "m.thread", "event_id": ""}),
    ] {
        let path = format!(
            "v3/rooms/{}/send/m.room.message/odd-{}",
            encoded(&room),
            odd.to_string().len()
        );
        let _ = anna.call(Method::PUT, &path, Some(said(odd))).await;
    }
    scene.is_done(&anna, &room).await;
}
