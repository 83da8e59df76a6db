//! Updates, each read on its own: one that cannot be read does not keep back the others.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::message::{Chat, Message, User};

/// The kinds of updates that are asked for.
pub(crate) const KINDS: [&str; 4] = ["message", "edited_message", "callback_query", "my_chat_member"];

/// One update.
#[derive(Debug)]
pub(crate) struct Update {
    /// Its number, by which it is confirmed.
    pub(crate) id: i64,
    /// What it tells, or the kind of what could not be read.
    pub(crate) what: Result<Happening, Odd>,
}

/// What an update tells, as far as it is asked for.
#[derive(Debug)]
pub(crate) enum Happening {
    Message(Box<Message>),
    Edited(Box<Message>),
    Pressed(Box<Callback>),
    Member(Box<MemberChange>),
}

/// An update that says nothing to us; it is confirmed like all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Odd {
    /// Of a kind that is not asked for, or that is newer than this program.
    Unknown(String),
    /// Of a known kind, but not of its form.
    Unreadable(String),
}

impl Update {
    /// Reads an update; `None` if it has no number, and so cannot be confirmed.
    pub(crate) fn read(mut update: Value) -> Option<Self> {
        let id = update.get("update_id")?.as_i64()?;
        let fields = update.as_object_mut()?;
        // what stands beside a kind that is known must not hide it
        let what = match KINDS.into_iter().find_map(|kind| fields.remove_entry(kind)) {
            Some((kind, value)) => happening(&kind, value),
            None => Err(Odd::Unknown(unknown(fields))),
        };
        Some(Self { id, what })
    }
}

/// The name of an update's kind.
fn unknown(fields: &Map<String, Value>) -> String {
    let kind = fields.keys().find(|key| *key != "update_id");
    kind.cloned().unwrap_or_default()
}

fn happening(kind: &str, value: Value) -> Result<Happening, Odd> {
    match kind {
        "message" => typed(kind, value).map(Happening::Message),
        "edited_message" => typed(kind, value).map(Happening::Edited),
        "callback_query" => typed(kind, value).map(Happening::Pressed),
        "my_chat_member" => typed(kind, value).map(Happening::Member),
        _ => Err(Odd::Unknown(kind.to_owned())),
    }
}

fn typed<T: DeserializeOwned>(kind: &str, value: Value) -> Result<Box<T>, Odd> {
    let read = serde_json::from_value(value);
    read.map(Box::new).map_err(|_| Odd::Unreadable(kind.to_owned()))
}

/// A press of a button below a message.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Callback {
    pub(crate) id: String,
    pub(crate) from: User,
    /// The message that the button stands below; of one that is too old only chat and id.
    pub(crate) message: Option<Message>,
    pub(crate) data: Option<String>,
}

/// The bot's own standing in a chat has changed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MemberChange {
    pub(crate) chat: Chat,
    pub(crate) from: User,
    /// Seconds since 1970.
    pub(crate) date: i64,
    pub(crate) old_chat_member: Member,
    pub(crate) new_chat_member: Member,
}

/// A standing in a chat.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Member {
    status: String,
    is_member: bool,
}

impl Member {
    pub(crate) fn is_inside(&self) -> bool {
        match self.status.as_str() {
            "creator" | "administrator" | "member" => true,
            "restricted" => self.is_member,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_new_is_named_and_not_lost_from_sight() {
        let of = |update| Update::read(update).unwrap();
        let story = of(json!({"update_id": 7, "business_story": {"x": 1}}));
        assert_eq!(
            (story.id, story.what.unwrap_err()),
            (7, Odd::Unknown("business_story".into()))
        );
        let broken = of(json!({"update_id": 8, "message": {"message_id": "seven"}}));
        assert_eq!(broken.what.unwrap_err(), Odd::Unreadable("message".into()));
        assert_eq!(
            of(json!({"update_id": 9})).what.unwrap_err(),
            Odd::Unknown(String::new())
        );
        for unnumbered in [json!({"message": {}}), json!({"update_id": "7"}), json!(7), json!(null)] {
            assert!(Update::read(unnumbered).is_none());
        }
    }

    #[test]
    fn an_unknown_field_beside_a_message_hides_nothing() {
        let update = json!({"update_id": 7, "account_id": 5, "message": {"message_id": 1}, "zone": {}});
        assert!(matches!(Update::read(update).unwrap().what, Ok(Happening::Message(_))));
    }

    #[test]
    fn an_unknown_entity_leaves_the_message_whole() {
        let update = json!({"update_id": 7, "message": {"message_id": 1, "chat": {"id": 5, "type": "private"}, "text": "at nine",
            "entities": [{"type": "date_time", "offset": 3, "length": 4, "unix_time": 1, "date_time_format": "t"}],
            "brand_new_field": {"a": [1]}}});
        let Ok(Happening::Message(message)) = Update::read(update).unwrap().what else {
            panic!("no message");
        };
        assert_eq!(message.words().unwrap().0, "at nine");
        assert_eq!(message.entities.first().unwrap().kind, "date_time");
        assert!(message.rest.contains_key("brand_new_field"));
    }

    #[test]
    fn whoever_is_restricted_may_still_be_there() {
        let member = |status: &str, is_member| Member {
            status: status.to_owned(),
            is_member,
        };
        for inside in ["member", "administrator", "creator"] {
            assert!(member(inside, false).is_inside());
        }
        assert!(member("restricted", true).is_inside() && !member("restricted", false).is_inside());
        assert!(!member("left", false).is_inside() && !member("kicked", false).is_inside());
    }
}
