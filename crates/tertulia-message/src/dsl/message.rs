//! A message of the DSL and its wire form.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::Kind;

/// The properties of a message, sorted by key.
pub type Props = Map<String, Value>;

/// One message, whole or a delta of one.
///
/// On the wire every field is left out while it is zero, false or empty, except `type`, and
/// `metadata` where it is there at all. Unknown fields are ignored; `null` reads as left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Wire")]
#[expect(clippy::struct_excessive_bools, reason = "the wire format has these fields")]
pub struct Message {
    /// A built-in type (see [`Message::builtin`]) or a custom one.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the type defines.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub props: Props,
    /// Unique within a conversation; empty for a message that stands alone. Read as `message_id` too.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Changes the message of the same id instead of replacing it.
    #[serde(skip_serializing_if = "is_false")]
    pub delta: bool,
    /// No further delta of this id follows.
    #[serde(skip_serializing_if = "is_false")]
    pub done: bool,
    /// Where in `props` a delta goes, such as `items.0.title`; empty for all of them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub delta_path: String,
    /// What a delta does; [`DeltaAction::Append`] if it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_action: Option<DeltaAction>,
    /// Replaces the type and the props of the message of the same id.
    #[serde(skip_serializing_if = "is_false")]
    pub type_change: bool,
    /// The group that the message belongs to, or none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group_id: String,
    /// A marker: the group begins here.
    #[serde(skip_serializing_if = "is_false")]
    pub group_start: bool,
    /// A marker: the group ends here.
    #[serde(skip_serializing_if = "is_false")]
    pub group_end: bool,
    /// When and in which order the message was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}

/// When and in which order a message was made. The session sets it, nobody else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// Unix time in nanoseconds.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_zero")]
    pub timestamp: i64,
    /// The place in the stream.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_zero")]
    pub sequence: u64,
    /// The turn that the message came from.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub trace_id: String,
}

/// What a delta does to the message it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeltaAction {
    /// Adds to strings and arrays, sets what is missing.
    Append,
    /// Puts the new value in the place of the old one.
    Replace,
    /// Adds the keys of an object, over those of the same name.
    Merge,
    /// Sets what is missing and touches nothing else.
    Set,
    /// An action that merging refuses.
    Unknown(String),
}

impl Message {
    /// The built-in type, unless it is a custom one.
    #[must_use]
    pub fn builtin(&self) -> Option<Kind> {
        Kind::named(&self.kind)
    }
}

impl DeltaAction {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Append => "append",
            Self::Replace => "replace",
            Self::Merge => "merge",
            Self::Set => "set",
            Self::Unknown(name) => name,
        }
    }

    /// The action of this name; none for an empty one.
    fn named(name: String) -> Option<Self> {
        Some(match name.as_str() {
            "" => return None,
            "append" => Self::Append,
            "replace" => Self::Replace,
            "merge" => Self::Merge,
            "set" => Self::Set,
            _ => Self::Unknown(name),
        })
    }
}

impl Serialize for DeltaAction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A message as it is read: lenient where the written form is strict.
#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the wire format has these fields")]
struct Wire {
    #[serde(rename = "type", default, deserialize_with = "or_default")]
    kind: String,
    #[serde(default, deserialize_with = "or_default")]
    props: Props,
    #[serde(default, deserialize_with = "or_default")]
    id: String,
    #[serde(default, deserialize_with = "or_default")]
    message_id: String,
    #[serde(default, deserialize_with = "or_default")]
    delta: bool,
    #[serde(default, deserialize_with = "or_default")]
    done: bool,
    #[serde(default, deserialize_with = "or_default")]
    delta_path: String,
    #[serde(default, deserialize_with = "or_default")]
    delta_action: String,
    #[serde(default, deserialize_with = "or_default")]
    type_change: bool,
    #[serde(default, deserialize_with = "or_default")]
    group_id: String,
    #[serde(default, deserialize_with = "or_default")]
    group_start: bool,
    #[serde(default, deserialize_with = "or_default")]
    group_end: bool,
    metadata: Option<Metadata>,
}

impl From<Wire> for Message {
    fn from(wire: Wire) -> Self {
        Self {
            kind: wire.kind,
            props: wire.props,
            id: if wire.id.is_empty() { wire.message_id } else { wire.id },
            delta: wire.delta,
            done: wire.done,
            delta_path: wire.delta_path,
            delta_action: DeltaAction::named(wire.delta_action),
            type_change: wire.type_change,
            group_id: wire.group_id,
            group_start: wire.group_start,
            group_end: wire.group_end,
            metadata: wire.metadata,
        }
    }
}

fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}
