//! The menus of commands.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

use std::sync::Arc;

use serde_json::{Value, json};
use tertulia_message::Level;
use tertulia_testkit::telegram_double::TelegramDouble;

use crate::stage::{Listening, double, eventually};

/// The menus that were put up: scope, and names of the commands.
fn put(double: &TelegramDouble) -> Vec<(Value, Vec<String>)> {
    let accepted = double.accepted();
    let calls = accepted.iter().filter(|call| call.method == "setMyCommands");
    let shown = calls.map(|call| {
        let commands = call.params["commands"].as_array().unwrap();
        let names = commands
            .iter()
            .map(|command| command["command"].as_str().unwrap().to_owned());
        (call.params["scope"].clone(), names.collect())
    });
    shown.collect()
}

fn menu(scope: Value, names: &[&str]) -> (Value, Vec<String>) {
    (scope, names.iter().map(|name| (*name).to_owned()).collect())
}

#[tokio::test]
async fn menus_are_put_up_once() {
    let double = double().await;
    let first = Listening::start(&double);
    eventually("both are there", || put(&double).len() == 2).await;
    let everybody = [
        menu(json!({"type": "all_private_chats"}), &["help", "claim"]),
        menu(json!({"type": "all_group_chats"}), &["help"]),
    ];
    assert_eq!(put(&double), everybody);
    let ear = Arc::clone(&first.ear);
    first.stop().await;
    let asked = double.calls("getMyCommands");
    let second = Listening::with(&double, ear);
    eventually("they are looked at again", || {
        double.calls("getMyCommands") == asked + 2
    })
    .await;
    let ann = double.person("Ann");
    double.say(ann, ann, "hello");
    second.hears(1).await;
    second.stop().await;
    assert_eq!(put(&double).len(), 2);
}

#[tokio::test]
async fn an_admin_sees_all_commands_as_long_as_they_are_one() {
    let double = double().await;
    let ann = double.person("Ann");
    let listening = Listening::start(&double);
    listening.ear.level(Level::Admin);
    double.say(ann, ann, "hello");
    double.say(ann, ann, "hello again");
    let all = menu(json!({"type": "chat", "chat_id": ann}), &["help", "claim", "deny"]);
    eventually("it is there", || put(&double).contains(&all)).await;
    listening.hears(2).await;
    let mark = format!("menu/{ann}");
    eventually("it is noted", || listening.ear.mark(&mark).is_some()).await;
    let ear = Arc::clone(&listening.ear);
    listening.stop().await;
    ear.level(Level::User);
    let after = Listening::with(&double, ear);
    double.say(ann, ann, "and now?");
    eventually("it is taken away", || double.calls("deleteMyCommands") == 1).await;
    eventually("that is noted", || after.ear.mark(&mark).is_none()).await;
    after.stop().await;
    assert_eq!(double.violations(), []);
}
