//! What was said in a conversation is deleted; what still waits for something is left alone.

use std::collections::BTreeSet;

use tertulia_core::record::{ConversationId, InboxId, MessageBody, RowBody, SlotState};
use tertulia_ports::StoreError;

use super::state::{RowState, State};

impl State {
    pub(super) fn forget(&mut self, conversations: &[ConversationId]) -> Result<(), StoreError> {
        let files = self.named_files();
        conversations.iter().try_for_each(|id| self.forget_one(*id))?;
        self.drop_unnamed(&files);
        Ok(())
    }

    fn forget_one(&mut self, id: ConversationId) -> Result<(), StoreError> {
        self.conversation(id)?;
        let turns = self.turns.iter();
        let running: BTreeSet<InboxId> = turns
            .filter(|(_, turn)| turn.conversation == id && !turn.settled)
            .map(|(trigger, _)| *trigger)
            .collect();
        self.entries
            .retain(|told| told.conversation != id || told.turn.is_some_and(|trigger| running.contains(&trigger)));
        for turn in self
            .turns
            .values_mut()
            .filter(|turn| turn.conversation == id && turn.settled)
        {
            turn.partial.clear();
            turn.rounds.clear();
        }
        let rows = self.inbox.values_mut().filter(|row| row.row.conversation == id);
        for row in rows.filter(|row| matches!(row.state, RowState::Done | RowState::Dropped(_))) {
            row.turn = None;
            row.row.body = emptied(&row.row.body);
            row.row.token = None;
        }
        self.slots.retain(|slot_id, slot| {
            let over = slot.progress.state == SlotState::Dead || !slot.is_due();
            slot.conversation != id || running.contains(&InboxId(slot_id.trigger)) || !over
        });
        Ok(())
    }
}

fn emptied(body: &RowBody) -> RowBody {
    match body {
        RowBody::Command { direct, button, .. } => RowBody::Command {
            name: String::new(),
            arguments: String::new(),
            direct: *direct,
            button: *button,
        },
        RowBody::Message(_) | RowBody::Request(_) => RowBody::Message(MessageBody::default()),
    }
}
