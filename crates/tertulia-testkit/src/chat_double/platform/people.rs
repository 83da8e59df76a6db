//! What people do.

use std::time::Duration;

use tertulia_message::Addressed;

use super::{Access, Message, Platform};
use crate::chat_double::calls::Spot;
use crate::chat_double::people::{Event, Said};
use crate::chat_double::record::{Record, RecordAct};

impl Platform {
    pub(in crate::chat_double) fn say(&mut self, at: Duration, mut said: Said) -> u64 {
        said.spot.chat = self.present_address(&said.spot.chat);
        self.open_chat(&said.spot.chat);
        let id = self.insert(Message {
            spot: said.spot.clone(),
            text: said.text.clone(),
            said: Some(said.clone()),
            buttons: Vec::new(),
            key: None,
            in_reply_to: said.reply_to.as_deref().and_then(|id| id.parse().ok()),
            deleted: false,
        });
        let act = RecordAct::Said {
            person: said.person.clone(),
            addressed: said.addressed,
        };
        self.record(at, id, act, None);
        self.queue.push(Event::Said {
            message: id.to_string(),
            said,
        });
        id
    }

    pub(in crate::chat_double) fn change(&mut self, at: Duration, message: &str, text: &str) -> bool {
        let Some((id, said)) = self.said_by_person(message, |message| text.clone_into(&mut message.text)) else {
            return false;
        };
        self.record(at, id, RecordAct::Changed, None);
        let event = Event::Changed {
            id: self.event_id(),
            message: id.to_string(),
            said: Said {
                text: text.to_owned(),
                ..said
            },
        };
        self.queue.push(event);
        true
    }

    pub(in crate::chat_double) fn redact(&mut self, at: Duration, message: &str) -> bool {
        let Some((id, said)) = self.said_by_person(message, |message| message.deleted = true) else {
            return false;
        };
        self.record(at, id, RecordAct::Redacted, None);
        let event = Event::Redacted {
            id: self.event_id(),
            message: id.to_string(),
            said,
        };
        self.queue.push(event);
        true
    }

    /// A press stands in the record as something that is said to the bot, and is seen by nobody.
    pub(in crate::chat_double) fn press(&mut self, at: Duration, spot: &Spot, person: &str, token: &str) -> u64 {
        let mut spot = spot.clone();
        spot.chat = self.present_address(&spot.chat);
        let said = Said::at(spot.clone(), person, token, Addressed::Command);
        let id = self.insert(Message {
            spot,
            text: token.to_owned(),
            said: Some(said.clone()),
            buttons: Vec::new(),
            key: None,
            in_reply_to: None,
            deleted: true,
        });
        let act = RecordAct::Said {
            person: person.to_owned(),
            addressed: Addressed::Command,
        };
        self.record(at, id, act, None);
        let id_text = id.to_string();
        self.queue.push(Event::Pressed { id: id_text, said });
        id
    }

    /// A person deletes a message of the bot; nobody can demand what it said.
    pub(in crate::chat_double) fn take_away(&mut self, at: Duration, id: u64) -> bool {
        let taken = self
            .messages
            .get_mut(&id)
            .filter(|message| message.said.is_none() && !message.deleted);
        let Some(message) = taken else { return false };
        message.deleted = true;
        let asked = message.in_reply_to;
        self.excused.extend(asked);
        self.record(at, id, RecordAct::Deleted, None);
        true
    }

    /// Changes a person's message that is still there.
    fn said_by_person(&mut self, message: &str, change: impl FnOnce(&mut Message)) -> Option<(u64, Said)> {
        let id = message.parse().ok()?;
        let message = self.messages.get_mut(&id).filter(|message| !message.deleted)?;
        let mut said = message.said.clone()?;
        said.spot = message.spot.clone();
        change(message);
        Some((id, said))
    }

    pub(in crate::chat_double) fn open_chat(&mut self, chat: &str) {
        self.chats.insert(chat.to_owned(), Access::Open);
    }

    /// Gives a chat with all its threads and messages a new address.
    pub(in crate::chat_double) fn move_chat(&mut self, at: Duration, from: &str, to: &str, announced: bool) {
        self.chats.insert(from.to_owned(), Access::Moved(to.to_owned()));
        self.open_chat(to);
        if self.rules.ids_die {
            let own = self.messages.iter().filter(|(_, message)| message.spot.chat == from);
            let own: Vec<u64> = own.map(|(id, _)| *id).collect();
            for id in own {
                self.take_away(at, id);
            }
        }
        for message in self.messages.values_mut().filter(|message| message.spot.chat == from) {
            to.clone_into(&mut message.spot.chat);
        }
        self.log.push(Record {
            n: self.log.len() as u64 + 1,
            at,
            spot: Spot::chat(from),
            message: 0,
            act: RecordAct::Moved { to: to.to_owned() },
            text: String::new(),
            key: None,
            in_reply_to: None,
        });
        if announced {
            let event = Event::Moved {
                id: self.event_id(),
                from: from.to_owned(),
                to: to.to_owned(),
            };
            self.queue.push(event);
        }
    }

    /// Where people find a chat that may have moved, also more than once.
    fn present_address(&self, chat: &str) -> String {
        let next = |chat: &&str| match self.chats.get(*chat) {
            Some(Access::Moved(to)) => Some(to.as_str()),
            _ => None,
        };
        let hops = std::iter::successors(Some(chat), next).take(self.chats.len() + 1);
        hops.last().unwrap_or(chat).to_owned()
    }

    fn event_id(&mut self) -> String {
        self.last_event += 1;
        format!("event-{}", self.last_event)
    }
}
