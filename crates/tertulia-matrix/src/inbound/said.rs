//! What somebody said: words and files, new or as a new content of an older message.

use tertulia_message::{Inbound, What};

use super::event::Event;
use super::relation::Relation;
use super::{Around, Reader, Skipped, files, html, note, people, quoted};
use crate::fields::Fields;

impl Reader<'_> {
    pub(super) fn said(&self, event: &Event<'_>, around: &Around<'_>) -> Result<Inbound, Skipped> {
        let relation = Relation::of(&event.content);
        if let Some(of) = relation.replaces {
            return self.edited(event, around, of);
        }
        let name = people::name(around.sender_name, &event.sender);
        let (quote, text) = words(event, &event.content, &name, relation.replies_to.is_some())?;
        let file = files::file(&msgtype(event, &event.content), &event.content);
        let text = self.without_our_name(&text, event, around);
        let addressed = self.addressed(event, around, &relation, &text);
        let what = self.told(text, file.is_some());
        let said = self.inbound(event, around, relation.thread, what)?;
        let quoted = relation.answers.as_ref().and_then(|of| self.quoted(of, around, quote));
        Ok(Inbound {
            addressed,
            files: file.into_iter().collect(),
            reply_to: relation.answers,
            quoted,
            ..said
        })
    }

    /// A command by our own prefix, else words.
    fn told(&self, text: String, has_file: bool) -> What {
        match self.command(&text).filter(|_| !has_file) {
            Some((name, arguments)) => What::Slash { name, arguments },
            None => What::Message { text },
        }
    }

    fn edited(&self, event: &Event<'_>, around: &Around<'_>, of: String) -> Result<Inbound, Skipped> {
        let new = event.content.object("m.new_content");
        let content = if new.is_empty() { &event.content } else { &new };
        let name = people::name(around.sender_name, &event.sender);
        let original = around
            .related
            .and_then(Event::read)
            .filter(|original| original.id == of);
        let relation = original
            .map(|original| Relation::of(&original.content))
            .unwrap_or_default();
        let (_, text) = words(event, content, &name, relation.replies_to.is_some())?;
        let text = if new.is_empty() {
            // what clients show that know no edits
            text.strip_prefix("* ").map(str::to_owned).unwrap_or(text)
        } else {
            text
        };
        let text = self.without_our_name(&text, event, around);
        let addressed = self.addressed(event, around, &relation, &text);
        let edited = self.inbound(event, around, relation.thread, What::Edit { of, text })?;
        Ok(Inbound { addressed, ..edited })
    }
}

/// The words of a content; before them what an old client quoted, if the message is a reply.
pub(super) fn words(
    event: &Event<'_>,
    content: &Fields<'_>,
    name: &str,
    is_reply: bool,
) -> Result<(Option<quoted::Fallback>, String), Skipped> {
    if event.kind.contains("poll.start") {
        return note::of_poll(event).map(|text| (None, text)).ok_or(Skipped::Nothing);
    }
    let msgtype = msgtype(event, content);
    let body = body(&msgtype, content)?;
    let (quote, text) = match quoted::fallback(&body).filter(|_| is_reply) {
        Some((quote, rest)) => (Some(quote), rest),
        None => (None, body),
    };
    let text = if msgtype == "m.emote" {
        format!("* {name} {text}")
    } else {
        text
    };
    let has_file = files::file(&msgtype, content).is_some();
    if text.trim().is_empty() && !has_file {
        return Err(Skipped::Nothing);
    }
    Ok((quote, text))
}

pub(super) fn msgtype(event: &Event<'_>, content: &Fields<'_>) -> String {
    if event.kind == "m.sticker" {
        return event.kind.clone();
    }
    content.text("msgtype").unwrap_or_default()
}

/// The text of one kind of message. A kind that is not known is as good as its text.
fn body(msgtype: &str, content: &Fields<'_>) -> Result<String, Skipped> {
    match msgtype {
        "m.notice" => Err(Skipped::Bot),
        "m.location" => note::of_location(content).ok_or(Skipped::Nothing),
        "m.key.verification.request" | "m.server_notice" => Err(Skipped::Nothing),
        kind if files::is_file(kind) => Ok(about_file(kind, content)),
        _ => text(content).ok_or(Skipped::Nothing),
    }
}

fn about_file(msgtype: &str, content: &Fields<'_>) -> String {
    if files::file(msgtype, content).is_none() {
        let about = files::caption(content)
            .map(|caption| format!(" {caption}"))
            .unwrap_or_default();
        return format!("[{}, which cannot be read]{about}", files::kind(msgtype, content));
    }
    match files::caption(content) {
        Some(caption) => caption,
        None if msgtype == "m.sticker" => {
            let words = content
                .text("body")
                .map(|body| people::clean(&body))
                .unwrap_or_default();
            format!("[sticker {words}]").replace(" ]", "]")
        }
        None => String::new(),
    }
}

fn text(content: &Fields<'_>) -> Option<String> {
    let plain = content.text("body").filter(|body| !body.trim().is_empty());
    plain.or_else(|| content.text("formatted_body").map(|html| html::text(&html)))
}

/// What a message says, for whoever quotes it: also a notice, and a file by its kind.
pub(super) fn shown(event: &Event<'_>, content: &Fields<'_>, name: &str) -> Option<String> {
    let msgtype = msgtype(event, content);
    if msgtype == "m.notice" {
        return text(content);
    }
    let is_reply = Relation::of(&event.content).replies_to.is_some();
    let (_, words) = words(event, content, name, is_reply).ok()?;
    if words.trim().is_empty() {
        return Some(format!("[{}]", files::kind(&msgtype, content)));
    }
    Some(words)
}
