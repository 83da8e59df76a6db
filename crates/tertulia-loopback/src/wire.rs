//! Bodies of the platform's HTTP interface.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `GET /bot/me`
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Me {
    pub(crate) identity: String,
    pub(crate) keyed: bool,
    pub(crate) findable: bool,
    pub(crate) limit: usize,
}

/// `GET /bot/updates`
#[derive(Debug, Deserialize)]
pub(crate) struct Updates {
    pub(crate) updates: Vec<Update>,
}

/// One update. The event is read apart, so that an odd one does not hold up the others.
#[derive(Debug, Deserialize)]
pub(crate) struct Update {
    pub(crate) id: u64,
    pub(crate) event: Value,
}

/// One event.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Event {
    Said(Said),
    Changed { id: String, said: Said },
    Redacted { id: String, said: Said },
    Moved { id: String, from: String, to: String },
}

/// What a person said.
#[derive(Debug, Deserialize)]
pub(crate) struct Said {
    pub(crate) message: String,
    pub(crate) chat: String,
    pub(crate) thread: Option<String>,
    pub(crate) person: String,
    pub(crate) text: String,
    pub(crate) addressed: Addressed,
    pub(crate) reply_to: Option<String>,
}

/// How the bot was addressed.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Addressed {
    Direct,
    Mention,
    Reply,
    Command,
    None,
}

/// `POST /bot/post`, `/bot/edit`, `/bot/delete`, `/bot/find`, `/bot/typing`: each reads what it needs.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Act<'a> {
    pub(crate) chat: &'a str,
    pub(crate) thread: Option<&'a str>,
    pub(crate) message: Option<&'a str>,
    pub(crate) text: Option<&'a str>,
    pub(crate) formatted: bool,
    pub(crate) key: Option<&'a str>,
    pub(crate) in_reply_to: Option<&'a str>,
}

/// The answer to `/bot/post`.
#[derive(Debug, Deserialize)]
pub(crate) struct Posted {
    pub(crate) id: String,
}

/// The answer to `/bot/find`.
#[derive(Debug, Deserialize)]
pub(crate) struct FoundPost {
    pub(crate) found: Option<String>,
}

/// The answer to what needs none.
#[derive(Debug, Deserialize)]
pub(crate) struct Done {}

/// The body of a 429.
#[derive(Debug, Deserialize)]
pub(crate) struct Limited {
    pub(crate) after_ms: u64,
    pub(crate) scope: Scope,
}

/// Whom a limit holds for.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    Path,
    Account,
}

/// The body of any other refusal.
#[derive(Debug, Deserialize)]
pub(crate) struct Refusal {
    pub(crate) error: String,
    pub(crate) to: Option<String>,
}
