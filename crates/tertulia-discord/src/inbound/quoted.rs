//! What a message is about: the one that it answers, or the one that its thread was begun with.

use tertulia_message::Quoted;

use super::{Around, Reader, Scene, people};
use crate::wire::Message;

/// Longer quotations are cut, in characters.
const LONGEST: usize = 1000;

impl Reader<'_> {
    /// The id of the message that is answered. A forward is no answer.
    pub(super) fn reply_to(message: &Message) -> Option<String> {
        let reference = message.reference.filter(|reference| !reference.is_forward)?;
        reference.message.map(|id| id.to_string())
    }

    pub(super) fn quoted(&self, message: &Message, around: &Around<'_>, scene: Scene) -> Option<Quoted> {
        if Self::reply_to(message).is_some() {
            return self.words_of(message.answered.as_deref()?, scene);
        }
        let starter = around.starter.filter(|starter| starter.id != message.id);
        self.words_of(starter.filter(|_| scene.place.thread.is_some())?, scene)
    }

    fn words_of(&self, message: &Message, scene: Scene) -> Option<Quoted> {
        let author = message.author.as_ref();
        let is_ours = author.is_some_and(|author| author.id == self.known.me());
        let who = match author {
            Some(_) if is_ours => String::new(),
            Some(author) => people::name(author),
            None => "somebody".to_owned(),
        };
        let words = self.words(&message.content, message, scene);
        let files: Vec<String> = message
            .attachments
            .iter()
            .map(|file| people::clean(&file.name))
            .collect();
        let text = match (words.is_empty(), files.is_empty()) {
            (true, true) => return None,
            (true, false) => format!("[{}]", files.join(", ")),
            _ => words,
        };
        Some(Quoted { who, text: cut(&text) })
    }
}

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(LONGEST).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}
