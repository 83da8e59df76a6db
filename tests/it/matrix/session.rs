//! One device for ever, which anybody may trust; and what becomes of a session that is of no use.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use reqwest::{Client, Method};
use serde_json::{Value, json};
use tertulia_testkit::matrix_person::{MatrixPerson, NewRoom, Saying};
use tokio::task::block_in_place;

use super::scene::{BOT, DEMO, Scene, Setup};
use crate::daemon::Home;

const KEYS: &str = "matrix-sdk-crypto.sqlite3";

/// Where the bot keeps its session.
fn folder(home: &Home) -> PathBuf {
    home.state().join("matrix").join(BOT)
}

/// A call in the name of the bot, from the device that its account was made with.
async fn as_bot(scene: &Scene, method: Method, path: &str) -> Value {
    let url = format!("{}/_matrix/client/v3/{path}", scene.server().url());
    let http = Client::builder().no_proxy().build().unwrap();
    let call = http.request(method, url).bearer_auth(&scene.bot().access_token);
    let text = call.body("{}").send().await.unwrap().text().await.unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The devices that the bot has made itself.
async fn devices(scene: &Scene) -> Vec<String> {
    let told = as_bot(scene, Method::GET, "devices").await;
    let all = told["devices"].as_array().unwrap().iter();
    let ids = all.map(|device| device["device_id"].as_str().unwrap().to_owned());
    ids.filter(|id| *id != scene.bot().device_id).collect()
}

/// The keys of the bot once one of its devices is signed: that device, and what somebody else's client says of them.
async fn signed(scene: &Scene, person: &MatrixPerson, besides: Option<&str>) -> (String, Value) {
    let find = async || {
        let keys = person
            .order("keys", json!({"user": scene.bot().user_id}))
            .await
            .unwrap();
        let devices = keys["devices"].as_object().unwrap();
        let signed = devices
            .iter()
            .find(|(id, device)| device["cross_signed"] == true && Some(id.as_str()) != besides);
        signed.map(|(id, _)| (id.clone(), keys.clone()))
    };
    scene.until("a signed device", find).await
}

/// Waits for the backup of the room keys, and gives how many it holds.
async fn backed_up(scene: &Scene, least: u64) -> u64 {
    let find = async || {
        let told = as_bot(scene, Method::GET, "room_keys/version").await;
        told["count"].as_u64().filter(|count| *count >= least)
    };
    scene.until("a backup", find).await
}

/// Waits for words in the log of the daemon; no later than these nobody logs in any more.
fn logged(scene: &Scene, words: &str) {
    block_in_place(|| scene.daemon().until_logged(|line| line.contains(words)));
}

/// The rest of the daemon answers.
async fn has_open_doors(scene: &Scene) {
    let url = format!("{}/api/tags", scene.daemon().url());
    let http = Client::builder().no_proxy().build().unwrap();
    assert_eq!(http.get(url).send().await.unwrap().status(), 200);
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn remove_keys(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_str().unwrap().starts_with("matrix-sdk-") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_device_serves_for_ever_and_anybody_may_trust_it() {
    let Some(mut scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    let (device, keys) = signed(&scene, &anna, None).await;
    assert_eq!(keys["self_signing_signed"], true, "{keys}");
    let room = scene.room(&anna, NewRoom::encrypted().direct()).await;
    anna.say(&room, &Saying::new("apple pie")).await.unwrap();
    scene.hears(&anna, &room, "apple pie").await;
    backed_up(&scene, 1).await;
    scene.kill_and_start();
    anna.say(&room, &Saying::new("banana bread")).await.unwrap();
    scene.hears(&anna, &room, "banana bread").await;
    let home = scene.stop();
    let folder = folder(&home);
    let recovery_key = fs::read_to_string(folder.join("recovery-key")).unwrap();
    let session: Value = serde_json::from_str(&fs::read_to_string(folder.join("session.json")).unwrap()).unwrap();
    assert_eq!(mode(&folder), 0o700);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    scene.wake(home);
    anna.say(&room, &Saying::new("cherry cake")).await.unwrap();
    scene.hears(&anna, &room, "cherry cake").await;
    assert_eq!(devices(&scene).await, [device]);
    let (_, later) = signed(&scene, &anna, None).await;
    assert_eq!(later["master"], keys["master"]);
    for secret in [recovery_key.trim(), session["token"].as_str().unwrap()] {
        assert!(
            secret.len() > 20 && !scene.log().contains(secret),
            "a secret is in the log"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_recovery_key_lets_a_new_device_be_trusted() {
    let Some(mut scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    let (first, keys) = signed(&scene, &anna, None).await;
    backed_up(&scene, 0).await;
    let home = scene.stop();
    // what the log advises an operator to do whose session is gone
    fs::remove_file(folder(&home).join("session.json")).unwrap();
    remove_keys(&folder(&home));
    scene.wake(home);
    let (second, later) = signed(&scene, &anna, Some(&first)).await;
    assert_ne!(second, first);
    assert_eq!(later["master"], keys["master"]);
    let room = scene.room(&anna, NewRoom::encrypted().direct()).await;
    anna.say(&room, &Saying::new("apple pie")).await.unwrap();
    scene.hears(&anna, &room, "apple pie").await;
    // the same backup goes on
    backed_up(&scene, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_belong_together_is_refused_and_left_as_it_is() {
    let Some(mut scene) = Scene::start(DEMO).await else {
        return;
    };
    let anna = scene.encrypting("anna").await;
    let (device, _) = signed(&scene, &anna, None).await;
    let home = scene.stop();
    let session = folder(&home).join("session.json");
    let kept = fs::read_to_string(&session).unwrap();
    // a token of another device
    scene.setup().set_by_token(true);
    scene.wake(home);
    logged(&scene, &format!("the token is of device {}", scene.bot().device_id));
    logged(&scene, &format!("belongs to device {device}"));
    has_open_doors(&scene).await;
    // a session without its keys
    let home = scene.stop();
    assert_eq!(fs::read_to_string(&session).unwrap(), kept);
    remove_keys(&folder(&home));
    scene.setup().set_by_token(false);
    scene.wake(home);
    logged(&scene, &format!("the keys of device {device} were here, and are gone"));
    let home = scene.stop();
    assert!(
        !folder(&home).join(KEYS).exists(),
        "keys were made in the place of those that are gone"
    );
    // a session that nobody can read
    fs::write(&session, "{").unwrap();
    scene.wake(home);
    logged(&scene, "session.json is not what was written there");
    has_open_doors(&scene).await;
    assert_eq!(fs::read_to_string(&session).unwrap(), "{");
    assert_eq!(devices(&scene).await, [device]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_token_stops_matrix_and_nothing_else() {
    let Some(mut scene) = Setup::new(DEMO).by_token().start().await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    anna.say(&room, "apple pie").await;
    scene.hears(&anna, &room, "apple pie").await;
    as_bot(&scene, Method::POST, "logout").await;
    let words = format!("the homeserver knows the token of device {}", scene.bot().device_id);
    logged(&scene, &words);
    has_open_doors(&scene).await;
    scene.kill_and_start();
    logged(&scene, &words);
    has_open_doors(&scene).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admin_verifies_the_bot_and_nobody_else_does() {
    let Some(scene) = Setup::new(DEMO).open().start().await else {
        return;
    };
    let bot = scene.bot().user_id.clone();
    let anna = scene.encrypting("anna").await;
    anna.order("cross_sign", json!({})).await.unwrap();
    let (device, keys) = signed(&scene, &anna, None).await;
    let expected = json!([
        format!("ed25519:{device}"),
        format!("ed25519:{}", keys["master"].as_str().unwrap())
    ]);
    let room = scene.room(&anna, NewRoom::encrypted().direct()).await;
    // by the word
    anna.say(&room, &Saying::new("!verify")).await.unwrap();
    let told = anna.order("verify", json!({"user": bot, "asked": true})).await.unwrap();
    assert_eq!(told["device"], json!(device));
    let shown = scene.hears(&anna, &room, "Your app should show these").await;
    assert_eq!(shown["body"].as_str().unwrap().matches(" · ").count(), 6, "{shown}");
    let verified = anna.order("confirm", json!({})).await.unwrap();
    assert_same(&verified["verified"], &expected);
    scene.hears(&anna, &room, "Verified: your app trusts me").await;
    // by a request of the client, in the room and to the device
    for order in [
        json!({"user": bot, "room": room}),
        json!({"user": bot, "device": device}),
    ] {
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        anna.order("verify", order).await.unwrap();
        let verified = anna.order("confirm", json!({})).await.unwrap();
        assert_same(&verified["verified"], &expected);
    }
    // by somebody who does not govern the bot
    let eve = scene.encrypting("eve").await;
    let room = scene.room(&eve, NewRoom::encrypted().direct()).await;
    eve.say(&room, &Saying::new("!verify")).await.unwrap();
    scene.hears_once(&eve, &room, "Only those who govern me").await;
    let refused = eve
        .order("verify", json!({"user": bot, "room": room, "seconds": 20}))
        .await;
    assert!(refused.is_err(), "{refused:?}");
}

#[track_caller]
fn assert_same(found: &Value, expected: &Value) {
    let sorted = |list: &Value| {
        let mut list: Vec<String> = list.as_array().unwrap().iter().map(ToString::to_string).collect();
        list.sort();
        list
    };
    assert_eq!(sorted(found), sorted(expected));
}
