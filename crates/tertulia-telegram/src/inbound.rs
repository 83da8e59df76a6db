//! Updates of Telegram in the daemon's words; pure.

mod addressed;
mod files;
mod note;
mod people;
mod quoted;
mod said;
mod slash;
mod units;

#[cfg(test)]
mod tests;

use tertulia_message::{Account, Addressed, Inbound, PersonId, What};

use crate::config::Config;
use crate::place::{MessageRef, Place};
use crate::wire::{Callback, Happening, Me, MemberChange, Message, Odd, Update};
use people::Who;

pub(crate) use slash::behind_slash;

/// What reading an update depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) account: &'a Account,
    pub(crate) me: &'a Me,
    pub(crate) config: &'a Config,
}

/// What an update came to.
#[derive(Debug)]
pub(crate) enum Read {
    Event(Box<Piece>),
    /// A press that means nothing to us: it is answered, since somebody waits.
    Empty(String),
    Skipped(Skipped),
}

/// An event, and what tells whether more of it may follow.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(crate) event: Inbound,
    /// The length in UTF-16 units of a text that may be a piece of a longer one; 0 for everything else.
    pub(crate) units: usize,
}

/// Why an update is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// It could not be read.
    Odd(Odd),
    /// Nothing that anybody said.
    Nothing,
    /// Another bot's words, or our own.
    Bot,
}

impl Reader<'_> {
    /// Reads one update.
    pub(crate) fn read(&self, update: Update) -> Read {
        let read = match update.what {
            Ok(Happening::Message(message)) => self.message(update.id, &message),
            Ok(Happening::Edited(message)) => self.edited(update.id, &message),
            Ok(Happening::Pressed(press)) => match self.press(&press) {
                Err(Skipped::Nothing) => return Read::Empty(press.id),
                read => read,
            },
            Ok(Happening::Member(change)) => self.member(update.id, &change),
            Err(odd) => Err(Skipped::Odd(odd)),
        };
        match read {
            Ok(piece) => Read::Event(Box::new(piece)),
            Err(skipped) => Read::Skipped(skipped),
        }
    }

    fn message(&self, update: i64, message: &Message) -> Result<Piece, Skipped> {
        if let Some(to) = message.migrate_to_chat_id {
            return self.moved(update, message, to);
        }
        let event = self.spoken(message)?;
        let id = reference(message)?.id();
        let is_piece = event.files.is_empty() && event.join.is_none() && !message.is_forward();
        let units = message.text.as_deref().filter(|_| is_piece).map_or(0, units::count);
        Ok(Piece {
            event: Inbound { id, ..event },
            units,
        })
    }

    fn edited(&self, update: i64, message: &Message) -> Result<Piece, Skipped> {
        message.words().ok_or(Skipped::Nothing)?;
        let mut event = self.spoken(message)?;
        let of = reference(message)?.id();
        event.id = format!("{of}/edit/{update}");
        event.join = None;
        if let What::Message { text } = event.what {
            event.what = What::Edit { of, text };
        }
        Ok(Piece { event, units: 0 })
    }

    /// What somebody said; without an id.
    fn spoken(&self, message: &Message) -> Result<Inbound, Skipped> {
        let who = people::sender(message).ok_or(Skipped::Nothing)?;
        if who.is_bot || who.id == self.me.id {
            return Err(Skipped::Bot);
        }
        let files = files::files(message, self.config.largest_file);
        let text = self.text(message).ok_or(Skipped::Nothing)?;
        let what = What::Message { text };
        let place = place(message.chat.id, message.topic());
        let group = message.media_group_id.as_deref();
        Ok(Inbound {
            addressed: self.addressed(message),
            files,
            reply_to: quoted::reply_to(message),
            quoted: self.quoted(message),
            join: group.map(|group| format!("album/{}/{group}", message.chat.id)),
            ..self.event(String::new(), place, who, message.date, what)?
        })
    }

    /// A group has become a supergroup. The old group says so; the new one says the same.
    fn moved(&self, update: i64, message: &Message, to: i64) -> Result<Piece, Skipped> {
        let to = place(to, None).path(&self.account.interface);
        let what = What::Moved {
            to: to.map_err(|_| Skipped::Nothing)?,
        };
        let who = people::sender(message).unwrap_or_default();
        let old = place(message.chat.id, None);
        let event = self.event(format!("update/{update}"), old, who, message.date, what)?;
        Ok(Piece { event, units: 0 })
    }

    fn press(&self, press: &Callback) -> Result<Piece, Skipped> {
        let (Some(message), Some(data)) = (&press.message, &press.data) else {
            return Err(Skipped::Nothing);
        };
        let what = What::Press { button: data.clone() };
        let place = place(message.chat.id, message.topic());
        let event = self.event(
            format!("press/{}", press.id),
            place,
            people::user(&press.from),
            message.date,
            what,
        )?;
        // the message's date is not that of the press
        let event = Inbound {
            addressed: if place.is_private() {
                Addressed::Direct
            } else {
                Addressed::Reply
            },
            sent_at: None,
            ..event
        };
        Ok(Piece { event, units: 0 })
    }

    fn member(&self, update: i64, change: &MemberChange) -> Result<Piece, Skipped> {
        let what = match (change.old_chat_member.is_inside(), change.new_chat_member.is_inside()) {
            (false, true) => What::Invited,
            (true, false) => What::Left,
            _ => return Err(Skipped::Nothing),
        };
        let (place, who) = (place(change.chat.id, None), people::user(&change.from));
        let event = self.event(format!("update/{update}"), place, who, change.date, what)?;
        Ok(Piece { event, units: 0 })
    }

    fn event(&self, id: String, place: Place, who: Who, date: i64, what: What) -> Result<Inbound, Skipped> {
        if place.chat == 0 {
            return Err(Skipped::Nothing);
        }
        let path = place.path(&self.account.interface).map_err(|_| Skipped::Nothing)?;
        Ok(Inbound {
            account: self.account.clone(),
            path,
            id,
            sender: PersonId::new(&self.account.interface, who.id.to_string()),
            sender_name: who.name,
            addressed: Addressed::None,
            what,
            files: Vec::new(),
            reply_to: None,
            quoted: None,
            join: None,
            token: None,
            sent_at: date.checked_mul(1000).filter(|at| *at > 0),
        })
    }
}

fn place(chat: i64, topic: Option<i64>) -> Place {
    Place { chat, topic }
}

fn reference(message: &Message) -> Result<MessageRef, Skipped> {
    let reference = MessageRef {
        chat: message.chat.id,
        message: message.message_id,
    };
    let is_one = reference.message > 0;
    is_one.then_some(reference).ok_or(Skipped::Nothing)
}
