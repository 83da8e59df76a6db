//! What is read back.

use std::collections::BTreeSet;

use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::record::{ConversationId, Entry, InboxId, InboxRow, RowBody, Slot, UnfinishedTurn, Work};
use tertulia_message::{Account, Mark, SlotId, SlotKind};
use tertulia_ports::{HistoryLine, HistoryQuery, Restored};

use super::state::{KeptRow, KeptSlot, Remembered, RowState, State};

/// How long a reply token is good.
const TOKEN_LIFE_MS: i64 = 15 * 60 * 1000;

impl State {
    pub(super) fn next_work(&self, conversation: ConversationId, entries: u32, now: i64) -> Option<Work> {
        let epoch = self.conversations.get(&conversation)?.epoch;
        let unfinished = self
            .turns
            .iter()
            .find(|(_, turn)| turn.conversation == conversation && !turn.settled);
        let rows = match unfinished {
            Some((trigger, _)) => self.rows_of(*trigger, now),
            None => self.waiting(conversation, now),
        };
        let trigger = rows.first()?.id;
        let slots = self.slots.iter().filter(|(id, _)| id.trigger == trigger.0);
        Some(Work {
            unfinished: unfinished.map(|(_, turn)| UnfinishedTurn {
                attempt: turn.attempt,
                boot: turn.boot.clone(),
                settings: turn.settings.clone(),
                partial: turn.partial.clone(),
                rounds: turn.rounds.values().cloned().collect(),
            }),
            history: self.window(conversation, epoch, entries as usize),
            slots: slots.filter_map(|(id, slot)| self.slot_of(*id, slot, now)).collect(),
            rows,
            epoch,
        })
    }

    pub(super) fn rows_of(&self, trigger: InboxId, now: i64) -> Vec<InboxRow> {
        let mut rows: Vec<_> = self.inbox.values().filter(|row| row.turn == Some(trigger)).collect();
        rows.sort_by_key(|row| (row.row.id != trigger, row.row.id));
        rows.into_iter().map(|row| self.row_of(row, now)).collect()
    }

    fn waiting(&self, conversation: ConversationId, now: i64) -> Vec<InboxRow> {
        let is_open = |row: &&KeptRow| row.row.conversation == conversation && row.state == RowState::New;
        let is_message = |row: &&KeptRow| !matches!(row.row.body, RowBody::Command { .. });
        // up to the first command that is not done
        let mut rows = self.inbox.values().filter(is_open).take_while(is_message);
        let Some(first) = rows.next() else { return Vec::new() };
        let joined = rows.take_while(|row| row.row.join.is_some() && row.row.join == first.row.join);
        [first]
            .into_iter()
            .chain(joined)
            .map(|row| self.row_of(row, now))
            .collect()
    }

    fn window(&self, conversation: ConversationId, epoch: i64, limit: usize) -> Vec<Entry> {
        let of_it = |told: &&Remembered| told.conversation == conversation && told.epoch == epoch && told.live;
        let mut all: Vec<_> = self.entries.iter().filter(of_it).collect();
        all.sort_by_key(|told| told.place());
        let (before, window) = all.split_at(all.len().saturating_sub(limit));
        let cut = before
            .last()
            .and_then(|told| told.turn)
            .filter(|turn| window.first().is_some_and(|told| told.turn == Some(*turn)));
        window
            .iter()
            .filter(|told| cut.is_none() || told.turn != cut)
            .map(|told| told.entry.clone())
            .collect()
    }

    pub(super) fn restore(&self, now: i64) -> Restored {
        let open = |row: &&KeptRow| matches!(row.state, RowState::New | RowState::Taken);
        let ids: BTreeSet<_> = self
            .inbox
            .values()
            .filter(open)
            .map(|row| row.row.conversation)
            .collect();
        let paths = self.conversations.iter().filter(|(id, _)| ids.contains(id));
        let command = |row: &&KeptRow| row.state == RowState::New && matches!(row.row.body, RowBody::Command { .. });
        let mut slots = self.all_slots(now);
        slots.retain(Slot::is_due);
        slots.sort_by_key(|slot| (slot.conversation, slot.id));
        Restored {
            conversations: paths.map(|(id, known)| (*id, known.path.clone())).collect(),
            commands: self
                .inbox
                .values()
                .filter(command)
                .map(|row| self.row_of(row, now))
                .collect(),
            slots,
        }
    }

    pub(super) fn marks(&self, account: &Account, prefix: &str) -> Vec<Mark> {
        let all = self.marks.iter();
        all.filter(|((owner, key), _)| owner == account && key.starts_with(prefix))
            .map(|((_, key), value)| Mark {
                key: key.clone(),
                value: Some(value.clone()),
            })
            .collect()
    }

    pub(super) fn history(&self, query: &HistoryQuery) -> Vec<HistoryLine> {
        let mut told: Vec<_> = self.entries.iter().filter(|told| self.is_visible(told)).collect();
        told.sort_by_key(|told| told.place());
        let mut lines: Vec<_> = told.into_iter().filter_map(|told| self.line(told)).collect();
        let chat = query.path.chat();
        lines.retain(|line| line.path == query.path || query.whole_chat && line.path.chat() == chat);
        lines.split_off(lines.len().saturating_sub(query.limit as usize))
    }

    fn is_visible(&self, told: &Remembered) -> bool {
        let conversation = self.conversations.get(&told.conversation);
        told.live && conversation.is_some_and(|known| known.epoch == told.epoch)
    }

    fn line(&self, told: &Remembered) -> Option<HistoryLine> {
        let text = match &told.entry.message {
            ChatMessage::User { parts } => {
                let texts = parts.iter().filter_map(|part| match part {
                    Part::Text(text) if !text.is_empty() => Some(text.as_str()),
                    Part::Text(_) | Part::Picture(_) => None,
                });
                texts.collect::<Vec<_>>().join("\n")
            }
            ChatMessage::Assistant { text, .. } => text.clone(),
            ChatMessage::Tool { .. } => String::new(),
        };
        (!text.is_empty()).then_some(HistoryLine {
            path: self.conversations.get(&told.conversation)?.path.clone(),
            speaker: told.entry.speaker.clone(),
            from_person: matches!(told.entry.message, ChatMessage::User { .. }),
            text,
            at: told.at,
        })
    }

    pub(super) fn all_slots(&self, now: i64) -> Vec<Slot> {
        self.slots
            .iter()
            .filter_map(|(id, slot)| self.slot_of(*id, slot, now))
            .collect()
    }

    pub(super) fn slot_of(&self, id: SlotId, slot: &KeptSlot, now: i64) -> Option<Slot> {
        let row = self.row_of(self.inbox.get(&InboxId(id.trigger))?, now);
        let elsewhere = id.kind == SlotKind::Say;
        Some(Slot {
            id,
            account: slot.account.clone(),
            conversation: slot.conversation,
            path: self.conversations.get(&slot.conversation)?.path.clone(),
            re: row.ext_id,
            token: row.token.filter(|_| !elsewhere),
            wish: slot.wish.clone(),
            progress: slot.progress.clone(),
            expires_at: slot.expires_at,
            open: id.kind == SlotKind::Answer && self.is_open(InboxId(id.trigger)),
        })
    }

    fn row_of(&self, row: &KeptRow, now: i64) -> InboxRow {
        let mut row = row.row.clone();
        if now - row.accepted_at >= TOKEN_LIFE_MS {
            row.token = None;
        }
        if let Some(known) = self.conversations.get(&row.conversation) {
            row.path = known.path.clone();
        }
        row
    }
}
