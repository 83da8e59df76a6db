//! The words in which the server refuses.

use serde_json::{Value, json};

/// An answer other than success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: u16,
    pub(super) description: String,
    pub(super) retry_after: Option<u64>,
    pub(super) migrate_to: Option<i64>,
}

impl Refusal {
    pub(super) fn of(code: u16, description: impl Into<String>) -> Self {
        Self {
            code,
            description: description.into(),
            retry_after: None,
            migrate_to: None,
        }
    }

    /// A 400; its words begin with `Bad Request: `.
    pub(super) fn bad(what: impl AsRef<str>) -> Self {
        Self::of(400, format!("Bad Request: {}", what.as_ref()))
    }

    /// A 403; its words begin with `Forbidden: `.
    pub(super) fn forbidden(what: impl AsRef<str>) -> Self {
        Self::of(403, format!("Forbidden: {}", what.as_ref()))
    }

    pub(super) fn wait(seconds: u64) -> Self {
        Self {
            retry_after: Some(seconds),
            ..Self::of(429, format!("Too Many Requests: retry after {seconds}"))
        }
    }

    pub(super) fn moved(to: i64) -> Self {
        Self {
            migrate_to: Some(to),
            ..Self::bad("group chat was upgraded to a supergroup chat")
        }
    }

    pub(super) fn body(&self) -> Value {
        let mut body = json!({"ok": false, "error_code": self.code, "description": self.description});
        if let Some(seconds) = self.retry_after {
            insert(&mut body, "parameters", json!({"retry_after": seconds}));
        }
        if let Some(chat) = self.migrate_to {
            insert(&mut body, "parameters", json!({"migrate_to_chat_id": chat}));
        }
        body
    }
}

/// Puts a field into an object.
pub(super) fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}
