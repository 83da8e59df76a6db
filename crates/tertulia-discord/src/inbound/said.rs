//! What somebody said: words and files, and what is told as words.

use tertulia_message::{Inbound, What};

use super::people::clean;
use super::{Around, Read, Reader, Scene, Skipped, files};
use crate::wire::{Choice, Embed, Message, Poll, User};

/// The most frames of one message that are told, and the most characters of one.
const MOST_EMBEDS: usize = 4;
const LONGEST_EMBED: usize = 1500;
/// The most options of a poll that are told.
const MOST_OPTIONS: usize = 20;

impl Reader<'_> {
    pub(super) fn said(
        &self,
        message: &Message,
        around: &Around<'_>,
        scene: Scene,
        author: &User,
    ) -> Result<Inbound, Read> {
        let id = message.id.ok_or(Read::Skipped(Skipped::Nothing))?;
        let content = self.without_our_name(&message.content, scene);
        let addressed = self.addressed(message, around, scene, content);
        let text = self.words(content, message, scene);
        let files = files::files(message);
        if text.is_empty() && files.is_empty() {
            return Err(Read::Skipped(Skipped::Unseen));
        }
        let said = self.event(id.to_string(), scene, author, What::Message { text })?;
        Ok(Inbound {
            addressed,
            files,
            reply_to: Self::reply_to(message),
            quoted: self.quoted(message, around, scene),
            sent_at: Some(id.made_at()),
            ..said
        })
    }

    /// The words of a message, and what is told as words.
    pub(super) fn words(&self, content: &str, message: &Message, scene: Scene) -> String {
        let mut parts = vec![self.readable(content, message, scene).trim().to_owned()];
        parts.extend(notes(message));
        for copy in &message.forwarded {
            let words = self.words(&copy.content, copy, scene);
            parts.push(format!("Forwarded:\n{words}").trim_end().to_owned());
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n")
    }
}

/// What a slash command was given, as it would be typed.
pub(super) fn arguments(options: &[Choice]) -> String {
    let word = |choice: &Choice| {
        if choice.value.is_empty() {
            choice.name.clone()
        } else {
            choice.value.clone()
        }
    };
    let words: Vec<String> = options.iter().map(word).collect();
    words.join(" ").trim().to_owned()
}

fn notes(message: &Message) -> Vec<String> {
    let mut notes = Vec::new();
    for file in &message.attachments {
        let description = file.description.as_deref().map(clean);
        notes.extend(description.map(|words| format!("[{}: {words}]", clean(&file.name))));
    }
    for sticker in &message.stickers {
        notes.push(format!("[sticker {}]", clean(&sticker.name)).replace(" ]", "]"));
    }
    notes.extend(message.poll.as_ref().map(of_poll));
    notes.extend(message.embeds.iter().filter_map(of_embed).take(MOST_EMBEDS));
    notes
}

fn of_poll(poll: &Poll) -> String {
    let options = poll.answers.iter().take(MOST_OPTIONS);
    let options: Vec<String> = options.map(|option| clean(option)).collect();
    format!("[poll: {} ({})]", clean(&poll.question), options.join(" / "))
}

fn of_embed(embed: &Embed) -> Option<String> {
    let mut lines = embed.lines.clone();
    if lines.is_empty() {
        return None;
    }
    lines.extend(embed.url.clone());
    let text: String = lines.join("\n").chars().take(LONGEST_EMBED).collect();
    Some(format!("[shown below: {text}]"))
}
