//! The words in which the server refuses.

use serde_json::{Value, json};

/// Whom a 429 is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The bot, in one bucket.
    User,
    /// The bot, everywhere.
    Global,
    /// Everybody, at one resource; it does not count as an invalid request.
    Shared,
}

impl Scope {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Global => "global",
            Self::Shared => "shared",
        }
    }
}

/// An answer other than success.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) code: u32,
    pub(super) message: String,
    pub(super) errors: Option<Value>,
    /// How long to wait, in seconds, and whom it is about.
    pub(super) wait: Option<(f64, Scope)>,
}

impl Refusal {
    pub(super) fn of(status: u16, code: u32, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            errors: None,
            wait: None,
        }
    }

    pub(super) fn unauthorized() -> Self {
        Self::of(401, 0, "401: Unauthorized")
    }

    pub(super) fn no_route() -> Self {
        Self::of(404, 0, "404: Not Found")
    }

    pub(super) fn unknown_channel() -> Self {
        Self::of(404, 10003, "Unknown Channel")
    }

    pub(super) fn unknown_message() -> Self {
        Self::of(404, 10008, "Unknown Message")
    }

    pub(super) fn missing_access() -> Self {
        Self::of(403, 50001, "Missing Access")
    }

    pub(super) fn missing_permissions() -> Self {
        Self::of(403, 50013, "Missing Permissions")
    }

    /// A form of which one field is wrong.
    pub(super) fn form(field: &str, code: &str, words: impl Into<String>) -> Self {
        let mut errors = json!({"_errors": [{"code": code, "message": words.into()}]});
        for name in field.rsplit('.') {
            errors = json!({name: errors});
        }
        Self {
            errors: Some(errors),
            ..Self::of(400, 50035, "Invalid Form Body")
        }
    }

    pub(super) fn too_long(field: &str, most: usize) -> Self {
        let words = format!("Must be {most} or fewer in length.");
        Self::form(field, "BASE_TYPE_MAX_LENGTH", words)
    }

    pub(super) fn wait(seconds: f64, scope: Scope) -> Self {
        Self {
            wait: Some((seconds, scope)),
            ..Self::of(429, 0, "You are being rate limited.")
        }
    }

    /// True if it counts towards the ban of an address.
    pub(super) fn is_invalid_request(&self) -> bool {
        let is_shared = self.wait.is_some_and(|(_, scope)| scope == Scope::Shared);
        matches!(self.status, 401 | 403 | 429) && !is_shared
    }

    pub(super) fn body(&self) -> Value {
        let mut body = json!({"message": self.message, "code": self.code});
        if let Some(errors) = &self.errors {
            insert(&mut body, "errors", errors.clone());
        }
        if let Some((seconds, scope)) = self.wait {
            insert(&mut body, "retry_after", json!(seconds));
            insert(&mut body, "global", json!(scope == Scope::Global));
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

/// Puts all fields of an object into another.
pub(super) fn merge(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}
