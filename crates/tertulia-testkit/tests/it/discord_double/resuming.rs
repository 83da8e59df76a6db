//! Sessions that go on, and those that do not.

use std::time::Duration;

use serde_json::json;
use tertulia_testkit::discord_double::{Order, Settings};

use super::socket::{ALL, Heard, Socket, session};
use super::{get, scene, start, with};

#[tokio::test]
async fn a_session_goes_on_where_it_stopped() {
    let (double, ann, channel) = scene().await;
    let (mut socket, id) = session(&double, ALL).await;
    double.say(ann, channel, "one");
    socket.event("MESSAGE_CREATE").await;
    double.order(&Order::Drop);
    assert_eq!(socket.closed().await, None);
    double.say(ann, channel, "two");
    double.say(ann, channel, "three");
    let mut socket = Socket::open(&format!("{}/resume", double.gateway_url())).await;
    socket.resume(&double, &id, 3).await;
    for (expected, seq) in ["two", "three"].into_iter().zip(4..) {
        let event = socket.event("MESSAGE_CREATE").await;
        assert_eq!((&event["d"]["content"], &event["s"]), (&json!(expected), &json!(seq)));
    }
    socket.event("RESUMED").await;
    double.say(ann, channel, "four");
    assert_eq!(socket.event("MESSAGE_CREATE").await["d"]["content"], "four");
    let counts = double.counts();
    assert_eq!((counts.identifies, counts.resumes, counts.resumes_elsewhere), (1, 1, 0));
}

#[tokio::test]
async fn what_cannot_be_replayed_is_not_resumed() {
    let settings = Settings {
        replay: 3,
        ..Settings::default()
    };
    let double = with(settings).await;
    let (ann, channel) = (double.person("Ann"), double.channel(double.guild("Friends"), "general"));
    let (socket, id) = session(&double, ALL).await;
    drop(socket);
    gone(&double).await;
    for n in 0..5 {
        double.say(ann, channel, &n.to_string());
    }
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket.resume(&double, &id, 2).await;
    let invalid = socket.payload().await;
    assert_eq!((&invalid["op"], &invalid["d"]), (&json!(9), &json!(false)));
    assert_eq!(double.counts().failed_resumes, 1);
}

/// Waits until the double has seen that the connection is gone.
async fn gone(double: &tertulia_testkit::discord_double::DiscordDouble) {
    while double.is_connected() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn sessions_end_as_the_rules_say() {
    let (double, _, _) = scene().await;
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket.resume(&double, "unknown", 1).await;
    assert_eq!(socket.payload().await["d"], false);
    let (mut socket, id) = session(&double, ALL).await;
    socket.bye(1000).await;
    gone(&double).await;
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket.resume(&double, &id, 1).await;
    assert_eq!(socket.payload().await["d"], false);
}

#[tokio::test]
async fn a_number_that_was_never_given_is_4007() {
    let double = start().await;
    let (mut socket, id) = session(&double, ALL).await;
    socket.bye(4000).await;
    gone(&double).await;
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket.resume(&double, &id, 99).await;
    assert_eq!(socket.closed().await, Some(4007));
    assert_eq!(double.sessions(), []);
}

#[tokio::test]
async fn orders_are_obeyed() {
    for code in [
        4000, 4001, 4002, 4003, 4004, 4005, 4007, 4008, 4009, 4010, 4011, 4012, 4013, 4014, 1000, 1001,
    ] {
        let double = start().await;
        let (mut socket, _) = session(&double, ALL).await;
        double.order(&Order::Close(code));
        assert_eq!(socket.closed().await, Some(code));
        let is_over = matches!(code, 4004 | 4007 | 4009..=4014);
        assert_eq!(double.sessions().is_empty(), is_over, "{code}");
    }
    let double = start().await;
    let (mut socket, _) = session(&double, ALL).await;
    double.order(&Order::Reconnect);
    assert_eq!(socket.payload().await["op"], 7);
    double.order(&Order::AskHeartbeat);
    assert_eq!(socket.payload().await["op"], 1);
    double.order(&Order::InvalidSession { resumable: true });
    let invalid = socket.payload().await;
    assert_eq!(
        (&invalid["op"], &invalid["d"], double.sessions().len()),
        (&json!(9), &json!(true), 1)
    );
    double.order(&Order::InvalidSession { resumable: false });
    assert_eq!(socket.payload().await["d"], false);
    assert_eq!(double.sessions(), []);
    let mut socket = Socket::open(&double.gateway_url()).await;
    double.order(&Order::CloseWithoutCode);
    assert!(matches!(socket.hear().await, Heard::Closed(None)));
}

#[tokio::test]
async fn orders_wait_for_their_occasion() {
    let double = start().await;
    double.at_connect(Order::Close(4000));
    let mut socket = Socket::open(&double.gateway_url()).await;
    assert_eq!(socket.closed().await, Some(4000));
    double.at_identify(Order::InvalidSession { resumable: false });
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket.identify(&double, ALL).await;
    assert_eq!(socket.payload().await["op"], 9);
    socket.identify(&double, ALL).await;
    let ready = socket.event("READY").await;
    double.at_resume(Order::Close(4009));
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket
        .resume(&double, ready["d"]["session_id"].as_str().unwrap(), 1)
        .await;
    assert_eq!(socket.closed().await, Some(4009));
}

#[tokio::test]
async fn whoever_sends_no_heartbeats_is_ended() {
    let settings = Settings {
        heartbeat: Duration::from_millis(100),
        heartbeat_grace: Duration::from_millis(100),
        ..Settings::default()
    };
    let double = with(settings).await;
    let (mut socket, _) = session(&double, ALL).await;
    double.ignore_heartbeats(true);
    socket.say(json!({"op": 1, "d": 1})).await;
    assert_eq!(socket.closed().await, Some(4009), "and no ACK came before");
    assert_eq!(double.sessions(), []);
    assert_eq!(double.counts().ignored_heartbeats, 1);
}

#[tokio::test]
async fn sessions_are_counted() {
    let settings = Settings {
        session_starts_left: 2,
        max_concurrency: 1,
        ..Settings::default()
    };
    let double = with(settings).await;
    let limit = |gateway: serde_json::Value| gateway["session_start_limit"]["remaining"].clone();
    assert_eq!(limit(get(&double, "/gateway/bot").await), 2);
    let (_first, _) = session(&double, ALL).await;
    let mut second = Socket::open(&double.gateway_url()).await;
    second.identify(&double, ALL).await;
    assert_eq!(second.payload().await["op"], 9, "two within five seconds");
    assert_eq!(limit(get(&double, "/gateway/bot").await), 0);
    assert!(double.violations().is_empty());
    second.identify(&double, ALL).await;
    assert_eq!(second.payload().await["op"], 9);
    assert_eq!(double.violations().len(), 1, "the token is reset");
    second.identify(&double, ALL).await;
    assert_eq!(second.closed().await, Some(4004));
}

#[tokio::test]
async fn a_frozen_connection_says_nothing() {
    let (double, ann, channel) = scene().await;
    let (mut socket, id) = session(&double, ALL).await;
    double.order(&Order::Freeze);
    // the order is obeyed before what comes after it is told
    tokio::time::sleep(Duration::from_millis(50)).await;
    double.say(ann, channel, "hi");
    socket.say(json!({"op": 1, "d": 1})).await;
    let mut other = Socket::open(&double.gateway_url()).await;
    other.resume(&double, &id, 2).await;
    assert_eq!(other.event("MESSAGE_CREATE").await["d"]["content"], "hi");
    other.event("RESUMED").await;
    assert_eq!(double.counts().heartbeats, 0);
}
