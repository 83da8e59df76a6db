//! What a reply is about: by the message that it names, else by what old clients put before the words.

use tertulia_message::Quoted;

use super::event::Event;
use super::{Around, Reader, people, said};
use crate::ids;

/// Longer quotations are cut, in characters.
const LONGEST: usize = 1000;

/// What an old client quoted before a reply.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fallback {
    /// The id of who said it.
    pub(super) who: String,
    /// The words.
    pub(super) text: String,
}

impl Reader<'_> {
    /// What the message says that is replied to. A redacted one says nothing, whatever the reply quotes of it.
    pub(super) fn quoted(&self, of: &str, around: &Around<'_>, fallback: Option<Fallback>) -> Option<Quoted> {
        match around.related.and_then(Event::read).filter(|related| related.id == of) {
            Some(related) => self.quoted_event(&related, around.related_name),
            None => fallback.map(|fallback| Quoted {
                who: self.who(&fallback.who, None),
                text: cut(&fallback.text),
            }),
        }
        .filter(|quoted| !quoted.text.trim().is_empty())
    }

    fn quoted_event(&self, related: &Event<'_>, name: Option<&str>) -> Option<Quoted> {
        if related.is_redacted || related.state_key.is_some() {
            return None;
        }
        let content = related.edited.as_ref().unwrap_or(&related.content);
        let shown = people::name(name, &related.sender);
        Some(Quoted {
            who: self.who(&related.sender, name),
            text: cut(&said::shown(related, content, &shown)?),
        })
    }

    fn who(&self, user: &str, name: Option<&str>) -> String {
        if user == self.user {
            String::new()
        } else {
            people::name(name, user)
        }
    }
}

/// Divides a body into what an old client quoted and the rest: lines that begin with `> `, of which the first names who said it.
pub(super) fn fallback(body: &str) -> Option<(Fallback, String)> {
    let quote = body.strip_prefix("> ")?;
    let quote = quote.strip_prefix("* ").unwrap_or(quote);
    let (who, _) = quote.strip_prefix('<')?.split_once('>')?;
    if !ids::is_user(who) {
        return None;
    }
    let is_quote = |line: &&str| line.starts_with("> ") || *line == ">";
    let lines: Vec<&str> = body.lines().collect();
    let count = lines.iter().take_while(|line| is_quote(line)).count();
    let (quoted, rest) = lines.split_at_checked(count)?;
    let quoted: Vec<&str> = quoted
        .iter()
        .map(|line| line.trim_start_matches('>').trim_start_matches(' '))
        .collect();
    let text = quoted.join("\n");
    let text = text.split_once('>').map_or("", |(_, text)| text).trim();
    let rest = rest.strip_prefix(&[""]).unwrap_or(rest);
    let fallback = Fallback {
        who: who.to_owned(),
        text: text.to_owned(),
    };
    Some((fallback, rest.join("\n")))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
