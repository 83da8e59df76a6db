//! A message, as the gateway and the API give it.

use super::channel::Channel;
use super::embed::Embed;
use super::people::User;
use crate::fields::{self, Fields};
use crate::ids::Snowflake;

/// How deep messages stand within messages: one answers another that holds a forwarded one.
const DEEPEST: usize = 2;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its id; none for the copy that a forward carries.
    pub id: Option<Snowflake>,
    /// The channel or the thread in which it stands; none for the copy that a forward carries.
    pub channel: Option<Snowflake>,
    /// The server; none in direct conversations, and in what the API gives.
    pub guild: Option<Snowflake>,
    /// Which of Discord's kinds of messages it is.
    pub kind: u64,
    /// Who wrote it; none for the copy that a forward carries.
    pub author: Option<User>,
    /// The webhook that wrote it.
    pub webhook: Option<Snowflake>,
    /// The words, with everybody and everything mentioned by ids.
    pub content: String,
    /// When it was changed by its author, as Discord writes times.
    pub edited_at: Option<String>,
    /// Who is mentioned.
    pub mentions: Vec<User>,
    /// The roles that are mentioned.
    pub mentioned_roles: Vec<Snowflake>,
    /// Its files.
    pub attachments: Vec<Attachment>,
    /// What is shown in frames below it.
    pub embeds: Vec<Embed>,
    /// Its stickers.
    pub stickers: Vec<Sticker>,
    /// A question to vote on.
    pub poll: Option<Poll>,
    /// The message that it answers, or is a copy of.
    pub reference: Option<Reference>,
    /// What the message says that it answers; none if that was deleted, or is not told.
    pub answered: Option<Box<Message>>,
    /// What it forwards.
    pub forwarded: Vec<Message>,
    /// The thread that was begun with it.
    pub thread: Option<Channel>,
    /// Our own word, by which a message of ours is known again.
    pub nonce: Option<String>,
}

/// A file of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its id.
    pub id: Snowflake,
    /// Its name.
    pub name: String,
    /// What it shows, in words of its sender.
    pub description: Option<String>,
    /// Its type.
    pub mime: Option<String>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// Where it can be fetched for a while.
    pub url: String,
}

/// A sticker of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sticker {
    /// Its id.
    pub id: Snowflake,
    /// Its name.
    pub name: String,
    /// Discord's number of its format: 1 PNG, 2 APNG, 3 Lottie, 4 GIF.
    pub format: u64,
}

/// A question to vote on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poll {
    /// The question.
    pub question: String,
    /// What can be answered.
    pub answers: Vec<String>,
}

/// Another message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// True if this message is a copy of that one.
    pub is_forward: bool,
    /// The message's id.
    pub message: Option<Snowflake>,
    /// The channel's id.
    pub channel: Option<Snowflake>,
}

impl Message {
    /// Reads one; none if it is no message at all.
    #[must_use]
    pub fn read(json: &str) -> Option<Self> {
        Self::of(&Fields::read(json)?)
    }

    /// Reads a list of them, and counts what in it is none.
    #[must_use]
    pub fn read_all(json: &str) -> Option<(Vec<Self>, usize)> {
        let all = fields::list(json)?;
        let messages: Vec<Self> = all.iter().filter_map(Self::of).collect();
        let odd = all.len() - messages.len();
        Some((messages, odd))
    }

    pub(super) fn of(message: &Fields<'_>) -> Option<Self> {
        let read = Self::part(message, 0);
        (read.id.is_some() && read.channel.is_some()).then_some(read)
    }

    fn part(message: &Fields<'_>, depth: usize) -> Self {
        let inner =
            |fields: &Fields<'_>| (depth < DEEPEST && !fields.is_empty()).then(|| Self::part(fields, depth + 1));
        let snapshots = message.objects("message_snapshots");
        let copies = snapshots.iter().map(copy).collect::<Vec<Fields<'_>>>();
        Self {
            id: message.id("id"),
            channel: message.id("channel_id"),
            guild: message.id("guild_id"),
            kind: message.number("type").unwrap_or(0),
            author: User::read(&message.object("author"), &message.object("member")),
            webhook: message.id("webhook_id"),
            content: message.text("content"),
            edited_at: message.word("edited_timestamp"),
            mentions: mentions(message),
            mentioned_roles: message.ids("mention_roles"),
            attachments: message.objects("attachments").iter().filter_map(attachment).collect(),
            embeds: message.objects("embeds").iter().map(Embed::read).collect(),
            stickers: message.objects("sticker_items").iter().filter_map(sticker).collect(),
            poll: poll(&message.object("poll")),
            reference: reference(&message.object("message_reference")),
            answered: inner(&message.object("referenced_message")).map(Box::new),
            forwarded: copies.iter().filter_map(inner).collect(),
            thread: Channel::of(&message.object("thread")),
            nonce: message.word("nonce"),
        }
    }
}

/// Discord puts the copy into an object of its own, and the client library takes it out of there.
fn copy<'a>(snapshot: &Fields<'a>) -> Fields<'a> {
    let inner = snapshot.object("message");
    if inner.is_empty() { snapshot.clone() } else { inner }
}

fn mentions(message: &Fields<'_>) -> Vec<User> {
    let users = message.objects("mentions");
    let read = |user: &Fields<'_>| User::read(user, &user.object("member"));
    users.iter().filter_map(read).collect()
}

fn attachment(file: &Fields<'_>) -> Option<Attachment> {
    Some(Attachment {
        id: file.id("id")?,
        // the title is the name before Discord took away what it does not like
        name: file.word("title").unwrap_or_else(|| file.text("filename")),
        description: file.word("description"),
        mime: file.word("content_type"),
        size: file.number("size"),
        url: file.word("url")?,
    })
}

fn sticker(sticker: &Fields<'_>) -> Option<Sticker> {
    Some(Sticker {
        id: sticker.id("id")?,
        name: sticker.text("name"),
        format: sticker.number("format_type").unwrap_or(0),
    })
}

fn poll(poll: &Fields<'_>) -> Option<Poll> {
    let question = poll.object("question").word("text")?;
    let answers = poll.objects("answers");
    let media = answers.iter().map(|answer| answer.object("poll_media"));
    let answers = media.filter_map(|media| media.word("text").or_else(|| media.object("emoji").word("name")));
    Some(Poll {
        question,
        answers: answers.collect(),
    })
}

fn reference(reference: &Fields<'_>) -> Option<Reference> {
    (!reference.is_empty()).then(|| Reference {
        is_forward: reference.number("type") == Some(1),
        message: reference.id("message_id"),
        channel: reference.id("channel_id"),
    })
}
