//! The long poll: redelivery, conflicts, filters, encodings, tokens.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{PATIENCE, call, done, refused, start};

async fn texts(double: &tertulia_testkit::telegram_double::TelegramDouble, body: Value) -> Vec<String> {
    let updates = done(double, "getUpdates", body).await;
    let text = |update: &Value| update["message"]["text"].as_str().unwrap_or_default().to_owned();
    updates.as_array().unwrap().iter().map(text).collect()
}

#[tokio::test]
async fn updates_come_again_until_they_are_confirmed() {
    let double = start().await;
    let ann = double.person("Ann");
    double.say(ann, ann, "one");
    double.jump_updates(1000);
    double.say(ann, ann, "two");
    // the offset of the second confirms nothing
    for body in [json!({}), json!({"offset": 1})] {
        assert_eq!(texts(&double, body).await, ["one", "two"]);
    }
    assert_eq!(double.counts().redelivered, 2);
    let updates = done(&double, "getUpdates", json!({"limit": 1})).await;
    let first = updates[0]["update_id"].as_i64().unwrap();
    assert_eq!(texts(&double, json!({"offset": first + 1})).await, ["two"]);
    double.say(ann, ann, "three");
    assert_eq!(texts(&double, json!({"offset": -1})).await, ["three"]);
    assert!(double.violations().is_empty());
    double.say(ann, ann, "four");
    done(&double, "getUpdates", json!({"offset": first + 5000})).await;
    assert_eq!((double.violations().len(), double.unconfirmed()), (1, 0));
}

#[tokio::test]
async fn whoever_asks_again_in_haste_gets_less() {
    let double = start().await;
    let ann = double.person("Ann");
    double.say(ann, ann, "one");
    assert_eq!(texts(&double, json!({})).await, ["one"]);
    double.say(ann, ann, "two");
    assert_eq!(texts(&double, json!({})).await, ["one"]);
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(texts(&double, json!({})).await, ["one", "two"]);
}

#[tokio::test]
async fn a_poll_waits_and_a_second_one_ends_it() {
    let double = Arc::new(start().await);
    let ann = double.person("Ann");
    let mut polls = JoinSet::new();
    let older = Arc::clone(&double);
    polls.spawn(async move { call(&older, "getUpdates", json!({"timeout": 50})).await });
    while double.counts().polls == 0 {
        tokio::task::yield_now().await;
    }
    let newer = Arc::clone(&double);
    polls.spawn(async move { call(&newer, "getUpdates", json!({"timeout": 50})).await });
    let (status, answer) = tokio::time::timeout(PATIENCE, polls.join_next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(status, 409);
    assert_eq!(
        answer["description"],
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    );
    double.say(ann, ann, "hello");
    let (status, answer) = tokio::time::timeout(PATIENCE, polls.join_next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(
        (status, &answer["result"][0]["message"]["text"]),
        (200, &json!("hello"))
    );
    assert_eq!(double.counts().conflicts, 1);
}

#[tokio::test]
async fn the_kinds_that_were_asked_for_hold_until_others_are() {
    let double = start().await;
    let ann = double.person("Ann");
    double.say(ann, ann, "queued before");
    done(
        &double,
        "getUpdates",
        json!({"allowed_updates": ["callback_query"], "limit": 1}),
    )
    .await;
    double.say(ann, ann, "not queued");
    assert_eq!(texts(&double, json!({})).await, ["queued before"]);
    done(&double, "getUpdates", json!({"allowed_updates": []})).await;
    double.say(ann, ann, "queued again");
    double.update("message_reaction", json!({}));
    double.update("stopped_message_generation", json!({"x": 1}));
    // another offset, since the same would be too hasty; it confirms nothing
    assert_eq!(
        texts(&double, json!({"offset": 1})).await,
        ["queued before", "queued again", ""]
    );
}

#[tokio::test]
async fn a_webhook_shuts_the_poll() {
    let double = start().await;
    assert_eq!(call(&double, "setWebhook", json!({"url": "http://x"})).await.0, 400);
    done(&double, "setWebhook", json!({"url": "https://example.org"})).await;
    let words =
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
    refused(&double, "getUpdates", json!({}), words).await;
    assert_eq!(
        done(&double, "getWebhookInfo", json!({})).await["url"],
        "https://example.org"
    );
    done(&double, "deleteWebhook", json!({})).await;
    done(&double, "getUpdates", json!({})).await;
}

#[tokio::test]
async fn tokens_methods_and_encodings() {
    let double = start().await;
    let ann = double.person("Ann");
    double.open(ann);
    let client = reqwest::Client::new();
    let base = double.base_url();
    for (token, status, words) in [
        ("7000000001:another", 401, "Unauthorized"),
        ("nonsense", 404, "Not Found"),
        ("x:y", 404, "Not Found"),
    ] {
        let response = client.get(format!("{base}/bot{token}/getMe")).send().await.unwrap();
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(response.json::<Value>().await.unwrap()["description"], words);
    }
    refused(&double, "sendGreetings", json!({}), "Not Found: method not found").await;
    let root = format!("{base}/bot{}", double.token());
    let query = client.get(format!("{root}/SENDMESSAGE?chat_id={ann}&text=by+query"));
    let form = client
        .post(format!("{root}/sendMessage"))
        .body(format!("chat_id={ann}&text=by%20form"));
    let form = form.header("content-type", "application/x-www-form-urlencoded");
    for request in [query, form] {
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    assert_eq!(double.bot_shows(ann), ["by query", "by form"]);
    assert_eq!(double.accepted()[0].method, "sendMessage");
}
