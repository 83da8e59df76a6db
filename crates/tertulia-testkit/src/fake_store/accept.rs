//! Accepting: events and marks.

use tertulia_core::authorize::{Admission, NewRow};
use tertulia_core::record::{ConversationId, InboxId, RowBody};
use tertulia_core::transaction::{AcceptTx, Accepted, DropReason};
use tertulia_message::{Account, PersonId};

use super::state::{KeptRow, RowState, State};

impl State {
    pub(super) fn accept(&mut self, tx: AcceptTx) -> Vec<Accepted> {
        for mark in tx.marks {
            let key = (tx.account.clone(), mark.key);
            match mark.value {
                Some(value) => self.marks.insert(key, value),
                None => self.marks.remove(&key),
            };
        }
        let events = tx.events.into_iter();
        events
            .map(|event| match event.into_admission() {
                Admission::Row(row) => self.accept_row(&tx.account, *row, tx.now, tx.queue_bound),
                Admission::Amend { of, by, text } => self.amend(&tx.account, &of, &by, text),
                Admission::Withdraw { of } => self.withdraw(&tx.account, &of),
            })
            .collect()
    }

    fn accept_row(&mut self, account: &Account, new: NewRow, now: i64, bound: u32) -> Accepted {
        if self.find(account, &new.ext_id).is_some() {
            return Accepted::Duplicate;
        }
        let conversation = self.conversation_at(&new.path);
        self.unblock(conversation);
        let command = is_command(&new.body);
        let queued = |row: &&KeptRow| row.row.conversation == conversation && is_command(&row.row.body) == command;
        let open = |row: &&KeptRow| matches!(row.state, RowState::New | RowState::Taken);
        let full = self.inbox.values().filter(queued).filter(open).count() >= bound as usize;
        let before = self.inbox.values().rfind(queued).map(|row| row.state);
        let id = InboxId(self.inbox.keys().next_back().map_or(1, |last| last.0 + 1));
        let state = if full {
            RowState::Dropped(DropReason::Flood)
        } else {
            RowState::New
        };
        let row = new.numbered(account.clone(), id, conversation, now);
        self.inbox.insert(id, KeptRow { row, state, turn: None });
        if full {
            let first = before != Some(RowState::Dropped(DropReason::Flood));
            return Accepted::Flood {
                first,
                row: id,
                conversation,
            };
        }
        Accepted::New(id, conversation)
    }

    fn amend(&mut self, account: &Account, of: &str, by: &PersonId, text: String) -> Accepted {
        if let Some(id) = self.find(account, of)
            && let Some(row) = self.inbox.get_mut(&id)
        {
            let waits = row.state == RowState::New && row.row.person == *by;
            if let RowBody::Message(body) = &mut row.row.body
                && waits
            {
                body.text = text;
            }
            let conversation = row.row.conversation;
            self.unblock(conversation);
        }
        Accepted::Amended
    }

    fn withdraw(&mut self, account: &Account, of: &str) -> Accepted {
        if let Some(id) = self.find(account, of)
            && let Some(row) = self.inbox.get_mut(&id)
        {
            let turn = row.turn;
            let conversation = row.row.conversation;
            match row.state {
                RowState::New => row.state = RowState::Dropped(DropReason::Redacted),
                RowState::Done => {
                    for told in self
                        .entries
                        .iter_mut()
                        .filter(|told| turn.is_some() && told.turn == turn)
                    {
                        told.live = false;
                    }
                }
                RowState::Taken | RowState::Dropped(_) => {}
            }
            self.unblock(conversation);
        }
        Accepted::Amended
    }

    fn find(&self, account: &Account, ext_id: &str) -> Option<InboxId> {
        let mut rows = self.inbox.iter();
        rows.find(|(_, row)| row.row.account == *account && row.row.ext_id == ext_id)
            .map(|(id, _)| *id)
    }

    fn unblock(&mut self, conversation: ConversationId) {
        if let Some(known) = self.conversations.get_mut(&conversation) {
            known.blocked = None;
        }
    }
}

/// Commands do not queue with what waits for a turn.
pub(super) fn is_command(body: &RowBody) -> bool {
    matches!(body, RowBody::Command { .. })
}
