//! Messages that are no text, told as text.

use serde_json::{Map, Value};

use super::files;
use super::people::clean;
use crate::wire::{Contact, Location, Message, Poll, Sticker, Venue};

/// Kinds of messages that cannot be handed on, by the names of their fields.
const CLOSED: &[(&str, &str)] = &[
    ("story", "a story"),
    ("checklist", "a checklist"),
    ("game", "a game"),
    ("invoice", "an invoice"),
    ("giveaway", "a giveaway"),
    ("giveaway_winners", "the winners of a giveaway"),
    ("paid_media", "paid media"),
    ("rich_message", "a formatted document"),
];

/// Kinds of messages with a file, by the names of their fields.
const FILES: &[(&str, &str)] = &[
    ("photo", "a photo"),
    ("animation", "an animation"),
    ("document", "a file"),
    ("audio", "a piece of music"),
    ("voice", "a voice message"),
    ("video", "a video"),
    ("video_note", "a video message"),
    ("sticker", "a sticker"),
    ("location", "a location"),
    ("venue", "a place"),
    ("contact", "a contact"),
    ("poll", "a poll"),
    ("dice", "a dice"),
];

/// What a message without text says.
pub(super) fn note(message: &Message) -> Option<String> {
    let said = if let Some(sticker) = &message.sticker {
        of_sticker(sticker)
    } else if let Some(venue) = &message.venue {
        of_venue(venue)
    } else if let Some(location) = &message.location {
        format!("location: {}", point(location))
    } else if let Some(contact) = &message.contact {
        of_contact(contact)
    } else if let Some(poll) = &message.poll {
        of_poll(poll)
    } else if let Some(dice) = &message.dice {
        format!("{} shows {}", dice.emoji, dice.value)
    } else {
        let (_, what) = CLOSED.iter().find(|(key, _)| message.rest.contains_key(*key))?;
        format!("{what}, which cannot be shown here")
    };
    Some(format!("[{said}]"))
}

/// What a message says, or of which kind it is.
pub(super) fn content(message: &Message) -> Option<String> {
    let text = message.words().map(|(text, _)| text.to_owned());
    let text = text.filter(|text| !text.trim().is_empty());
    text.or_else(|| note(message))
        .or_else(|| files::kind(message).and_then(|kind| worded(FILES, |key| key == kind)))
}

/// Of which kind a message is, by the names of its fields.
pub(super) fn of_kind(fields: &Map<String, Value>) -> Option<String> {
    let has = |key: &str| fields.contains_key(key);
    worded(FILES, has).or_else(|| worded(CLOSED, has))
}

fn worded(kinds: &[(&str, &str)], is_it: impl Fn(&str) -> bool) -> Option<String> {
    let (_, what) = kinds.iter().find(|(key, _)| is_it(key))?;
    Some(format!("[{what}]"))
}

fn of_sticker(sticker: &Sticker) -> String {
    let mut said = "sticker".to_owned();
    if !sticker.emoji.is_empty() {
        said = format!("{said} {}", clean(&sticker.emoji));
    }
    if !sticker.set_name.is_empty() {
        said = format!("{said} from the set {}", clean(&sticker.set_name));
    }
    said
}

fn of_venue(venue: &Venue) -> String {
    let (title, address) = (clean(&venue.title), clean(&venue.address));
    format!("place: {title}, {address} ({})", point(&venue.location))
}

fn of_contact(contact: &Contact) -> String {
    let name = clean(&format!("{} {}", contact.first_name, contact.last_name));
    format!("contact: {name}, {}", clean(&contact.phone_number))
}

fn of_poll(poll: &Poll) -> String {
    let options: Vec<String> = poll.options.iter().map(|option| clean(&option.text)).collect();
    format!("poll: {} ({})", poll.question.trim(), options.join(" / "))
}

fn point(location: &Location) -> String {
    format!("latitude {}, longitude {}", location.latitude, location.longitude)
}
