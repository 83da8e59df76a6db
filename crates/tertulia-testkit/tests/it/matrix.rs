//! The real Matrix server and the person's client: they do what tests will rely on.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

use serde_json::{Value, json};
use tertulia_testkit::matrix_person::{Attachment, MatrixPerson, NewRoom, Saying};
use tertulia_testkit::matrix_tools::MatrixTools;
use tertulia_testkit::synapse::{Settings, Synapse};
use tokio::sync::OnceCell;

/// All tests share one server; each has people and rooms of its own.
static SERVER: OnceCell<Synapse> = OnceCell::const_new();

async fn server(tools: &MatrixTools) -> &'static Synapse {
    let start = || async { Synapse::start(tools, &Settings::default()).await.unwrap() };
    SERVER.get_or_init(start).await
}

#[tokio::test]
async fn two_people_talk_on_a_real_server() {
    let Some(tools) = MatrixTools::find_for("two_people_talk_on_a_real_server") else {
        return;
    };
    let server = server(&tools).await;
    let (anna, ben) = tokio::join!(person(&tools, server, "anna"), person(&tools, server, "ben"));
    let room = together(&anna, &ben, NewRoom::encrypted().version("3")).await;
    talk(&anna, &ben, &room).await;
    files(&anna, &ben, &room).await;
    held_back(&anna, &ben, &room).await;
    signatures(&anna, &ben).await;
    refusals(server, &anna, &ben).await;
}

#[tokio::test]
async fn what_was_missed_is_complete_over_a_kill_of_the_server() {
    let Some(tools) = MatrixTools::find_for("what_was_missed_is_complete_over_a_kill_of_the_server") else {
        return;
    };
    // not the shared one, which others talk on
    let server = Synapse::start(&tools, &Settings::default()).await.unwrap();
    let (eva, finn) = tokio::join!(person(&tools, &server, "eva"), person(&tools, &server, "finn"));
    let room = together(&eva, &finn, NewRoom::encrypted()).await;
    missed(&server, &eva, &finn, &room).await;
    server.end().await.unwrap();
}

#[tokio::test]
async fn an_order_that_nobody_waits_for_leaves_the_next_one_its_answer() {
    let Some(tools) = MatrixTools::find_for("an_order_that_nobody_waits_for_leaves_the_next_one_its_answer") else {
        return;
    };
    let server = server(&tools).await;
    let clara = person(&tools, server, "clara").await;
    let in_vain = json!({"where": {"room": "nowhere"}, "seconds": 1});
    let waiting = clara.order("wait", in_vain);
    tokio::select! {
        biased;
        answer = waiting => panic!("{answer:?}"),
        () = tokio::task::yield_now() => {}
    }
    let room = clara.create(&NewRoom::default()).await.unwrap();
    assert!(room.starts_with('!'), "{room}");
}

async fn person(tools: &MatrixTools, server: &Synapse, name: &str) -> MatrixPerson {
    let account = server.account(name).await.unwrap();
    MatrixPerson::start(tools, server.url(), &account).await.unwrap()
}

/// A room with both in it.
async fn together(anna: &MatrixPerson, ben: &MatrixPerson, room: NewRoom) -> String {
    let room = anna.create(&room.with(ben.user_id())).await.unwrap();
    ben.accept_invitation(&room).await.unwrap();
    anna.wait_for_member(&room, ben.user_id(), "join").await.unwrap();
    room
}

async fn talk(anna: &MatrixPerson, ben: &MatrixPerson, room: &str) {
    let question = Saying::new("what is it?")
        .html("<b>what</b> is it?")
        .mention(ben.user_id());
    let question = anna.say(room, &question).await.unwrap();
    let read = ben.wait(json!({"event_id": question}), "").await.unwrap();
    assert_eq!(read["encrypted"], true, "{read}");
    assert_eq!(read["content"]["formatted_body"], "<b>what</b> is it?");
    let answer = ben.say(room, &Saying::new("it is").thread(&question)).await.unwrap();
    let edit = Saying::new("it is a thread").edit(&answer);
    ben.say(room, &edit).await.unwrap();
    anna.wait(json!({"room": room, "sender": ben.user_id()}), "a thread")
        .await
        .unwrap();
    let shown = anna.shown(room, ben.user_id()).await.unwrap();
    let expected = json!([{"event_id": answer, "sender": ben.user_id(), "msgtype": "m.text", "body": "it is a thread",
        "html": null, "thread": question, "reply": question, "falling_back": true, "edits": 1, "reactions": [],
        "redacted": false, "encrypted": true, "undecryptable": false}]);
    assert_eq!(Value::Array(shown), expected);
    // the server itself has nothing of it in clear
    let path = format!("/_matrix/client/v3/rooms/{}/event/{}", encoded(room), encoded(&answer));
    let call = json!({"method": "GET", "path": path});
    let raw = anna.order("call", call).await.unwrap();
    assert_eq!(raw["type"], "m.room.encrypted", "{raw}");
}

/// Ids of rooms of version 3 have slashes in them.
fn encoded(id: &str) -> String {
    percent_encoding::utf8_percent_encode(id, percent_encoding::NON_ALPHANUMERIC).to_string()
}

async fn files(anna: &MatrixPerson, ben: &MatrixPerson, room: &str) {
    let file = Attachment {
        kind: "voice",
        name: "hello.ogg",
        mime: "audio/ogg",
        base64: "AAECAw==",
    };
    let event = anna.send_file(room, file).await.unwrap();
    let came = ben.wait(json!({"event_id": event}), "").await.unwrap();
    assert!(came["content"]["file"]["key"].is_object(), "{came}");
    assert_eq!(ben.fetch(&event).await.unwrap()["base64"], "AAECAw==");
}

/// What is said while somebody is away comes in order and complete, also over a kill of the server.
async fn missed(server: &Synapse, anna: &MatrixPerson, ben: &MatrixPerson, room: &str) {
    ben.go_away().await.unwrap();
    let said: Vec<String> = (0..110).map(|number| format!("missed {number}")).collect();
    for words in &said {
        anna.say(room, &Saying::new(words)).await.unwrap();
    }
    server.kill().await.unwrap();
    server.start_again().await.unwrap();
    ben.come_back().await.unwrap();
    ben.wait(json!({"room": room}), "missed 109").await.unwrap();
    let shown = ben.shown(room, anna.user_id()).await.unwrap();
    let bodies: Vec<&str> = shown.iter().filter_map(|message| message["body"].as_str()).collect();
    let missed: Vec<&str> = bodies.into_iter().filter(|body| body.starts_with("missed")).collect();
    assert_eq!(missed, said);
}

/// A message whose key comes late cannot be read until then.
async fn held_back(anna: &MatrixPerson, ben: &MatrixPerson, room: &str) {
    anna.order("new_key", json!({"room": room})).await.unwrap();
    anna.order("hold_keys", json!({})).await.unwrap();
    let event = anna.say(room, &Saying::new("later")).await.unwrap();
    let came = ben.wait(json!({"event_id": event}), "").await.unwrap();
    assert_eq!(came["undecryptable"], true, "{came}");
    anna.order("release_keys", json!({})).await.unwrap();
    ben.wait(json!({"event_id": event, "encrypted": true}), "later")
        .await
        .unwrap();
}

async fn signatures(anna: &MatrixPerson, ben: &MatrixPerson) {
    let made = anna.order("cross_sign", json!({})).await.unwrap();
    let theirs = ben.order("keys", json!({"user": anna.user_id()})).await.unwrap();
    assert_eq!(theirs["master"], made["master"], "{theirs}");
    let own = ben.order("keys", json!({"user": ben.user_id()})).await.unwrap();
    for (keys, cross_signed) in [(&theirs, true), (&own, false)] {
        let devices: Vec<&Value> = keys["devices"].as_object().unwrap().values().collect();
        assert_eq!(devices.len(), 1, "{keys}");
        assert_eq!(devices[0]["self_signed"], true, "{keys}");
        assert_eq!(devices[0]["cross_signed"], cross_signed, "{keys}");
    }
}

/// Who is muted, or whose account is gone, is refused by the server itself.
async fn refusals(server: &Synapse, anna: &MatrixPerson, ben: &MatrixPerson) {
    let room = together(anna, ben, NewRoom::default()).await;
    let mute = json!({"room": room, "user": ben.user_id(), "level": -1});
    anna.order("level", mute).await.unwrap();
    let refused = ben.say(&room, &Saying::new("but")).await.unwrap_err();
    assert_eq!(refused.status(), Some(403), "{refused}");
    server.limit(anna.user_id(), 5, 3).await.unwrap();
    server.deactivate(ben.user_id()).await.unwrap();
    let refused = ben.say(&room, &Saying::new("but")).await.unwrap_err();
    assert_eq!(refused.status(), Some(401), "{refused}");
}
