//! Events of Discord in the daemon's words; pure.

mod addressed;
mod files;
mod mentions;
mod people;
mod quoted;
mod said;

#[cfg(test)]
mod tests;

use tertulia_message::command::CommandSpec;
use tertulia_message::{Account, Addressed, Inbound, PersonId, What};

use crate::config::Config;
use crate::ids::Snowflake;
use crate::known::{self, Known};
use crate::place::Place;
use crate::wire::{ChannelKind, Interaction, InteractionKind, Message, Removed, User};

/// Discord's numbers of the messages that people write: said, and said in reply.
const WRITTEN: [u64; 2] = [0, 19];

/// What reading an event depends on.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    /// Whose events they are.
    pub account: &'a Account,
    /// How the bot is configured.
    pub config: &'a Config,
    /// The commands that people may give.
    pub commands: &'a [CommandSpec],
    /// What is known of servers and channels, and who the bot is.
    pub known: &'a Known,
}

/// What is known around a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Around<'a> {
    /// True if it stands in a thread in which the bot has said something, or in which it was spoken to.
    pub is_our_thread: bool,
    /// The message that the thread was begun with, if the bot has not answered in it yet: those who speak in the thread speak
    /// about that.
    pub starter: Option<&'a Message>,
}

/// What an event came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    /// Something for the daemon.
    Event(Box<Inbound>),
    /// It is not known where this channel belongs: it has to be asked for before the event can be read.
    Unplaced(Snowflake),
    /// It is left out.
    Skipped(Skipped),
}

/// Why an event is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// Nothing that anybody said.
    Nothing,
    /// Another bot's words, a webhook's, or our own.
    Bot,
    /// Something was said, and Discord does not show it to the bot: an intent is missing, or it is not meant for us.
    Unseen,
    /// Nobody knows who wrote what was deleted, so it was none of ours to answer.
    Forgotten,
}

/// Where something happened.
#[derive(Debug, Clone, Copy)]
struct Scene {
    place: Place,
    guild: Option<Snowflake>,
    is_direct: bool,
}

impl Reader<'_> {
    /// Reads what somebody wrote.
    #[must_use]
    pub fn message(&self, message: &Message, around: &Around<'_>) -> Read {
        done(
            self.written(message)
                .and_then(|(scene, author)| self.said(message, around, scene, author)),
        )
    }

    /// Reads a new content of an older message. Discord also says that a message changed when it shows a preview of a link.
    #[must_use]
    pub fn edited(&self, message: &Message, around: &Around<'_>) -> Read {
        done(self.change(message, around))
    }

    fn change(&self, message: &Message, around: &Around<'_>) -> Result<Inbound, Read> {
        let edited_at = message.edited_at.as_deref().ok_or(Read::Skipped(Skipped::Nothing))?;
        let (scene, author) = self.written(message)?;
        let said = self.said(message, around, scene, author)?;
        let What::Message { text } = said.what else {
            return Err(Read::Skipped(Skipped::Nothing));
        };
        let at = moment(edited_at);
        Ok(Inbound {
            id: format!("edit/{}/{at}", said.id),
            what: What::Edit { of: said.id, text },
            files: Vec::new(),
            ..said
        })
    }

    /// Reads that messages were deleted. Discord does not say who did that, nor whose they were: the caller remembers who wrote
    /// what was said to us lately.
    pub fn deleted(&self, removed: &Removed, author: impl Fn(Snowflake) -> Option<Snowflake>) -> Vec<Read> {
        let read = |message: &Snowflake| {
            let scene = self.scene(removed.channel, removed.guild)?;
            let id = author(*message).ok_or(Read::Skipped(Skipped::Forgotten))?;
            let who = User {
                id,
                name: String::new(),
                is_bot: false,
            };
            let of = message.to_string();
            self.event(format!("delete/{of}"), scene, &who, What::Redact { of })
        };
        removed.messages.iter().map(|message| done(read(message))).collect()
    }

    /// Reads a slash command or a press of a button. Whatever it comes to, somebody waits for an answer.
    #[must_use]
    pub fn interaction(&self, interaction: &Interaction) -> Read {
        done(self.wanted(interaction))
    }

    fn wanted(&self, interaction: &Interaction) -> Result<Inbound, Read> {
        let nothing = Read::Skipped(Skipped::Nothing);
        let channel = interaction.channel.as_ref().ok_or(nothing.clone())?;
        if interaction.is_elsewhere {
            return Err(nothing);
        }
        let told = known::place(channel).filter(|_| channel.kind != ChannelKind::Other);
        let scene = match told {
            Some(place) => Scene::of(place, interaction.guild),
            None => self.scene(channel.id, interaction.guild)?,
        };
        let (id, what, addressed) = match &interaction.kind {
            InteractionKind::Slash { name, options } => {
                let arguments = said::arguments(options);
                let what = What::Slash {
                    name: name.clone(),
                    arguments,
                };
                (format!("slash/{}", interaction.id), what, Addressed::Command)
            }
            InteractionKind::Press { button, .. } => {
                let what = What::Press { button: button.clone() };
                (format!("press/{}", interaction.id), what, Addressed::Reply)
            }
            InteractionKind::Other => return Err(nothing),
        };
        let event = self.event(id, scene, &interaction.user, what)?;
        Ok(Inbound {
            addressed: if scene.is_direct { Addressed::Direct } else { addressed },
            token: Some(interaction.token.clone()),
            sent_at: Some(interaction.id.made_at()),
            ..event
        })
    }

    /// Where a message of a person stands, and who wrote it.
    fn written<'m>(&self, message: &'m Message) -> Result<(Scene, &'m User), Read> {
        let nothing = || Read::Skipped(Skipped::Nothing);
        let author = message.author.as_ref().ok_or_else(nothing)?;
        let is_listed = self.config.bots.contains(&author.id);
        if author.is_bot || is_listed || author.id == self.known.me() || message.webhook.is_some() {
            return Err(Read::Skipped(Skipped::Bot));
        }
        if !WRITTEN.contains(&message.kind) {
            return Err(nothing());
        }
        let channel = message.channel.ok_or_else(nothing)?;
        let scene = self.scene(channel, message.guild)?;
        // a message with which a thread was begun belongs to it
        let thread = message.thread.as_ref().filter(|_| scene.place.thread.is_none());
        let place = thread.map_or(scene.place, |thread| Place::thread(channel, thread.id));
        Ok((Scene { place, ..scene }, author))
    }

    /// Where a channel belongs. What comes over the gateway without a server, and is not known, is a direct conversation.
    fn scene(&self, channel: Snowflake, guild: Option<Snowflake>) -> Result<Scene, Read> {
        let Some(known) = self.known.channel(channel) else {
            return match guild {
                Some(_) => Err(Read::Unplaced(channel)),
                None => Ok(Scene::of(Place::channel(channel), None)),
            };
        };
        let place = known::place(known).ok_or(Read::Unplaced(channel))?;
        Ok(Scene {
            is_direct: known.kind == ChannelKind::Direct,
            ..Scene::of(place, guild.or(known.guild))
        })
    }

    fn event(&self, id: String, scene: Scene, who: &User, what: What) -> Result<Inbound, Read> {
        let path = scene.place.path(&self.account.interface);
        let path = path.map_err(|_| Read::Skipped(Skipped::Nothing))?;
        Ok(Inbound {
            account: self.account.clone(),
            path,
            id,
            sender: PersonId::new(&self.account.interface, who.id.to_string()),
            sender_name: people::name(who),
            addressed: Addressed::None,
            what,
            files: Vec::new(),
            reply_to: None,
            quoted: None,
            join: None,
            token: None,
            sent_at: None,
        })
    }
}

impl Scene {
    fn of(place: Place, guild: Option<Snowflake>) -> Self {
        Self {
            place,
            guild,
            is_direct: guild.is_none(),
        }
    }
}

/// A time as it stands in ids: to milliseconds and without its zone, which is always the same, however it was written.
fn moment(time: &str) -> String {
    let is_sign = |c: &char| c.is_ascii_digit() || "-:.T".contains(*c);
    let (second, fraction) = time.split_once('.').unwrap_or((time, ""));
    let second: String = second.chars().take_while(is_sign).take(19).collect();
    let millis: String = fraction
        .chars()
        .take_while(char::is_ascii_digit)
        .chain("000".chars())
        .take(3)
        .collect();
    format!("{second}.{millis}")
}

fn done(read: Result<Inbound, Read>) -> Read {
    read.map_or_else(|read| read, |event| Read::Event(Box::new(event)))
}
