//! Whether a message is meant for the bot, and how it is called.

use tertulia_message::Addressed;

use super::event::Event;
use super::relation::Relation;
use super::{Around, Reader, html, said};
use crate::fields::Fields;
use crate::ids;
use crate::place::Place;

impl Reader<'_> {
    /// How the bot is addressed by a message with these words.
    pub(super) fn addressed(
        &self,
        event: &Event<'_>,
        around: &Around<'_>,
        relation: &Relation,
        text: &str,
    ) -> Addressed {
        if around.is_direct {
            return Addressed::Direct;
        }
        if self.command(text).is_some() || self.slash(text) {
            return Addressed::Command;
        }
        if around.is_our_thread || self.is_reply_to_us(around, relation) {
            return Addressed::Reply;
        }
        let is_always_on = || {
            let place = Place::new(around.room, relation.thread.clone());
            place.is_ok_and(|place| self.config.is_always_on(&place))
        };
        if self.is_mentioned(event, around) || is_always_on() {
            return Addressed::Mention;
        }
        Addressed::None
    }

    /// True if a message is meant for the bot, wherever it stands.
    pub(super) fn is_meant(&self, event: &Event<'_>, around: &Around<'_>) -> bool {
        let relation = Relation::of(&event.content);
        let around = Around {
            is_direct: false,
            is_our_thread: false,
            ..*around
        };
        let words = said::words(event, &newest(&event.content), "", relation.replies_to.is_some());
        words.is_ok_and(|(_, text)| {
            let text = self.without_our_name(&text, event, &around);
            self.addressed(event, &around, &relation, &text) != Addressed::None
        })
    }

    /// A command of the daemon behind the configured prefix. What else begins so may be meant for another bot.
    pub(super) fn command(&self, text: &str) -> Option<(String, String)> {
        let rest = text.trim_start().strip_prefix(self.config.command_prefix.as_str())?;
        let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let name = name.to_ascii_lowercase();
        let is_known = self.commands.iter().any(|command| command.name == name);
        is_known.then(|| (name, arguments.trim().to_owned()))
    }

    /// True for a command behind a slash: the daemon reads those itself.
    fn slash(&self, text: &str) -> bool {
        let word = text
            .trim_start()
            .strip_prefix('/')
            .and_then(|rest| rest.split_whitespace().next());
        let name = word.map(str::to_ascii_lowercase);
        name.is_some_and(|name| self.commands.iter().any(|command| command.name == name))
    }

    fn is_reply_to_us(&self, around: &Around<'_>, relation: &Relation) -> bool {
        let related = around.related.filter(|_| relation.answers.is_some());
        let is_named = |related: &Event<'_>| relation.answers.as_ref() == Some(&related.id);
        related
            .and_then(Event::read)
            .filter(is_named)
            .is_some_and(|related| related.sender == self.user)
    }

    /// Clients that name whom they mention are believed; without that, and at the beginning of a text, the name counts.
    fn is_mentioned(&self, event: &Event<'_>, around: &Around<'_>) -> bool {
        let content = newest(&event.content);
        let body = content.text("body").unwrap_or_default();
        let body = super::quoted::fallback(&body).map_or(body, |(_, rest)| rest);
        let is_named = self.is_named(&content) || self.called(&body, around, false).is_some();
        let is_old = !content.has("m.mentions");
        is_named || (is_old && self.names(around).iter().any(|name| holds(&body, name)))
    }

    /// True if the client says that the bot is mentioned, or links to it as clients did before they said so.
    fn is_named(&self, content: &Fields<'_>) -> bool {
        if content.has("m.mentions") {
            let named = content.object("m.mentions").texts("user_ids");
            return named.iter().any(|user| user == self.user);
        }
        let html = content.text("formatted_body").unwrap_or_default();
        html::mentions(&html, self.user)
    }

    /// The text of an event without the bot's name before or behind it. Nothing but the name is a call without words, and
    /// stays.
    pub(super) fn without_our_name(&self, text: &str, event: &Event<'_>, around: &Around<'_>) -> String {
        let is_named = self.is_named(&newest(&event.content));
        let rest = self
            .called(text, around, is_named)
            .or_else(|| self.called_behind(text, around));
        rest.filter(|rest| !rest.trim().is_empty()).unwrap_or(text).to_owned()
    }

    /// What stands behind the bot's name, if a text begins with it as one begins to speak to somebody.
    fn called<'a>(&self, text: &'a str, around: &Around<'_>, is_named: bool) -> Option<&'a str> {
        let text = text.trim_start();
        self.names(around).iter().find_map(|name| {
            let (has_sign, behind) = behind_name(text, name)?;
            let rest = behind.trim_start_matches([',', ':']);
            let is_call = is_named || has_sign || rest.len() < behind.len() || name.starts_with('@');
            let ends = rest.len() < behind.len() || rest.is_empty() || rest.starts_with(char::is_whitespace);
            (is_call && ends).then(|| rest.trim_start())
        })
    }

    /// What stands before the bot's name, if a text ends with it, written as a mention.
    fn called_behind<'a>(&self, text: &'a str, around: &Around<'_>) -> Option<&'a str> {
        let text = text.trim_end();
        self.names(around).iter().find_map(|name| {
            let sign = if name.starts_with('@') { "" } else { "@" };
            let start = text.len().checked_sub(name.len())?;
            let end = text.get(start..).filter(|end| same(end, name))?;
            let before = text.strip_suffix(end)?;
            let before = before.strip_suffix(sign)?;
            before.ends_with(char::is_whitespace).then(|| before.trim_end())
        })
    }

    /// The bot's id, the name that people see of it, and its name on its server, which must not be a word of one sign.
    fn names<'a>(&'a self, around: &Around<'a>) -> Vec<&'a str> {
        let names = [self.user, around.our_name.trim(), ids::localpart(self.user)];
        names.into_iter().filter(|name| name.chars().count() > 1).collect()
    }
}

/// What counts of an event: of an edit the new content.
fn newest<'a>(content: &Fields<'a>) -> Fields<'a> {
    let new = content.object("m.new_content");
    if new.is_empty() { content.clone() } else { new }
}

/// What stands behind a name at the beginning of a text, and whether an `@` stands before it.
fn behind_name<'a>(text: &'a str, name: &str) -> Option<(bool, &'a str)> {
    let bare = text.strip_prefix('@').filter(|_| !name.starts_with('@'));
    let rest = bare.unwrap_or(text);
    let (start, behind) = rest.split_at_checked(name.len())?;
    same(start, name).then_some((bare.is_some(), behind))
}

fn same(text: &str, name: &str) -> bool {
    text == name || text.to_lowercase() == name.to_lowercase()
}

/// True if a text holds a name as a word of its own.
fn holds(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(&name).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + found.len()..).and_then(|behind| behind.chars().next());
        !is_inside(before) && !is_inside(behind)
    })
}
