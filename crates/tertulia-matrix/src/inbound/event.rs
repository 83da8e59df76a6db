//! What every event has, before anybody asks what it says.

use super::event_id;
use crate::fields::Fields;
use crate::ids;

/// The outermost fields of an event.
#[derive(Debug, Default)]
pub(super) struct Event<'a> {
    pub(super) id: String,
    pub(super) sender: String,
    pub(super) kind: String,
    pub(super) state_key: Option<String>,
    pub(super) content: Fields<'a>,
    /// What was the membership of whom, before a state event.
    pub(super) before: Option<String>,
    /// The bot's own membership at the event, where the server tells.
    pub(super) membership: Option<String>,
    /// What a redaction takes back.
    pub(super) redacts: Option<String>,
    pub(super) is_redacted: bool,
    /// The last edit of it, where the server tells.
    pub(super) edited: Option<Fields<'a>>,
    /// True if the bot has said something in the thread that begins with it, where the server tells.
    pub(super) is_participated: bool,
    /// The sender's clock, in milliseconds since 1970.
    pub(super) at: Option<i64>,
}

impl<'a> Event<'a> {
    /// None if it has no id, no sender or no type.
    pub(super) fn read(json: &'a str) -> Option<Self> {
        let fields = Fields::read(json)?;
        let (content, unsigned) = (fields.object("content"), fields.object("unsigned"));
        // where it stands depends on the room's version
        let redacts = event_id(content.text("redacts")).or_else(|| event_id(fields.text("redacts")));
        let membership = unsigned.text("membership");
        let edit = unsigned.object("m.relations").object("m.replace");
        let new = edit.object("content").object("m.new_content");
        Some(Self {
            id: event_id(fields.text("event_id"))?,
            sender: fields.text("sender").filter(|sender| ids::is_user(sender))?,
            kind: fields.text("type")?,
            state_key: fields.text("state_key"),
            before: unsigned.object("prev_content").text("membership"),
            membership: membership.or_else(|| unsigned.text("io.element.msc4115.membership")),
            redacts,
            is_redacted: unsigned.has("redacted_because"),
            edited: (!new.is_empty()).then_some(new),
            is_participated: unsigned
                .object("m.relations")
                .object("m.thread")
                .flag("current_user_participated"),
            at: fields.number("origin_server_ts").filter(|at| *at > 0),
            content,
        })
    }
}
