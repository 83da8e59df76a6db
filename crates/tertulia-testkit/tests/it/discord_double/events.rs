//! What the gateway tells, in order.

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_testkit::discord_double::{Order, Settings};
use tokio_tungstenite::tungstenite::Message;

use super::socket::{ALL, Socket, identify, session};
use super::{id, post, quiet, scene, start, with};

#[tokio::test]
async fn guilds_are_complete() {
    let (double, ann, channel) = scene().await;
    let large = double.large_guild("Many", 200_000);
    let asked = double.say(ann, channel, "hi");
    let thread = double.thread_from(ann, asked, "games");
    let archived = double.thread(ann, channel, "old");
    double.archive(archived, true);
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket.identify(&double, ALL).await;
    let ready = socket.event("READY").await["d"].clone();
    assert_eq!(ready["guilds"].as_array().unwrap().len(), 2);
    assert_eq!(ready["guilds"][0]["unavailable"], true);
    assert!(
        ready["resume_gateway_url"]
            .as_str()
            .unwrap()
            .starts_with(&double.gateway_url())
    );
    let guild = socket.event("GUILD_CREATE").await["d"].clone();
    assert_eq!(guild["channels"][0]["id"], channel.to_string());
    assert_eq!(guild["threads"].as_array().unwrap().len(), 1);
    assert_eq!(guild["threads"][0]["id"], thread.to_string());
    assert!(
        guild["channels"][0]["last_message_id"]
            .as_str()
            .unwrap()
            .parse::<u64>()
            .unwrap()
            > asked
    );
    let many = socket.event("GUILD_CREATE").await["d"].clone();
    assert_eq!((&many["id"], &many["large"]), (&json!(large.to_string()), &json!(true)));
    assert_eq!(
        (&many["member_count"], many["members"].as_array().unwrap().len()),
        (&json!(200_000), 1)
    );
}

#[tokio::test]
async fn events_are_numbered_and_in_order() {
    let (double, ann, channel) = scene().await;
    let (mut socket, _) = session(&double, ALL).await;
    let one = double.say(ann, channel, "one");
    assert!(double.change(one, "two"));
    double.react(ann, one, "👀");
    post(&double, channel, quiet("mine")).await;
    assert!(double.delete(one));
    let names = [
        "MESSAGE_CREATE",
        "MESSAGE_UPDATE",
        "MESSAGE_REACTION_ADD",
        "MESSAGE_CREATE",
        "MESSAGE_DELETE",
    ];
    for (name, seq) in names.into_iter().zip(3..) {
        let event = socket.event(name).await;
        assert_eq!((&event["s"], &event["op"]), (&json!(seq), &json!(0)));
        assert_eq!(event["d"]["channel_id"], channel.to_string());
    }
}

#[tokio::test]
async fn messages_are_told_twice_and_events_kept_back() {
    let double = with(Settings {
        twice_percent: 50,
        ..Settings::default()
    })
    .await;
    let (ann, channel) = (double.person("Ann"), double.channel(double.guild("Friends"), "general"));
    let (mut socket, _) = session(&double, ALL).await;
    double.hold_events(true);
    let ids = ["one", "two"].map(|text| double.say(ann, channel, text));
    socket.say(json!({"op": 1, "d": 2})).await;
    assert_eq!(
        socket.payload().await["op"],
        11,
        "events are held, heartbeats are answered"
    );
    double.hold_events(false);
    double.tell_again(ids[0]);
    for expected in ["one", "two", "two", "one"] {
        assert_eq!(socket.event("MESSAGE_CREATE").await["d"]["content"], expected);
    }
    assert_eq!(double.counts().told_twice, 2);
}

#[tokio::test]
async fn seventy_five_guilds_come_at_once() {
    let double = start().await;
    for n in 0..75 {
        let _ = double.channel(double.guild(&format!("guild {n}")), "general");
    }
    let (_socket, _) = session(&double, ALL).await;
    assert_eq!(double.sessions()[0].seq, 76);
}

#[tokio::test]
async fn payloads_are_checked() {
    let (double, _, _) = scene().await;
    let cases = [
        ("nonsense".to_owned(), 4002),
        (json!({"op": 77}).to_string(), 4001),
        (json!({"op": 3, "d": {}}).to_string(), 4003),
        (json!({"op": 1, "d": "x".repeat(4096)}).to_string(), 4002),
        (identify_with(&identify(&double, ALL), "token", &json!("wrong")), 4004),
        (identify_with(&identify(&double, ALL), "shard", &json!([2, 2])), 4010),
    ];
    for (text, code) in cases {
        let mut socket = Socket::open(&double.gateway_url()).await;
        socket.text(&text).await;
        assert_eq!(socket.closed().await, Some(code), "{text}");
    }
    let (mut socket, _) = session(&double, ALL).await;
    socket.identify(&double, ALL).await;
    assert_eq!(socket.closed().await, Some(4005));
    let mut socket = Socket::open(&double.gateway_url()).await;
    for _ in 0..121 {
        socket.say(json!({"op": 1, "d": null})).await;
    }
    assert_eq!(socket.closed().await, Some(4008));
    let mut socket = Socket::bare(&format!("{}/?v=9", double.gateway_url())).await;
    assert_eq!(socket.closed().await, Some(4012));
}

fn identify_with(payload: &Value, field: &str, value: &Value) -> String {
    let mut payload = payload.clone();
    payload["d"][field] = value.clone();
    payload.to_string()
}

#[tokio::test]
async fn shards_have_their_guilds() {
    let double = with(Settings {
        identify_window: Duration::ZERO,
        ..Settings::default()
    })
    .await;
    let guilds: Vec<u64> = (0..9).map(|n| double.guild(&format!("guild {n}"))).collect();
    let ann = double.person("Ann");
    for shard in 0..2 {
        let mut socket = Socket::open(&double.gateway_url()).await;
        socket
            .text(&identify_with(&identify(&double, ALL), "shard", &json!([shard, 2])))
            .await;
        let ready = socket.event("READY").await;
        let told: Vec<u64> = ready["d"]["guilds"].as_array().unwrap().iter().map(id).collect();
        let mine: Vec<u64> = guilds
            .iter()
            .copied()
            .filter(|guild| (guild >> 22) % 2 == shard)
            .collect();
        assert_eq!(told, mine);
        for _ in mine {
            socket.event("GUILD_CREATE").await;
        }
        double.say(ann, double.conversation(ann), "private");
        double.event("LAST", &json!({}));
        if shard == 0 {
            socket.event("MESSAGE_CREATE").await;
            socket.event("LAST").await;
        }
    }
}

#[tokio::test]
async fn events_can_be_compressed_odd_or_unknown() {
    let double = with(Settings {
        compress: true,
        ..Settings::default()
    })
    .await;
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket
        .text(&identify_with(&identify(&double, ALL), "compress", &json!(true)))
        .await;
    let Message::Binary(bytes) = socket.raw().await else {
        panic!("a compressed READY");
    };
    assert_eq!(bytes[0], 0x78, "the first byte of zlib");
    let double = start().await;
    let (mut socket, _) = session(&double, ALL).await;
    double.event("SOMETHING_NEW", &json!({"x": 1}));
    assert_eq!(socket.event("SOMETHING_NEW").await["d"]["x"], 1);
    double.order(&Order::Raw("{\"op\":0".to_owned()));
    let Message::Text(text) = socket.raw().await else {
        panic!("a text");
    };
    assert_eq!(text, "{\"op\":0");
}
