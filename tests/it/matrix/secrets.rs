//! Password, token, recovery key and room keys stand in no log, however talkative it is.

use std::path::Path;

use serde_json::{Value, json};
use tertulia_testkit::matrix_person::{NewRoom, Saying};

use super::scene::{BOT, DEMO, Scene, Setup};

/// Shorter texts in the bot's files are names, not secrets.
const SHORTEST: usize = 24;
/// Texts that begin like this are ids and addresses.
const IDS: [&str; 5] = ["@", "!", "$", "http", "mxc"];

#[tokio::test(flavor = "multi_thread")]
async fn no_log_shows_a_secret() {
    for format in ["text", "json"] {
        let config = format!("{DEMO}[log]\nlevel = \"trace\"\nformat = \"{format}\"\n");
        let Some(mut scene) = Setup::new(&config).start().await else {
            return;
        };
        let anna = scene.encrypting("anna").await;
        let room = scene.room(&anna, NewRoom::encrypted().direct()).await;
        for word in ["apple", "banana"] {
            anna.say(&room, &Saying::new(word)).await.unwrap();
            scene.hears_once(&anna, &room, word).await;
            scene.stop_and_start();
        }
        let mut canaries = room_keys(&anna.order("room_keys", json!({"room": room})).await.unwrap());
        assert!(canaries.len() >= 2, "both sides have one");
        let home = scene.kill();
        canaries.extend(secrets_of(&home.state().join(BOT)));
        check(&scene, &canaries);
    }
}

/// What is in the bot's own files beside its databases.
fn secrets_of(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(secrets_of(&path));
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            match serde_json::from_str(&text) {
                Ok(Value::Object(fields)) => texts(&Value::Object(fields), &mut found),
                _ => found.push(text.trim().to_owned()),
            }
        }
    }
    found.retain(|text| text.len() >= SHORTEST && !IDS.iter().any(|id| text.starts_with(id)));
    found
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|value| texts(value, found)),
        Value::Object(all) => all.values().for_each(|value| texts(value, found)),
        _ => {}
    }
}

/// The secret part of each key, which is the same in every form that a key has.
fn room_keys(told: &Value) -> Vec<String> {
    let keys = told["keys"].as_array().unwrap();
    let secret = |key: &Value| key.as_str().and_then(|key| key.get(8..60)).map(str::to_owned);
    keys.iter().filter_map(secret).collect()
}

fn check(scene: &Scene, canaries: &[String]) {
    let log = scene.log();
    assert!(log.contains("TRACE"), "{}", log.len());
    // the access token and the recovery key
    assert!(canaries.len() >= 4, "{}", canaries.len());
    for canary in canaries {
        let line = log.lines().find(|line| line.contains(canary.as_str()));
        assert_eq!(line, None, "a secret is in the log");
    }
}
