//! Events of the platform in the daemon's words; pure.

use tertulia_message::path::PathError;
use tertulia_message::{Account, Addressed, Inbound, PersonId, What};

use crate::place::Place;
use crate::wire::{self, Event, Said};

/// Why an event says nothing to the daemon.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    /// An event of no known form.
    #[error("an unknown event: {0}")]
    Form(#[from] serde_json::Error),
    /// An id that makes no path.
    #[error("an id that makes no path: {0}")]
    Path(#[from] PathError),
}

/// One event, as it stands in an update.
pub(crate) fn inbound(account: &Account, event: &serde_json::Value) -> Result<Inbound, Unreadable> {
    let event = serde::Deserialize::deserialize(event)?;
    Ok(match event {
        Event::Said(said) => {
            let (id, text) = (said.message.clone(), said.text.clone());
            by_person(account, id, said, What::Message { text })?
        }
        Event::Changed { id, said } => {
            let (of, text) = (said.message.clone(), said.text.clone());
            by_person(account, id, said, What::Edit { of, text })?
        }
        Event::Redacted { id, said } => {
            let of = said.message.clone();
            by_person(account, id, said, What::Redact { of })?
        }
        Event::Moved { id, from, to } => Inbound {
            addressed: Addressed::None,
            what: What::Moved {
                to: Place::of(&to, None).path(&account.interface)?,
            },
            ..empty(account, id, &Place::of(&from, None), "platform")?
        },
    })
}

fn by_person(account: &Account, id: String, said: Said, what: What) -> Result<Inbound, PathError> {
    let place = Place::of(&said.chat, said.thread.as_deref());
    Ok(Inbound {
        addressed: addressed(said.addressed),
        what,
        reply_to: said.reply_to,
        quoted: None,
        ..empty(account, id, &place, &said.person)?
    })
}

fn empty(account: &Account, id: String, place: &Place, person: &str) -> Result<Inbound, PathError> {
    Ok(Inbound {
        account: account.clone(),
        path: place.path(&account.interface)?,
        id,
        sender: PersonId::new(&account.interface, person),
        sender_name: person.to_owned(),
        addressed: Addressed::None,
        what: What::Message { text: String::new() },
        files: Vec::new(),
        reply_to: None,
        quoted: None,
        join: None,
        token: None,
        sent_at: None,
    })
}

fn addressed(addressed: wire::Addressed) -> Addressed {
    match addressed {
        wire::Addressed::Direct => Addressed::Direct,
        wire::Addressed::Mention => Addressed::Mention,
        wire::Addressed::Reply => Addressed::Reply,
        wire::Addressed::Command => Addressed::Command,
        wire::Addressed::None => Addressed::None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn account() -> Account {
        Account {
            interface: "loopback".into(),
            identity: "bot-1".into(),
        }
    }

    #[test]
    fn a_message_keeps_its_place_and_its_people() {
        let event = json!({"kind": "said", "message": "7", "chat": "a", "thread": "t", "person": "p", "text": "hi",
            "addressed": "mention", "reply_to": "3"});
        let inbound = inbound(&account(), &event).unwrap();
        assert_eq!(inbound.path.as_str(), "loopback/a/t");
        assert_eq!(inbound.sender.to_string(), "loopback/p");
        assert_eq!(inbound.what, What::Message { text: "hi".into() });
        assert_eq!((inbound.id.as_str(), inbound.reply_to.as_deref()), ("7", Some("3")));
        assert_eq!(inbound.addressed, Addressed::Mention);
    }

    #[test]
    fn changes_and_moves_have_ids_of_their_own() {
        let said = json!({"message": "7", "chat": "a", "person": "p", "text": "hi", "addressed": "direct"});
        let changed = inbound(&account(), &json!({"kind": "changed", "id": "event-1", "said": said})).unwrap();
        assert_eq!((changed.id.as_str(), changed.path.as_str()), ("event-1", "loopback/a"));
        let moved = inbound(
            &account(),
            &json!({"kind": "moved", "id": "event-2", "from": "a", "to": "b"}),
        )
        .unwrap();
        let to = "loopback/b".parse().unwrap();
        assert_eq!(moved.what, What::Moved { to });
    }

    #[test]
    fn odd_events_are_errors() {
        let blank = json!({"kind": "moved", "id": "e", "from": " ", "to": "b"});
        for odd in [json!({"kind": "danced"}), json!(7), blank] {
            assert!(inbound(&account(), &odd).is_err(), "{odd}");
        }
    }
}
