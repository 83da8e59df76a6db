//! What those who govern the bot read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use tertulia_core::record::{ConversationId, InboxId, Slot, SlotState};
use tertulia_core::transaction::UsageRow;
use tertulia_message::{Account, SlotKind};
use tertulia_ports::{ConversationFacts, ConversationQuery, Governed, SlotQuery, TurnQuery, TurnRows, UsageSum};

use super::accept::is_command;
use super::state::{Conversation, RowState, State};

impl State {
    pub(super) fn governed(&self) -> Governed {
        let permits = self.access.permits.iter();
        let greeted = self.greeted.iter();
        Governed {
            preferences: self.preferences.clone(),
            permits: permits
                .map(|(subject, permit)| (subject.clone(), permit.clone()))
                .collect(),
            greeted: greeted.map(|(person, at)| (person.clone(), *at)).collect(),
        }
    }

    pub(super) fn facts(&self, query: &ConversationQuery) -> Vec<ConversationFacts> {
        let asked = |known: &Conversation| match query {
            ConversationQuery::At(path) => known.path == *path,
            ConversationQuery::Chat(path) => known.path.chat() == path.chat(),
            ConversationQuery::Latest(_) => true,
        };
        let known = self.conversations.iter().filter(|(_, known)| asked(known));
        let mut all: Vec<_> = known.map(|(id, known)| self.facts_of(*id, known)).collect();
        all.sort_by_key(|(last, facts)| (Reverse(*last), facts.id));
        if let ConversationQuery::Latest(count) = query {
            all.truncate(*count as usize);
        }
        all.into_iter().map(|(_, facts)| facts).collect()
    }

    fn facts_of(&self, id: ConversationId, known: &Conversation) -> (Option<InboxId>, ConversationFacts) {
        let rows = || self.inbox.values().filter(|row| row.row.conversation == id);
        let last = rows().next_back();
        let waits = |state: RowState| state == RowState::New;
        let waiting = rows()
            .filter(|row| waits(row.state) && !is_command(&row.row.body))
            .count();
        let told = self.entries.iter();
        let entries = told.filter(|told| told.conversation == id && told.epoch == known.epoch && told.live);
        let facts = ConversationFacts {
            id,
            path: known.path.clone(),
            account: last.map_or_else(|| unknown_account(known), |row| row.row.account.clone()),
            last_at: last.map_or(0, |row| row.row.accepted_at),
            epoch: known.epoch,
            blocked: known.blocked.clone(),
            waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
            running: self.turns.values().any(|turn| turn.conversation == id && !turn.settled),
            entries: entries.count() as u64,
        };
        (last.map(|row| row.row.id), facts)
    }

    pub(super) fn turn_rows(&self, query: &TurnQuery, now: i64) -> Option<TurnRows> {
        match *query {
            TurnQuery::Last(conversation, before) => self.last_turn(conversation, before, now),
            TurnQuery::Of(trigger) => {
                self.turns.get(&trigger)?;
                let mut rows = self.rows_of(trigger, now);
                rows.retain(|row| row.id == trigger);
                (!rows.is_empty()).then_some(TurnRows { trigger, rows })
            }
        }
    }

    fn last_turn(&self, conversation: ConversationId, before: InboxId, now: i64) -> Option<TurnRows> {
        let epoch = self.conversations.get(&conversation)?.epoch;
        let mut older = self.turns.range(..before).rev();
        let (trigger, _) = older.find(|(trigger, turn)| {
            let answered = turn.settled && !turn.superseded;
            let has_rows = self.inbox.get(trigger).is_some_and(|row| row.turn == Some(**trigger));
            turn.conversation == conversation && turn.epoch == epoch && answered && has_rows
        })?;
        Some(TurnRows {
            trigger: *trigger,
            rows: self.rows_of(*trigger, now),
        })
    }

    pub(super) fn slots_of(&self, query: &SlotQuery, now: i64) -> Vec<Slot> {
        match query {
            SlotQuery::Unsent(conversation, before) => self.unsent(*conversation, *before, now),
            SlotQuery::Due(conversation, before) => {
                let mut due = self.all_slots(now);
                due.retain(|slot| slot.conversation == *conversation && slot.id.trigger < before.0 && slot.is_due());
                due
            }
            SlotQuery::Dead(count) => {
                let mut dead = self.all_slots(now);
                dead.retain(|slot| slot.progress.state == SlotState::Dead);
                dead.sort_by_key(|slot| (Reverse(slot.id.trigger), slot.id.kind.as_str(), slot.id.part));
                dead.truncate(*count as usize);
                dead
            }
        }
    }

    fn unsent(&self, conversation: ConversationId, before: InboxId, now: i64) -> Vec<Slot> {
        let settled = |trigger: i64| self.turns.get(&InboxId(trigger)).is_some_and(|turn| turn.settled);
        let answers = self.slots.iter().filter(|(id, slot)| {
            slot.conversation == conversation && id.kind == SlotKind::Answer && id.trigger < before.0
        });
        let unsent: BTreeSet<i64> = answers
            .clone()
            .filter(|(id, slot)| slot.is_due() && settled(id.trigger))
            .map(|(id, _)| id.trigger)
            .collect();
        answers
            .filter(|(id, _)| unsent.contains(&id.trigger))
            .filter_map(|(id, slot)| self.slot_of(*id, slot, now))
            .collect()
    }

    pub(super) fn usage_sums(&self, since: i64) -> Vec<UsageSum> {
        let (mut turns, mut unpriced) = (BTreeSet::new(), BTreeSet::new());
        let mut sums: BTreeMap<_, UsageSum> = BTreeMap::new();
        for row in self.usage.iter().filter(|row| row.at >= since) {
            let key = (row.person.clone(), row.provider.clone(), row.model.clone());
            let turn = (key.clone(), row.trigger, one_of_none(row));
            let sum = sums.entry(key).or_insert_with(|| UsageSum {
                person: row.person.clone(),
                provider: row.provider.clone(),
                model: row.model.clone(),
                turns: 0,
                tokens_in: 0,
                tokens_out: 0,
                cost: 0,
                unpriced: 0,
            });
            sum.tokens_in = sum.tokens_in.saturating_add(row.usage.tokens_in.unwrap_or(0));
            sum.tokens_out = sum.tokens_out.saturating_add(row.usage.tokens_out.unwrap_or(0));
            sum.cost = sum.cost.saturating_add(row.usage.cost.unwrap_or(0));
            sum.unpriced += u64::from(row.usage.cost.is_none() && unpriced.insert(turn.clone()));
            sum.turns += u64::from(turns.insert(turn));
        }
        let mut sums: Vec<_> = sums.into_values().collect();
        sums.sort_by_key(|sum| Reverse((sum.tokens_in.saturating_add(sum.tokens_out), sum.turns)));
        sums
    }
}

/// Turns of which nothing else is stored may share a trigger; their moments tell them apart.
fn one_of_none(row: &UsageRow) -> Option<i64> {
    (row.trigger.0 <= 0).then_some(row.at)
}

/// Nothing was ever accepted from a conversation that was imported.
fn unknown_account(known: &Conversation) -> Account {
    Account {
        interface: known.path.interface().to_owned(),
        identity: String::new(),
    }
}
