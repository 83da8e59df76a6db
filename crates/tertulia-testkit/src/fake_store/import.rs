//! Lines of an older bot's history.

use tertulia_core::chat::ChatMessage;
use tertulia_core::record::Entry;
use tertulia_core::transaction::{Imported, ImportedLine};

use super::state::{Remembered, State};
use super::turns::has_content;

impl State {
    pub(super) fn import(&mut self, lines: Vec<ImportedLine>) -> Imported {
        let mut told = Imported::default();
        for line in lines {
            if self.imported.insert(line.key.clone()) {
                told.added += 1;
                self.take_in(line);
            } else {
                told.known += 1;
            }
        }
        told
    }

    fn take_in(&mut self, line: ImportedLine) {
        let conversation = self.conversation_at(&line.path);
        let epoch = self.conversations.get(&conversation).map_or(0, |known| known.epoch);
        let message = if line.speaker.is_some() {
            ChatMessage::user(line.text)
        } else {
            ChatMessage::assistant(line.text)
        };
        if has_content(&message) {
            self.entries.push(Remembered {
                conversation,
                epoch,
                turn: None,
                round: None,
                entry: Entry {
                    turn: None,
                    speaker: line.speaker,
                    message,
                    cut: false,
                },
                live: true,
                at: line.at,
                imported: true,
            });
        }
    }
}
