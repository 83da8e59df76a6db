//! What people do with what Discord shows for us: slash commands and buttons.

use std::fmt;

use tertulia_message::Secret;

use super::channel::Channel;
use super::message::Message;
use super::people::User;
use crate::fields::Fields;
use crate::ids::Snowflake;

/// A slash command, or a press of a button. Somebody waits for an answer to it, for three seconds.
#[derive(Clone, PartialEq, Eq)]
pub struct Interaction {
    /// Its id.
    pub id: Snowflake,
    /// The application that it is meant for.
    pub application: Option<Snowflake>,
    /// What it is answered with, for fifteen minutes.
    pub token: Secret,
    /// What it is.
    pub kind: InteractionKind,
    /// The server; none in direct conversations.
    pub guild: Option<Snowflake>,
    /// The channel or the thread.
    pub channel: Option<Channel>,
    /// True in a conversation that the bot is not in.
    pub is_elsewhere: bool,
    /// Who did it.
    pub user: User,
}

/// What an interaction is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InteractionKind {
    /// A slash command.
    Slash {
        /// Its name.
        name: String,
        /// What was filled in, in its order.
        options: Vec<Choice>,
    },
    /// A button was pressed.
    Press {
        /// The button's own word.
        button: String,
        /// The message below which it is.
        message: Option<Box<Message>>,
    },
    /// Something else.
    Other,
}

/// What was filled in at one place of a slash command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The name of the place; of a command within a command its name.
    pub name: String,
    /// What was filled in, as text; empty for a command within a command.
    pub value: String,
}

impl Interaction {
    pub(super) fn of(interaction: &Fields<'_>) -> Option<Self> {
        let member = interaction.object("member");
        let user = User::read(&member.object("user"), &member);
        let user = user.or_else(|| User::read(&interaction.object("user"), &Fields::default()));
        let bare = || interaction.id("channel_id").map(unknown);
        Some(Self {
            id: interaction.id("id")?,
            application: interaction.id("application_id"),
            token: Secret::new(interaction.word("token")?),
            kind: kind(interaction),
            guild: interaction.id("guild_id"),
            channel: Channel::of(&interaction.object("channel")).or_else(bare),
            is_elsewhere: interaction.number("context") == Some(2),
            user: user?,
        })
    }
}

/// A channel of which the id alone is told.
fn unknown(id: Snowflake) -> Channel {
    Channel {
        id,
        kind: super::ChannelKind::Other,
        guild: None,
        parent: None,
        name: String::new(),
        newest: None,
        owner: None,
        recipients: Vec::new(),
        is_archived: false,
        is_locked: false,
    }
}

fn kind(interaction: &Fields<'_>) -> InteractionKind {
    let data = interaction.object("data");
    // the client library leaves the number away
    let shape = || match (data.has("component_type"), data.has("name")) {
        (true, _) => Some(3),
        (false, true) => Some(2),
        (false, false) => None,
    };
    match interaction.number("type").or_else(shape) {
        // of the commands those that are typed; the others are entries of menus
        Some(2) if matches!(data.number("type"), None | Some(1)) => InteractionKind::Slash {
            name: data.text("name"),
            options: options(&data, 0),
        },
        Some(3) if data.has("custom_id") => InteractionKind::Press {
            button: data.text("custom_id"),
            message: Message::of(&interaction.object("message")).map(Box::new),
        },
        _ => InteractionKind::Other,
    }
}

fn options(data: &Fields<'_>, depth: usize) -> Vec<Choice> {
    let mut all = Vec::new();
    for option in data.objects("options") {
        all.push(Choice {
            name: option.text("name"),
            value: option.raw("value").map(plain).unwrap_or_default(),
        });
        if depth < 2 {
            all.extend(options(&option, depth + 1));
        }
    }
    all
}

/// A text, a number or a truth value as text.
fn plain(json: &str) -> String {
    let text = serde_json::from_str(json);
    text.unwrap_or_else(|_| json.to_owned())
}

impl fmt::Debug for Interaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Interaction")
            .field("id", &self.id)
            .field("kind", &self.kind)
            .field("channel", &self.channel)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}
