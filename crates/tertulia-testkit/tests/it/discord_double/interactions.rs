//! Slash commands and buttons.

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_testkit::discord_double::{DiscordDouble, Settings};

use super::socket::{ALL, Socket, session};
use super::{call, done, get, id, post, quiet, refused, scene, with};

fn ask() -> Value {
    let option = json!({"type": 3, "name": "text", "description": "what", "required": true});
    json!({"name": "ask", "description": "asks", "options": [option]})
}

async fn registered(double: &DiscordDouble) {
    let path = format!("/applications/{}/commands", double.bot_id());
    done(double, "PUT", &path, json!([ask()])).await;
}

/// A double with a command in use; gives the interaction as it is told.
async fn used(settings: Settings) -> (DiscordDouble, Socket, u64, Value) {
    let double = with(settings).await;
    let (ann, channel) = (double.person("Ann"), double.channel(double.guild("Friends"), "general"));
    registered(&double).await;
    let (mut socket, _) = session(&double, ALL).await;
    double.slash(ann, channel, "ask", &[("text", json!("why"))]).unwrap();
    let told = socket.event("INTERACTION_CREATE").await["d"].clone();
    (double, socket, channel, told)
}

fn callback(told: &Value) -> String {
    format!(
        "/interactions/{}/{}/callback",
        told["id"].as_str().unwrap(),
        told["token"].as_str().unwrap()
    )
}

fn webhook(told: &Value) -> String {
    format!(
        "/webhooks/{}/{}",
        told["application_id"].as_str().unwrap(),
        told["token"].as_str().unwrap()
    )
}

#[tokio::test]
async fn a_deferred_answer_is_put_in_later() {
    let (double, mut socket, channel, told) = used(Settings::default()).await;
    assert_eq!(
        (&told["type"], &told["data"]["options"][0]["value"]),
        (&json!(2), &json!("why"))
    );
    assert_eq!(told["member"]["user"]["username"], "Ann");
    let original = format!("{}/messages/@original", webhook(&told));
    refused(&double, "PATCH", &original, quiet("early"), (404, 10015)).await;
    let (status, _) = call(&double, "POST", &callback(&told), json!({"type": 5})).await;
    assert_eq!(status, 204);
    refused(&double, "POST", &callback(&told), json!({"type": 5}), (400, 40060)).await;
    assert!(double.shown(channel)[0].is_loading);
    assert_eq!(socket.event("MESSAGE_CREATE").await["d"]["flags"], 128);
    let made = done(&double, "PATCH", &original, quiet("because")).await;
    assert_eq!(
        (&made["content"], &made["flags"], &made["type"]),
        (&json!("because"), &json!(0), &json!(20))
    );
    socket.event("MESSAGE_UPDATE").await;
    done(&double, "POST", &webhook(&told), quiet("and more")).await;
    assert_eq!(double.bot_shows(channel), ["because", "and more"]);
    assert_eq!(id(&get(&double, &original).await), id(&made));
    done(&double, "DELETE", &original, json!({})).await;
    assert_eq!(double.bot_shows(channel), ["and more"]);
    let state = double.interaction(id(&told)).unwrap();
    assert_eq!((state.callback, state.original), (Some(5), None));
}

#[tokio::test]
async fn late_answers_are_refused() {
    let settings = Settings {
        interaction_deadline: Duration::ZERO,
        ..Settings::default()
    };
    let (double, _socket, _, told) = used(settings).await;
    refused(&double, "POST", &callback(&told), json!({"type": 5}), (404, 10062)).await;
    let original = format!("{}/messages/@original", webhook(&told));
    refused(&double, "PATCH", &original, quiet("x"), (404, 10015)).await;
    assert_eq!((double.counts().late_interactions, double.violations().len()), (1, 0));
    assert_eq!(double.unanswered(), [id(&told)]);
    refused(&double, "PATCH", &original, quiet("x"), (404, 10015)).await;
    assert_eq!(
        double.violations().len(),
        1,
        "a webhook that answered 404 is not used again"
    );
}

#[tokio::test]
async fn tokens_expire() {
    let (double, _socket, channel, told) = used(Settings::default()).await;
    done(
        &double,
        "POST",
        &callback(&told),
        json!({"type": 5, "data": {"flags": 64}}),
    )
    .await;
    assert!(double.shown(channel)[0].is_ephemeral);
    double.expire_interactions();
    let original = format!("{}/messages/@original", webhook(&told));
    refused(&double, "PATCH", &original, quiet("x"), (401, 50027)).await;
    assert_eq!(double.counts().invalid_requests, 1);
}

#[tokio::test]
async fn buttons_are_pressed() {
    let (double, ann, channel) = scene().await;
    let (mut socket, _) = session(&double, ALL).await;
    let button = |label: &str, disabled: bool| json!({"type": 2, "style": 1, "label": label, "custom_id": label, "disabled": disabled});
    let rows = json!([{"type": 1, "components": [button("stop", false), button("retry", true)]}]);
    let made = id(&post(&double, channel, json!({"content": "x", "components": rows})).await);
    socket.event("MESSAGE_CREATE").await;
    assert_eq!(
        double.shown(channel)[0].buttons[0],
        ("stop".to_owned(), "stop".to_owned())
    );
    assert_eq!(double.press(ann, made, "retry"), None);
    double.press(ann, made, "stop").unwrap();
    let told = socket.event("INTERACTION_CREATE").await["d"].clone();
    assert_eq!((&told["type"], &told["data"]["custom_id"]), (&json!(3), &json!("stop")));
    assert_eq!(told["message"]["id"], made.to_string());
    let body = json!({"type": 7, "data": {"content": "stopped", "components": []}});
    done(&double, "POST", &callback(&told), body).await;
    assert_eq!(
        (&double.bot_shows(channel)[0], double.shown(channel)[0].buttons.len()),
        (&"stopped".to_owned(), 0)
    );
}

#[tokio::test]
async fn commands_are_registered_by_their_rules() {
    let (double, ann, channel) = scene().await;
    let path = format!("/applications/{}/commands", double.bot_id());
    assert_eq!(double.slash(ann, channel, "ask", &[]), None);
    registered(&double).await;
    let before = get(&double, &path).await;
    let bad = [
        json!([{"name": "Ask", "description": "x"}]),
        json!([{"name": "ask", "description": ""}]),
        json!([ask(), ask()]),
        json!([{"name": "x", "description": "x", "options": [
            {"type": 3, "name": "a", "description": "x"}, {"type": 3, "name": "b", "description": "x", "required": true}]}]),
    ];
    for list in bad {
        refused(&double, "PUT", &path, list, (400, 50035)).await;
    }
    done(
        &double,
        "PUT",
        &path,
        json!([ask(), {"name": "help", "description": "helps"}]),
    )
    .await;
    let after = get(&double, &path).await;
    assert_eq!(
        (&before[0]["id"], after.as_array().unwrap().len()),
        (&after[0]["id"], 2)
    );
    let (status, made) = call(&double, "POST", &path, json!({"name": "new", "description": "x"})).await;
    assert_eq!(status, 201);
    let one = format!("{path}/{}", id(&made));
    done(&double, "PATCH", &one, json!({"description": "y"})).await;
    assert_eq!(get(&double, &one).await["description"], "y");
    done(&double, "DELETE", &one, json!({})).await;
    refused(&double, "DELETE", &one, json!({}), (404, 10063)).await;
    assert_eq!(double.commands(None).len(), 2);
}
