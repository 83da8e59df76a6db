//! What a reply is about.

use tertulia_message::Quoted;

use super::addressed::replied;
use super::{Reader, note, people, reference};
use crate::wire::{External, Message};

/// Longer quotations are cut, in characters.
const LONGEST: usize = 1000;

impl Reader<'_> {
    /// What that message says, or the part of it that is quoted.
    pub(super) fn quoted(&self, message: &Message) -> Option<Quoted> {
        let quote = message.quote.as_ref().map(|quote| quote.text.clone());
        let quote = quote.filter(|text| !text.trim().is_empty());
        let (who, text) = match (replied(message), &message.external_reply) {
            (Some(reply), _) => (self.who_said(reply), quote.or_else(|| note::content(reply))?),
            (None, Some(external)) => (who_wrote(external), quote.or_else(|| note::of_kind(&external.rest))?),
            (None, None) => return None,
        };
        Some(Quoted { who, text: cut(&text) })
    }

    fn who_said(&self, reply: &Message) -> String {
        match people::sender(reply) {
            Some(who) if who.id == self.me.id => String::new(),
            Some(who) if !who.name.is_empty() => who.name,
            _ => "somebody".to_owned(),
        }
    }
}

/// The id of the message that is replied to.
pub(super) fn reply_to(message: &Message) -> Option<String> {
    let reply = replied(message)?;
    let mut reference = reference(reply).ok()?;
    if reference.chat == 0 {
        reference.chat = message.chat.id;
    }
    Some(reference.id())
}

fn who_wrote(external: &External) -> String {
    let origin = external.origin.as_ref();
    origin.map_or_else(|| "somebody".to_owned(), people::origin_name)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
