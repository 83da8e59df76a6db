//! How an event relates to others: as its sender says, which is to be believed no more than that.

use super::event_id;
use crate::fields::Fields;

/// The relations of an event; ids that cannot be ones are left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Relation {
    /// The root of the thread it stands in.
    pub(super) thread: Option<String>,
    /// What it is a new content of.
    pub(super) replaces: Option<String>,
    /// What it is a reply to for people.
    pub(super) answers: Option<String>,
    /// What it is a reply to for clients: in threads the last message, for those that know no threads.
    pub(super) replies_to: Option<String>,
    /// What it is a sign at, and the sign.
    pub(super) annotates: Option<(String, String)>,
}

impl Relation {
    pub(super) fn of(content: &Fields<'_>) -> Self {
        let fields = content.object("m.relates_to");
        let target = event_id(fields.text("event_id"));
        let kind = fields.text("rel_type").unwrap_or_default();
        let replies_to = event_id(fields.object("m.in_reply_to").text("event_id"));
        let of_kind = |name: &str| target.clone().filter(|_| kind == name);
        let thread = of_kind("m.thread").or_else(|| of_kind("io.element.thread"));
        let is_fallback = thread.is_some() && is_falling_back(&fields);
        Self {
            replaces: of_kind("m.replace"),
            answers: replies_to.clone().filter(|_| !is_fallback),
            replies_to,
            annotates: of_kind("m.annotation").zip(fields.text("key")),
            thread,
        }
    }
}

fn is_falling_back(fields: &Fields<'_>) -> bool {
    fields.flag("is_falling_back") || fields.flag("io.element.show_reply")
}
