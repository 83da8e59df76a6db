//! Slots: what the session wants and what the courier reached.

use tertulia_core::record::{ConversationId, InboxId, Slot, SlotProgress, SlotState, Wish};
use tertulia_core::transaction::{Change, DropReason};
use tertulia_message::{SlotId, SlotKind};
use tertulia_ports::StoreError;

use super::state::{KeptSlot, RowState, State};
use super::{no_such_conversation, refused};

impl KeptSlot {
    pub(super) fn raise(&mut self, wish: Wish) {
        if wish.rev > self.wish.rev {
            self.wish = wish;
            self.skip_if_never_posted();
        }
    }

    pub(super) fn skip_if_never_posted(&mut self) {
        if !self.wish.shown && self.progress.ext_id.is_none() && self.progress.state == SlotState::Idle {
            self.progress.got_rev = self.wish.rev;
        }
    }
}

impl State {
    pub(super) fn open_slot(&mut self, closed: Option<(SlotId, Wish)>, open: Slot) -> Result<(), StoreError> {
        let settled = self.turn(InboxId(open.id.trigger))?.settled;
        if settled {
            let there = self.slots.contains_key(&open.id);
            return if there {
                Ok(())
            } else {
                Err(refused("the turn is settled"))
            };
        }
        if let Some((id, wish)) = closed {
            self.slot(id)?.raise(wish);
        }
        self.put_slot(open)
    }

    pub(super) fn reply(&mut self, trigger: InboxId, slots: Vec<Slot>, changes: Vec<Change>) -> Result<(), StoreError> {
        let row = self.row(trigger)?;
        match row.state {
            RowState::Done => return Ok(()),
            RowState::New | RowState::Dropped(DropReason::Redacted) => row.state = RowState::Done,
            RowState::Taken | RowState::Dropped(_) => return Err(refused("the row is not a waiting command")),
        }
        self.put_slots(slots)?;
        changes.into_iter().try_for_each(|change| self.change(change))
    }

    pub(super) fn put_slots(&mut self, slots: Vec<Slot>) -> Result<(), StoreError> {
        slots.into_iter().try_for_each(|slot| self.put_slot(slot))
    }

    /// Inserts a slot; of one that is known only a newer wish counts.
    pub(super) fn put_slot(&mut self, slot: Slot) -> Result<(), StoreError> {
        let row = &self.row(InboxId(slot.id.trigger))?.row;
        let (mut conversation, mut account) = (row.conversation, row.account.clone());
        if let Some(known) = self.slots.get_mut(&slot.id) {
            known.raise(slot.wish);
            return Ok(());
        }
        if slot.id.kind == SlotKind::Say {
            conversation = self.said_in(&slot)?;
            account = slot.account;
        }
        let mut kept = KeptSlot {
            conversation,
            account,
            wish: slot.wish,
            progress: slot.progress,
            expires_at: slot.expires_at,
        };
        kept.skip_if_never_posted();
        self.slots.insert(slot.id, kept);
        Ok(())
    }

    /// Where an operator's words stand: in another conversation than the command, which may have been merged meanwhile.
    fn said_in(&self, slot: &Slot) -> Result<ConversationId, StoreError> {
        if self.conversations.contains_key(&slot.conversation) {
            return Ok(slot.conversation);
        }
        let mut known = self.conversations.iter();
        let there = known.find(|(_, known)| known.path == slot.path);
        there.map(|(id, _)| *id).ok_or_else(no_such_conversation)
    }

    pub(super) fn progress(&mut self, id: SlotId, progress: SlotProgress) -> Result<(), StoreError> {
        self.slot(id)?.progress = progress;
        Ok(())
    }

    pub(super) fn split(
        &mut self,
        id: SlotId,
        wish: Wish,
        progress: SlotProgress,
        rest: Vec<Slot>,
    ) -> Result<(), StoreError> {
        let slot = self.slot(id)?;
        if slot.wish == wish {
            return Ok(());
        }
        if slot.wish.rev >= wish.rev {
            return Err(refused("the slot's wish has changed since"));
        }
        slot.progress = progress;
        slot.raise(wish);
        self.put_slots(rest)
    }

    pub(super) fn block(&mut self, id: SlotId, progress: SlotProgress, why: String) -> Result<(), StoreError> {
        let slot = self.slot(id)?;
        if slot.progress == progress {
            return Ok(());
        }
        slot.progress = progress;
        let conversation = slot.conversation;
        if let Some(known) = self.conversations.get_mut(&conversation) {
            known.blocked = Some(why);
        }
        Ok(())
    }

    fn slot(&mut self, id: SlotId) -> Result<&mut KeptSlot, StoreError> {
        self.slots.get_mut(&id).ok_or_else(|| refused("there is no such slot"))
    }
}
