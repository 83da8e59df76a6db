//! What a stretch of a room's timeline comes to, event by event, in its order; pure.

use tertulia_message::{Inbound, What};

use crate::fields::Fields;
use crate::inbound::{Read, Sealed};

/// What was read of a stretch.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Stretch {
    /// For the daemon, in their order.
    pub(super) events: Vec<Inbound>,
    /// What cannot be read yet, each with the session whose key is missing.
    pub(super) sealed: Vec<(Sealed, String)>,
    /// For the interface itself: people who want to verify it.
    pub(super) verify: Vec<Inbound>,
    /// True if the bot joined the room, left it, was invited, or if the room was replaced.
    pub(super) has_changes: bool,
    /// True if the room is encrypted from now on.
    pub(super) is_encrypted: bool,
    /// True as long as the bot is outside of the room: what is said there is not said to it.
    pub(super) is_outside: bool,
}

impl Stretch {
    /// Begins where the bot is outside or not.
    pub(super) fn new(is_outside: bool) -> Self {
        Self {
            is_outside,
            ..Self::default()
        }
    }

    /// Takes the next event, and what was read of it. `is_verify` knows what those say who want to verify the bot.
    pub(super) fn take(&mut self, json: &str, read: Read, is_verify: impl Fn(&What) -> bool) {
        match read {
            Read::Joined => {
                self.is_outside = false;
                self.has_changes = true;
            }
            Read::Encrypted => self.is_encrypted = true,
            Read::Replaced => self.has_changes = true,
            Read::Skipped(skipped) => tracing::trace!(?skipped, "an event is left out"),
            Read::Event(event) if is_about_us(&event.what) => {
                self.has_changes = true;
                self.is_outside |= event.what == What::Left;
                tracing::info!(path = %event.path, by = %event.sender, "{}", told(&event.what));
            }
            // servers that know it say of each event whether the bot was there; the others leave it to us
            _ if self.is_outside && !tells_membership(json) => {}
            Read::Sealed(sealed) => self.sealed.push((sealed, session(json))),
            Read::Event(event) if is_verify(&event.what) => self.verify.push(*event),
            Read::Event(event) => self.events.push(*event),
        }
    }
}

fn is_about_us(what: &What) -> bool {
    matches!(what, What::Invited | What::Left)
}

fn told(what: &What) -> &'static str {
    match what {
        What::Invited => "the bot was invited to a room",
        _ => "the bot is no longer in a room",
    }
}

fn tells_membership(json: &str) -> bool {
    let unsigned = Fields::read(json)
        .map(|event| event.object("unsigned"))
        .unwrap_or_default();
    unsigned.has("membership") || unsigned.has("io.element.msc4115.membership")
}

fn session(json: &str) -> String {
    let content = Fields::read(json).map(|event| event.object("content"));
    content
        .and_then(|content| content.text("session_id"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use tertulia_message::{Account, Addressed, PersonId};

    use super::*;

    const TOLD: &str = r#"{"unsigned":{"membership":"join"}}"#;
    const UNTOLD: &str = r#"{"unsigned":{}}"#;

    fn event(id: &str, what: What) -> Read {
        Read::Event(Box::new(Inbound {
            account: Account {
                interface: "matrix".into(),
                identity: "@me:h".into(),
            },
            path: "matrix/!r".parse().unwrap(),
            id: id.into(),
            sender: PersonId::new("matrix", "@ada:h"),
            sender_name: String::new(),
            addressed: Addressed::Direct,
            what,
            files: Vec::new(),
            reply_to: None,
            quoted: None,
            join: None,
            token: None,
            sent_at: None,
        }))
    }

    fn said(id: &str, text: &str) -> Read {
        event(id, What::Message { text: text.into() })
    }

    fn sealed() -> Read {
        Read::Sealed(Sealed {
            id: "$s".into(),
            path: "matrix/!r".parse().unwrap(),
            sender: PersonId::new("matrix", "@ada:h"),
            is_for_us: true,
        })
    }

    #[track_caller]
    fn check(is_outside: bool, events: Vec<(&str, Read)>, expected: &[&str]) -> Stretch {
        let mut stretch = Stretch::new(is_outside);
        for (json, read) in events {
            stretch.take(
                json,
                read,
                |what| matches!(what, What::Message { text } if text == "!verify"),
            );
        }
        let ids: Vec<&str> = stretch.events.iter().map(|event| event.id.as_str()).collect();
        assert_eq!(ids, expected);
        stretch
    }

    #[test]
    fn what_was_said_is_taken_in_its_order() {
        let stretch = check(
            false,
            vec![
                (UNTOLD, said("$2", "b")),
                (TOLD, said("$1", "a")),
                (UNTOLD, said("$3", "!verify")),
                (r#"{"content":{"session_id":"k"}}"#, sealed()),
                (UNTOLD, Read::Encrypted),
            ],
            &["$2", "$1"],
        );
        assert_eq!((stretch.verify.len(), stretch.is_encrypted), (1, true));
        assert!(matches!(&stretch.sealed[..], [(sealed, key)] if sealed.id == "$s" && key == "k"));
        assert!(!stretch.has_changes);
    }

    #[test]
    fn what_was_said_before_the_joining_is_not_for_us() {
        let stretch = check(
            true,
            vec![
                (UNTOLD, said("$1", "before")),
                (UNTOLD, sealed()),
                (UNTOLD, event("$2", What::Invited)),
                (UNTOLD, Read::Joined),
                (UNTOLD, said("$3", "after")),
                (UNTOLD, event("$4", What::Left)),
                (UNTOLD, said("$5", "gone")),
            ],
            &["$3"],
        );
        assert!(stretch.sealed.is_empty() && stretch.has_changes && stretch.is_outside);
    }

    #[test]
    fn where_the_server_tells_it_is_believed() {
        let stretch = check(true, vec![(TOLD, said("$1", "there"))], &["$1"]);
        assert!(stretch.is_outside);
    }

    #[test]
    fn a_replaced_room_is_looked_after_by_others() {
        let stretch = check(false, vec![(TOLD, Read::Replaced)], &[]);
        assert!(stretch.has_changes);
    }
}
