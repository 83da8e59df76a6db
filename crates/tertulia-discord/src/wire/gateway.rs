//! What comes over the gateway.

use super::channel::{Channel, Guild, Role};
use super::interaction::Interaction;
use super::message::Message;
use super::people::User;
use crate::fields::Fields;
use crate::ids::Snowflake;

/// One frame of the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// An event, with its number in the session.
    Dispatch(Option<u64>, Box<Event>),
    /// We are to send a heartbeat at once.
    Beat,
    /// We are to connect anew, and resume.
    Reconnect,
    /// The session is gone; true if it can be resumed all the same.
    Invalid(bool),
    /// The first frame: the time between heartbeats in milliseconds.
    Hello(u64),
    /// A heartbeat of ours was heard.
    Heard,
    /// Something else, or nothing that can be read.
    Other,
}

/// What has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A new session began.
    Ready(Ready),
    /// The session goes on, and all that was missed has been sent.
    Resumed,
    /// A server is there, or has come back: at the beginning of a session each of them.
    Guild(Box<Guild>),
    /// A server cannot be reached at the moment, or the bot was removed from it.
    GuildGone {
        /// Its id.
        id: Snowflake,
        /// True if it comes back by itself.
        is_outage: bool,
    },
    /// A role is new or changed.
    Role(Snowflake, Role),
    /// A channel or a thread is new or changed.
    Channel(Channel),
    /// A channel or a thread is gone.
    ChannelGone(Channel),
    /// Threads that the bot sees from now on.
    Threads(Vec<Channel>),
    /// Somebody wrote something.
    Message(Box<Message>),
    /// A message was changed, by its author or by Discord.
    Edited(Box<Message>),
    /// Messages were deleted.
    Deleted(Removed),
    /// A slash command or a button.
    Interaction(Box<Interaction>),
    /// Nothing that is looked at.
    Other(String),
    /// Something that is looked at and cannot be read, by its kind.
    Odd(String),
}

/// How a session begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// The bot itself.
    pub me: User,
    /// The application's id.
    pub application: Option<Snowflake>,
    /// The session's id.
    pub session: String,
    /// Where the session is resumed.
    pub resume_url: Option<String>,
    /// The servers that will be told about.
    pub guilds: Vec<Snowflake>,
}

/// Messages that were deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Where they stood.
    pub channel: Snowflake,
    /// The server; none in direct conversations.
    pub guild: Option<Snowflake>,
    /// Their ids.
    pub messages: Vec<Snowflake>,
}

impl Frame {
    /// Reads one.
    #[must_use]
    pub fn read(json: &str) -> Self {
        let frame = Fields::read(json).unwrap_or_default();
        let data = frame.raw("d").unwrap_or("null");
        match frame.number("op") {
            Some(0) => Self::Dispatch(frame.number("s"), Box::new(Event::of(json))),
            Some(1) => Self::Beat,
            Some(7) => Self::Reconnect,
            Some(9) => Self::Invalid(data == "true"),
            Some(10) => frame
                .object("d")
                .number("heartbeat_interval")
                .map_or(Self::Other, Self::Hello),
            Some(11) => Self::Heard,
            _ => Self::Other,
        }
    }
}

impl Event {
    /// Reads an event with its kind, `{"t": .., "d": ..}`: also what the client library writes of its own events, which holds
    /// what it could not read itself.
    #[must_use]
    pub fn of(json: &str) -> Self {
        let event = Fields::read(json).unwrap_or_default();
        Self::read(&event.text("t"), event.raw("d").unwrap_or("null"))
    }

    /// Reads an event of this kind.
    #[must_use]
    pub fn read(kind: &str, data: &str) -> Self {
        let odd = || Self::Odd(kind.to_owned());
        let Some(fields) = &Fields::read(data) else {
            return match kind {
                "RESUMED" => Self::Resumed,
                _ => odd(),
            };
        };
        let event = match kind {
            "READY" => ready(fields).map(Self::Ready),
            "RESUMED" => Some(Self::Resumed),
            "GUILD_CREATE" if fields.flag("unavailable") => gone(fields),
            "GUILD_CREATE" => Guild::of(fields).map(|guild| Self::Guild(Box::new(guild))),
            "GUILD_DELETE" => gone(fields),
            "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE" => role(fields),
            "CHANNEL_CREATE" | "CHANNEL_UPDATE" | "THREAD_CREATE" | "THREAD_UPDATE" => {
                Channel::of(fields).map(Self::Channel)
            }
            "CHANNEL_DELETE" | "THREAD_DELETE" => Channel::of(fields).map(Self::ChannelGone),
            "THREAD_LIST_SYNC" => Some(Self::Threads(threads(fields))),
            "MESSAGE_CREATE" => Message::of(fields).map(|message| Self::Message(Box::new(message))),
            "MESSAGE_UPDATE" => Message::of(fields).map(|message| Self::Edited(Box::new(message))),
            "MESSAGE_DELETE" => removed(fields, fields.id("id").into_iter().collect()),
            "MESSAGE_DELETE_BULK" => removed(fields, fields.ids("ids")),
            "INTERACTION_CREATE" => Interaction::of(fields).map(|interaction| Self::Interaction(Box::new(interaction))),
            _ => Some(Self::Other(kind.to_owned())),
        };
        event.unwrap_or_else(odd)
    }
}

fn ready(fields: &Fields<'_>) -> Option<Ready> {
    let guilds = fields.objects("guilds");
    Some(Ready {
        me: User::read(&fields.object("user"), &Fields::default())?,
        application: fields.object("application").id("id"),
        session: fields.text("session_id"),
        resume_url: fields.word("resume_gateway_url"),
        guilds: guilds.iter().filter_map(|guild| guild.id("id")).collect(),
    })
}

fn gone(fields: &Fields<'_>) -> Option<Event> {
    Some(Event::GuildGone {
        id: fields.id("id")?,
        is_outage: fields.flag("unavailable"),
    })
}

fn role(fields: &Fields<'_>) -> Option<Event> {
    let role = fields.object("role");
    // the client library writes the server into the role
    let guild = fields.id("guild_id").or_else(|| role.id("guild_id"))?;
    Some(Event::Role(guild, Role::of(&role)?))
}

fn threads(fields: &Fields<'_>) -> Vec<Channel> {
    let guild = fields.id("guild_id");
    let threads = fields.objects("threads").into_iter();
    let read = threads.filter_map(|thread| Channel::of(&thread));
    read.map(|thread| Channel {
        guild: thread.guild.or(guild),
        ..thread
    })
    .collect()
}

fn removed(fields: &Fields<'_>, messages: Vec<Snowflake>) -> Option<Event> {
    let channel = fields.id("channel_id").filter(|_| !messages.is_empty())?;
    Some(Event::Deleted(Removed {
        channel,
        guild: fields.id("guild_id"),
        messages,
    }))
}
