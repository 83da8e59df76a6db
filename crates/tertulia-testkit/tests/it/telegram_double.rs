//! The double of Telegram: what must be refused is refused, and a correct client passes.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

mod files;
mod official;
mod places;
mod strict;
mod updates;
mod verdict;
mod weather;

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_testkit::telegram_double::{Settings, TelegramDouble};

const PATIENCE: Duration = Duration::from_secs(20);

async fn start() -> TelegramDouble {
    with(Settings::default()).await
}

async fn with(settings: Settings) -> TelegramDouble {
    TelegramDouble::start(settings).await.unwrap()
}

/// Calls a method with a JSON body; gives status and body.
async fn call(double: &TelegramDouble, method: &str, body: Value) -> (u16, Value) {
    let url = format!("{}/bot{}/{method}", double.base_url(), double.token());
    let response = reqwest::Client::new().post(url).json(&body).send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

/// What a call gives that must succeed.
async fn done(double: &TelegramDouble, method: &str, body: Value) -> Value {
    let (status, answer) = call(double, method, body.clone()).await;
    assert_eq!(status, 200, "{method} {body} gave {answer}");
    assert_eq!(answer["ok"], true);
    answer["result"].clone()
}

/// Checks that a call is refused in these words.
async fn refused(double: &TelegramDouble, method: &str, body: Value, words: &str) {
    let (status, answer) = call(double, method, body.clone()).await;
    assert_ne!(status, 200, "{method} {body} was done");
    assert_eq!(answer["error_code"], status);
    assert_eq!(answer["description"], words, "{method} {body}");
}

fn bold(offset: usize, length: usize) -> Value {
    json!({"type": "bold", "offset": offset, "length": length})
}
