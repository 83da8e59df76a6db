//! A conversation gets a new address, or becomes part of the one that has it.

use tertulia_core::record::ConversationId;
use tertulia_message::path::InterfacePath;
use tertulia_ports::StoreError;

use super::refused;
use super::state::State;

impl State {
    pub(super) fn moved(&mut self, from: &InterfacePath, to: &InterfacePath) -> Result<(), StoreError> {
        let is_chat = from.parent().is_none();
        let inside = format!("{from}/");
        let known = self
            .conversations
            .iter()
            .map(|(id, conversation)| (*id, conversation.path.clone()));
        for (id, path) in known.collect::<Vec<_>>() {
            let thread = path.as_str().strip_prefix(&inside);
            if path == *from {
                self.rename(id, to.clone());
            } else if is_chat && let Some(rest) = thread {
                let there = InterfacePath::parse(&format!("{to}/{rest}"));
                self.rename(id, there.map_err(|error| refused(error.to_string()))?);
            }
        }
        self.preferences.moved(from, to);
        self.access.moved(from, to);
        Ok(())
    }

    fn rename(&mut self, id: ConversationId, to: InterfacePath) {
        let there = self
            .conversations
            .iter()
            .find(|(_, known)| known.path == to)
            .map(|(id, _)| *id);
        match there {
            Some(there) if there == id => {}
            Some(there) => self.merge(id, there),
            None => {
                if let Some(known) = self.conversations.get_mut(&id) {
                    known.path = to;
                }
            }
        }
    }

    fn merge(&mut self, old: ConversationId, into: ConversationId) {
        let Some(gone) = self.conversations.remove(&old) else {
            return;
        };
        let epoch = self.conversations.get(&into).map_or(0, |known| known.epoch);
        let moved_epoch = |before: i64| {
            if before == gone.epoch {
                epoch
            } else {
                before.min(epoch - 1)
            }
        };
        for row in self.inbox.values_mut().filter(|row| row.row.conversation == old) {
            row.row.conversation = into;
        }
        for turn in self.turns.values_mut().filter(|turn| turn.conversation == old) {
            turn.conversation = into;
            turn.epoch = moved_epoch(turn.epoch);
        }
        for told in self.entries.iter_mut().filter(|told| told.conversation == old) {
            told.conversation = into;
            told.epoch = moved_epoch(told.epoch);
        }
        for slot in self.slots.values_mut().filter(|slot| slot.conversation == old) {
            slot.conversation = into;
        }
    }
}
