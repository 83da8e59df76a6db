//! What a message must be.

use serde_json::{Value, json};
use tertulia_testkit::discord_double::{DiscordDouble, Permission, Settings};

use super::{call, done, get, id, post, quiet, refused, request, scene, with};

fn messages(channel: u64) -> String {
    format!("/channels/{channel}/messages")
}

fn violations(double: &DiscordDouble) -> Vec<String> {
    double
        .violations()
        .into_iter()
        .map(|violation| violation.what)
        .collect()
}

#[tokio::test]
async fn contents_have_limits() {
    let (double, _, channel) = scene().await;
    let path = messages(channel);
    let long = |length: usize| "ü".repeat(length);
    let button = |id: &str| json!({"type": 2, "style": 1, "label": "x", "custom_id": id});
    let row = |buttons: Vec<Value>| json!({"content": "x", "components": [{"type": 1, "components": buttons}]});
    let cases = [
        (quiet(&long(2001)), 50035),
        (quiet(" \n "), 50006),
        (json!({"content": null}), 50006),
        (json!({"content": "x", "nonce": "n".repeat(26)}), 50035),
        (json!({"embeds": [{"description": long(4097)}]}), 50035),
        (
            json!({"embeds": [{"description": long(4000)}, {"description": long(2001)}]}),
            50035,
        ),
        (row(vec![button("a"); 2]), 50035),
        (row((0..6).map(|n| button(&n.to_string())).collect()), 50035),
        (row(vec![button(&"i".repeat(101))]), 50035),
        (
            json!({"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}),
            50035,
        ),
    ];
    for (body, code) in cases {
        refused(&double, "POST", &path, body, (400, code)).await;
    }
    post(&double, channel, quiet(&long(2000))).await;
    post(&double, channel, quiet("  a b\n")).await;
    assert_eq!(double.bot_shows(channel)[1], "a b");
    assert_eq!((double.accepted().len(), double.refused().len()), (2, 10));
    assert_eq!(violations(&double), Vec::<String>::new());
}

#[tokio::test]
async fn a_known_nonce_gives_the_first_message() {
    let (double, _, channel) = scene().await;
    let body = |enforced: bool| json!({"content": "hello", "nonce": "n1", "enforce_nonce": enforced});
    let first = post(&double, channel, body(true)).await;
    let second = post(&double, channel, body(true)).await;
    assert_eq!(first["id"], second["id"]);
    assert_eq!(first["nonce"], "n1");
    let third = post(&double, channel, body(false)).await;
    assert_ne!(first["id"], third["id"]);
    assert_eq!(double.bot_shows(channel).len(), 2);
    let counts = double.counts();
    assert_eq!((counts.repeated_nonces, counts.without_nonce), (1, 1));
    assert!(double.accepted()[1].is_repeated);
}

#[tokio::test]
async fn a_nonce_is_forgotten() {
    let settings = Settings {
        nonce_memory: std::time::Duration::ZERO,
        ..Settings::default()
    };
    let double = with(settings).await;
    let channel = double.channel(double.guild("Friends"), "general");
    let body = json!({"content": "hello", "nonce": "n1", "enforce_nonce": true});
    post(&double, channel, body.clone()).await;
    post(&double, channel, body).await;
    assert_eq!(double.bot_shows(channel).len(), 2);
}

#[tokio::test]
async fn pings_are_violations() {
    let (double, ann, channel) = scene().await;
    let text = format!("<@{ann}> @everyone");
    let question = double.say(ann, channel, "hi");
    let made = post(&double, channel, quiet(&text)).await;
    let reply = json!({"content": "x", "message_reference": {"message_id": question.to_string()},
        "allowed_mentions": {"parse": []}});
    post(&double, channel, reply).await;
    assert_eq!(violations(&double), Vec::<String>::new());
    let path = format!("{}/{}", messages(channel), id(&made));
    done(&double, "PATCH", &path, json!({"content": text})).await;
    post(
        &double,
        channel,
        json!({"content": "x", "message_reference": {"message_id": question.to_string()}}),
    )
    .await;
    let all = violations(&double);
    assert_eq!(
        all,
        [
            format!("edit_message pings <@{ann}> @everyone"),
            format!("create_message pings <@{ann}>")
        ]
    );
    assert_eq!(double.accepted()[2].pings.len(), 2);
}

#[tokio::test]
async fn replies_need_their_message() {
    let (double, ann, channel) = scene().await;
    let question = double.say(ann, channel, "hi");
    let reply = |to: u64, fails: bool| {
        json!({"content": "x", "allowed_mentions": {"parse": []},
            "message_reference": {"message_id": to.to_string(), "fail_if_not_exists": fails}})
    };
    let made = post(&double, channel, reply(question, false)).await;
    assert_eq!(
        (&made["type"], &made["referenced_message"]["content"]),
        (&json!(19), &json!("hi"))
    );
    refused(&double, "POST", &messages(channel), reply(5, true), (400, 50035)).await;
    assert_eq!(post(&double, channel, reply(5, false)).await["type"], 0);
    double.forbid(channel, Permission::READ_MESSAGE_HISTORY);
    refused(
        &double,
        "POST",
        &messages(channel),
        reply(question, false),
        (400, 160_002),
    )
    .await;
}

#[tokio::test]
async fn messages_are_changed_and_deleted_by_their_author() {
    let (double, ann, channel) = scene().await;
    let question = double.say(ann, channel, "hi");
    let path = |id: u64| format!("{}/{id}", messages(channel));
    refused(&double, "PATCH", &path(question), quiet("x"), (403, 50005)).await;
    refused(&double, "DELETE", &path(question), json!({}), (403, 50013)).await;
    refused(&double, "PATCH", &path(5), quiet("x"), (404, 10008)).await;
    let made = id(&post(&double, channel, json!({"content": "a", "embeds": [{"title": "t"}]})).await);
    let changed = done(&double, "PATCH", &path(made), quiet("b")).await;
    assert_eq!(
        (&changed["content"], &changed["embeds"][0]["title"]),
        (&json!("b"), &json!("t"))
    );
    assert!(changed["edited_timestamp"].is_string());
    refused(
        &double,
        "PATCH",
        &path(made),
        json!({"content": "", "embeds": []}),
        (400, 50006),
    )
    .await;
    done(&double, "DELETE", &path(made), json!({})).await;
    refused(&double, "DELETE", &path(made), json!({}), (404, 10008)).await;
    assert_eq!(double.bot_shows(channel), Vec::<String>::new());
}

#[tokio::test]
async fn files_have_limits_and_addresses_that_expire() {
    let (double, ann, channel) = scene().await;
    let part = |size: usize| reqwest::multipart::Part::bytes(vec![7; size]).file_name("ä b.bin");
    let form = |size: usize| {
        let payload = json!({"content": "", "attachments": [{"id": 0, "filename": "ä b.bin"}]});
        reqwest::multipart::Form::new()
            .text("payload_json", payload.to_string())
            .part("files[0]", part(size))
    };
    let send = |size: usize| {
        request(&double, "POST", &messages(channel))
            .multipart(form(size))
            .send()
    };
    assert_eq!(send((10 << 20) + 1).await.unwrap().status(), 413);
    let made: Value = send(3).await.unwrap().json().await.unwrap();
    assert_eq!(made["attachments"][0]["filename"], "ä b.bin");
    assert_eq!(double.files(id(&made)), [vec![7; 3]]);
    let said = tertulia_testkit::discord_double::Said::text("look").file("a.txt", "text/plain", b"abc".to_vec());
    let said = double.send(ann, channel, said);
    let path = format!("{}/{said}", messages(channel));
    let address = |message: &Value| message["attachments"][0]["url"].as_str().unwrap().to_owned();
    let url = address(&get(&double, &path).await);
    assert_eq!(reqwest::get(&url).await.unwrap().text().await.unwrap(), "abc");
    double.expire_attachments();
    assert_eq!(reqwest::get(&url).await.unwrap().status(), 404);
    let renewed = address(&get(&double, &path).await);
    assert_eq!(reqwest::get(&renewed).await.unwrap().status(), 200);
    double.forbid(channel, Permission::ATTACH_FILES);
    assert_eq!(send(3).await.unwrap().status(), 403);
}

#[tokio::test]
async fn pages_of_messages() {
    let (double, ann, channel) = scene().await;
    let ids: Vec<u64> = (0..130).map(|n| double.say(ann, channel, &n.to_string())).collect();
    let list = |query: String| {
        let double = &double;
        async move {
            let page = get(double, &format!("{}?{query}", messages(channel))).await;
            page.as_array().unwrap().iter().map(id).collect::<Vec<u64>>()
        }
    };
    let newest: Vec<u64> = ids.iter().rev().take(50).copied().collect();
    assert_eq!(list(String::new()).await, newest);
    let after = list(format!("after={}&limit=100", ids[9])).await;
    assert_eq!((after.len(), after[0], after[99]), (100, ids[109], ids[10]));
    for limit in ["0", "101", "x"] {
        refused(
            &double,
            "GET",
            &format!("{}?limit={limit}", messages(channel)),
            json!({}),
            (400, 50035),
        )
        .await;
    }
    double.forbid(channel, Permission::READ_MESSAGE_HISTORY);
    assert_eq!(list(String::new()).await, Vec::<u64>::new());
}

#[tokio::test]
async fn old_messages_slow_mode_and_blocked_words() {
    let settings = Settings {
        old_after: std::time::Duration::ZERO,
        old_edits: 1,
        ..Settings::default()
    };
    let double = with(settings).await;
    let channel = double.channel(double.guild("Friends"), "general");
    let made = id(&post(&double, channel, quiet("a")).await);
    let path = format!("{}/{made}", messages(channel));
    done(&double, "PATCH", &path, quiet("b")).await;
    refused(&double, "PATCH", &path, quiet("c"), (429, 30046)).await;
    double.slow_down(channel, std::time::Duration::from_mins(1));
    let (status, answer) = call(&double, "POST", &messages(channel), quiet("d")).await;
    assert_eq!((status, &answer["code"]), (429, &json!(20016)));
    assert!(answer["retry_after"].as_f64().unwrap() > 50.0);
    double.block_word("darn");
    refused(&double, "PATCH", &path, quiet("oh darn"), (429, 30046)).await;
    double.slow_down(channel, std::time::Duration::ZERO);
    refused(&double, "POST", &messages(channel), quiet("oh darn"), (400, 200_000)).await;
}
