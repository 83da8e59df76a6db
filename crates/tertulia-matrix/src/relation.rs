//! How what goes out relates to what is there: threads, replies, new contents.

use serde_json::{Value, json};

use crate::ids;
use crate::place::Place;

/// The relation of a new message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It stands in a thread.
    Thread {
        /// The event that the thread began with.
        root: String,
        /// The message that it stands behind for clients that know no threads.
        behind: String,
    },
    /// It is a reply in the room itself.
    Reply {
        /// The message it replies to.
        to: String,
    },
    /// None.
    Alone,
}

impl Relation {
    /// The relation of an answer at a place: `re` is the message that is answered, `quote` whether that is shown.
    ///
    /// In a thread it always has one, or the answer would stand in the room; whom it answers is clear there. An id that is none is left out: the server would
    /// refuse the whole message.
    #[must_use]
    pub(crate) fn of_answer(place: &Place, re: Option<&str>, quote: bool) -> Self {
        let re = re.filter(|id| ids::is_event(id));
        match (place.thread(), re) {
            (Some(root), re) => Self::Thread {
                root: root.to_owned(),
                behind: re.unwrap_or(root).to_owned(),
            },
            (None, Some(re)) if quote => Self::Reply { to: re.to_owned() },
            (None, _) => Self::Alone,
        }
    }

    /// What stands in the content as `m.relates_to`.
    #[must_use]
    pub(crate) fn json(&self) -> Option<Value> {
        match self {
            Self::Thread { root, behind } => Some(json!({
                "rel_type": "m.thread",
                "event_id": root,
                "is_falling_back": true,
                "m.in_reply_to": { "event_id": behind },
            })),
            Self::Reply { to } => Some(json!({ "m.in_reply_to": { "event_id": to } })),
            Self::Alone => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(thread: Option<&str>, re: Option<&str>, quote: bool, expected: &Value) {
        let place = Place::new("!r:h", thread.map(str::to_owned)).unwrap();
        let relation = Relation::of_answer(&place, re, quote);
        assert_eq!(&relation.json().unwrap_or_default(), expected, "{relation:?}");
    }

    #[test]
    fn answers_stand_where_they_belong() {
        let thread = |behind: &str| {
            json!({"rel_type": "m.thread", "event_id": "$root", "is_falling_back": true,
                "m.in_reply_to": {"event_id": behind}})
        };
        check(None, None, true, &Value::Null);
        check(None, Some("$e"), false, &Value::Null);
        check(None, Some("$e"), true, &json!({"m.in_reply_to": {"event_id": "$e"}}));
        check(None, Some("no id"), true, &Value::Null);
        check(Some("$root"), None, true, &thread("$root"));
        check(Some("$root"), Some("$e"), false, &thread("$e"));
        check(Some("$root"), Some("$e"), true, &thread("$e"));
        check(Some("$root"), Some("press/7"), true, &thread("$root"));
    }
}
