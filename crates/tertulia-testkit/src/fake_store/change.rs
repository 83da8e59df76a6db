//! What commands change.

use tertulia_core::chat::ChatMessage;
use tertulia_core::record::{ConversationId, Entry, InboxId, RowBody, SlotProgress, SlotState, Wish};
use tertulia_core::transaction::Change;
use tertulia_message::{PersonId, SlotId};
use tertulia_ports::StoreError;

use super::accept::is_command;
use super::state::{Conversation, Remembered, RowState, State};
use super::turns::has_content;
use super::{no_such_conversation, refused};

/// How long it is known that a stranger was greeted.
const GREETED_MS: i64 = 24 * 60 * 60 * 1000;

impl State {
    pub(super) fn change(&mut self, change: Change) -> Result<(), StoreError> {
        match change {
            Change::NewEpoch(conversation) => self.conversation(conversation)?.epoch += 1,
            Change::Forget(conversations) => self.forget(&conversations)?,
            Change::Set { scope, key, preference } => {
                match preference {
                    Some(preference) => self.preferences.0.insert((scope, key), preference),
                    None => self.preferences.0.remove(&(scope, key)),
                };
            }
            Change::Permit { subject, permit } => {
                match permit {
                    Some(permit) => self.access.permits.insert(subject, permit),
                    None => self.access.permits.remove(&subject),
                };
            }
            Change::Rewish(wishes) => self.rewish(wishes),
            Change::Revive { slots, expires_at } => self.revive(&slots, expires_at),
            Change::Bury(slots) => {
                let files = self.named_files();
                self.slots
                    .retain(|id, slot| slot.progress.state != SlotState::Dead || !slots.contains(id));
                self.drop_unnamed(&files);
            }
            Change::Said {
                conversation,
                text,
                now,
            } => self.said(conversation, text, now)?,
        }
        Ok(())
    }

    fn rewish(&mut self, wishes: Vec<(SlotId, Wish)>) {
        for (id, wish) in wishes {
            let open = self.is_open(InboxId(id.trigger));
            if let Some(slot) = self.slots.get_mut(&id).filter(|_| !open) {
                slot.raise(wish);
            }
        }
    }

    fn revive(&mut self, slots: &[SlotId], expires_at: i64) {
        for id in slots {
            let dead = self.slots.get_mut(id);
            if let Some(slot) = dead.filter(|slot| slot.progress.state == SlotState::Dead) {
                slot.expires_at = expires_at;
                slot.progress = SlotProgress {
                    ext_id: slot.progress.ext_id.take(),
                    got_rev: slot.progress.got_rev,
                    forced: slot.progress.forced,
                    ..SlotProgress::default()
                };
                slot.skip_if_never_posted();
            }
        }
    }

    fn said(&mut self, conversation: ConversationId, text: String, now: i64) -> Result<(), StoreError> {
        let epoch = self.conversation(conversation)?.epoch;
        let message = ChatMessage::assistant(text);
        if has_content(&message) {
            self.entries.push(Remembered {
                conversation,
                epoch,
                turn: None,
                round: None,
                entry: Entry {
                    turn: None,
                    speaker: None,
                    message,
                    cut: false,
                },
                live: true,
                at: now,
                imported: false,
            });
        }
        Ok(())
    }

    pub(super) fn retry(&mut self, trigger: InboxId, body: RowBody, supersedes: InboxId) -> Result<(), StoreError> {
        let row = self.row(trigger)?;
        if row.state != RowState::New || !is_command(&row.row.body) {
            return Ok(());
        }
        if is_command(&body) {
            return Err(refused("a command cannot be answered again"));
        }
        let conversation = row.row.conversation;
        let turn = self.turn(supersedes)?;
        if turn.conversation != conversation {
            return Err(refused("the turn is one of another conversation"));
        }
        if !turn.settled {
            return Err(refused("the turn is not settled"));
        }
        turn.superseded = true;
        for told in self.entries.iter_mut().filter(|told| told.turn == Some(supersedes)) {
            told.live = false;
        }
        self.row(trigger)?.row.body = body;
        Ok(())
    }

    pub(super) fn greet(&mut self, person: PersonId, now: i64) {
        let at = self.greeted.entry(person).or_insert(now);
        *at = now.max(*at);
        self.greeted.retain(|_, at| *at >= now.saturating_sub(GREETED_MS));
    }

    pub(super) fn conversation(&mut self, id: ConversationId) -> Result<&mut Conversation, StoreError> {
        self.conversations.get_mut(&id).ok_or_else(no_such_conversation)
    }
}
