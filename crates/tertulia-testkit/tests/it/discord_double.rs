//! The double of Discord: what must be refused is refused, and a correct client passes.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

mod events;
mod intents;
mod interactions;
mod official;
mod places;
mod resuming;
mod socket;
mod strict;
mod verdict;
mod weather;

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_testkit::discord_double::{DiscordDouble, Settings};

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
const AGENT: &str = "DiscordBot (https://example.org, 1)";

async fn start() -> DiscordDouble {
    with(Settings::default()).await
}

async fn with(settings: Settings) -> DiscordDouble {
    DiscordDouble::start(settings).await.unwrap()
}

/// A double with one guild, a person, and a channel.
async fn scene() -> (DiscordDouble, u64, u64) {
    let double = start().await;
    let guild = double.guild("Friends");
    let (ann, channel) = (double.person("Ann"), double.channel(guild, "general"));
    (double, ann, channel)
}

fn request(double: &DiscordDouble, method: &str, path: &str) -> reqwest::RequestBuilder {
    let url = format!("{}/api/v10{path}", double.base_url());
    let method = method.parse().unwrap();
    reqwest::Client::new()
        .request(method, url)
        .header("Authorization", format!("Bot {}", double.token()))
        .header("User-Agent", AGENT)
}

/// Calls with a JSON body; gives status and body.
async fn call(double: &DiscordDouble, method: &str, path: &str, body: Value) -> (u16, Value) {
    let response = request(double, method, path).json(&body).send().await.unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or_default())
}

/// What a call gives that must succeed.
async fn done(double: &DiscordDouble, method: &str, path: &str, body: Value) -> Value {
    let (status, answer) = call(double, method, path, body.clone()).await;
    assert!(
        (200..300).contains(&status),
        "{method} {path} {body} gave {status} {answer}"
    );
    answer
}

async fn get(double: &DiscordDouble, path: &str) -> Value {
    let response = request(double, "GET", path).send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.unwrap()
}

/// Checks that a call is refused with this status and code.
async fn refused(double: &DiscordDouble, method: &str, path: &str, body: Value, expected: (u16, u32)) {
    let (status, answer) = call(double, method, path, body.clone()).await;
    let code = answer["code"].as_u64().unwrap_or_default();
    assert_eq!(
        (status, code),
        (expected.0, u64::from(expected.1)),
        "{method} {path} {body}: {answer}"
    );
}

/// A message that pings nobody.
fn quiet(content: &str) -> Value {
    json!({"content": content, "allowed_mentions": {"parse": []}})
}

async fn post(double: &DiscordDouble, channel: u64, body: Value) -> Value {
    done(double, "POST", &format!("/channels/{channel}/messages"), body).await
}

fn id(value: &Value) -> u64 {
    value["id"].as_str().unwrap().parse().unwrap()
}
