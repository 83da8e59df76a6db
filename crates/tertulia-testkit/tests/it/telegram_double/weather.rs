//! Limits, failures, and lines that break.

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_testkit::telegram_double::{Fault, Faults, RateLimits, Settings, TelegramDouble};

use super::{call, done, start, with};

async fn send(double: &TelegramDouble, chat: i64, text: &str) -> reqwest::Result<reqwest::Response> {
    let url = format!("{}/bot{}/sendMessage", double.base_url(), double.token());
    reqwest::Client::new()
        .post(url)
        .json(&json!({"chat_id": chat, "text": text}))
        .send()
        .await
}

#[tokio::test]
async fn faults_strike_where_they_are_planned() {
    let double = start().await;
    let ann = double.person("Ann");
    double.open(ann);
    let mut faults = Faults::none();
    for (nth, fault) in [
        Fault::Internal { done: false },
        Fault::BadGateway { done: true },
        Fault::CutBefore,
        Fault::CutAfter,
        Fault::Slow(Duration::from_millis(1)),
        Fault::InvalidJson,
        Fault::Refuse(403, "Forbidden: bot was blocked by the user".to_owned()),
    ]
    .into_iter()
    .enumerate()
    {
        faults = faults.nth("sendMessage", nth as u64 + 1, fault);
    }
    double.plan(faults);
    let internal = send(&double, ann, "1").await.unwrap();
    assert_eq!(internal.status(), 500);
    assert_eq!(internal.json::<Value>().await.unwrap()["error_code"], 500);
    let gateway = send(&double, ann, "2").await.unwrap();
    assert_eq!(gateway.status(), 502);
    assert!(gateway.text().await.unwrap().starts_with("<html>"));
    send(&double, ann, "3").await.unwrap_err();
    send(&double, ann, "4").await.unwrap_err();
    assert_eq!(send(&double, ann, "5").await.unwrap().status(), 200);
    let half = send(&double, ann, "6").await.unwrap();
    assert!(half.status() == 200 && half.json::<Value>().await.is_err());
    assert_eq!(send(&double, ann, "7").await.unwrap().status(), 403);
    assert_eq!(send(&double, ann, "8").await.unwrap().status(), 200);
    assert_eq!(double.bot_shows(ann), ["2", "4", "5", "6", "8"]);
    assert_eq!(double.calls("sendMessage"), 8);
}

#[tokio::test]
async fn a_wait_has_to_be_kept() {
    let grace = Duration::ZERO;
    let double = with(Settings {
        grace,
        ..Settings::default()
    })
    .await;
    let (ann, bob) = (double.person("Ann"), double.person("Bob"));
    double.open(ann);
    double.open(bob);
    double.plan(Faults::none().next("sendMessage", Fault::Wait(600)));
    let limited = send(&double, ann, "x").await.unwrap();
    assert_eq!(
        (
            limited.status().as_u16(),
            limited.headers()["retry-after"].to_str().unwrap()
        ),
        (429, "600")
    );
    assert!(double.violations().is_empty());
    done(&double, "sendMessage", json!({"chat_id": bob, "text": "x"})).await;
    double.bot_restarted();
    assert_eq!(send(&double, ann, "x").await.unwrap().status(), 429);
    assert!(double.violations().is_empty(), "it could not know");
    assert_eq!(
        call(&double, "sendChatAction", json!({"chat_id": ann, "action": "typing"}))
            .await
            .0,
        429
    );
    assert_eq!((double.violations().len(), double.counts().early), (1, 1));
}

#[tokio::test]
async fn all_kinds_of_calls_count() {
    let every = Duration::from_mins(10);
    let rates = Some(RateLimits {
        every,
        burst: 3,
        ..RateLimits::default()
    });
    let double = with(Settings {
        rates,
        ..Settings::default()
    })
    .await;
    let ann = double.person("Ann");
    double.open(ann);
    let id = done(&double, "sendMessage", json!({"chat_id": ann, "text": "x"})).await["message_id"].clone();
    done(
        &double,
        "editMessageText",
        json!({"chat_id": ann, "message_id": id, "text": "y"}),
    )
    .await;
    done(&double, "sendChatAction", json!({"chat_id": ann, "action": "typing"})).await;
    let (status, answer) = call(
        &double,
        "sendMessageDraft",
        json!({"chat_id": ann, "draft_id": 1, "text": "z"}),
    )
    .await;
    assert_eq!(status, 429);
    assert!(answer["parameters"]["retry_after"].as_u64().unwrap() > 500);
}

#[tokio::test]
async fn a_partition_does_nothing_afterwards() {
    let double = start().await;
    let ann = double.person("Ann");
    double.open(ann);
    double.partition();
    let cut = tokio::time::timeout(Duration::from_millis(50), send(&double, ann, "x")).await;
    assert!(cut.is_err());
    double.heal();
    assert_eq!(send(&double, ann, "y").await.unwrap().status(), 200);
    assert_eq!(double.bot_shows(ann), ["y"]);
}
