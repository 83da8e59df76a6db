//! The text that is handed on: without the bot's own name, with the addresses of links, and with the origin of forwards.

use std::ops::Range;

use super::addressed::Whose;
use super::{Reader, behind_slash, files, note, people, units};
use crate::wire::{Entity, Message};

impl Reader<'_> {
    /// What was said; `None` if it was nothing.
    pub(super) fn text(&self, message: &Message) -> Option<String> {
        let text = match message.words() {
            Some((text, entities)) => self.worded(text, entities, message.is_forward()),
            None => note::note(message).or_else(|| files::kind(message).map(|_| String::new()))?,
        };
        Some(match forwarded(message) {
            Some(whose) => format!("Forwarded from {whose}:\n{text}"),
            None => text,
        })
    }

    fn worded(&self, text: &str, entities: &[Entity], is_forward: bool) -> String {
        if !is_forward && behind_slash(text).is_some() {
            return text.to_owned();
        }
        let name = self.own_name(text, entities).filter(|_| !is_forward);
        let is_kept = |at: usize| name.as_ref().is_none_or(|name| at <= name.start || at >= name.end);
        let addresses = entities.iter().filter_map(|entity| address(text, entity));
        let mut changes: Vec<(Range<usize>, String)> = addresses.filter(|(range, _)| is_kept(range.start)).collect();
        changes.extend(name.clone().map(|range| (range, String::new())));
        // from the end, so that what stands before keeps its place; what is taken out goes before what is put in there
        changes.sort_by_key(|(range, _)| std::cmp::Reverse((range.start, range.end)));
        let mut said = text.to_owned();
        for (range, new) in changes {
            said.replace_range(range, &new);
        }
        // nothing but the name is a call without words; and behind our name another bot's command is none of ours
        let is_kept = said.trim().is_empty() || self.whose(&said) == Some(Whose::Another);
        if is_kept && !is_forward { text.to_owned() } else { said }
    }

    /// Where the bot is called by its name, before or behind what is said to it.
    fn own_name(&self, text: &str, entities: &[Entity]) -> Option<Range<usize>> {
        let ours = entities.iter().filter(|entity| self.is_mention(text, entity));
        let mut ranges = ours.filter_map(|entity| units::range(text, entity));
        ranges.find_map(|name| {
            let (before, behind) = (text.get(..name.start)?, text.get(name.end..)?);
            if before.trim().is_empty() {
                let rest = behind.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ':'));
                Some(0..text.len() - rest.len())
            } else {
                behind.trim().is_empty().then(|| before.trim_end().len()..text.len())
            }
        })
    }
}

/// The address that a link hides behind its text is put behind it.
fn address(text: &str, entity: &Entity) -> Option<(Range<usize>, String)> {
    let url = entity.url.as_deref().filter(|_| entity.kind == "text_link")?;
    let range = units::range(text, entity)?;
    let shown = text.get(range.clone())?.trim();
    let is_hidden = !shown.is_empty() && shown != url && url.trim_end_matches('/') != shown;
    is_hidden.then(|| (range.end..range.end, format!(" ({url})")))
}

/// Whose words a forwarded message has.
fn forwarded(message: &Message) -> Option<String> {
    let origin = message.forward_origin.as_ref().map(people::origin_name);
    origin.or_else(|| message.forward_date.map(|_| "somebody".to_owned()))
}
