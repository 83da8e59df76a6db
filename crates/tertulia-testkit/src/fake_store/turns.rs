//! Turns: begun, run again, saved, and settled.

use std::collections::BTreeMap;

use tertulia_core::chat::{ChatMessage, Part, ToolResult};
use tertulia_core::record::{ConversationId, Entry, InboxId, RoundRecord, Slot, SlotProgress, ToolRun};
use tertulia_core::transaction::{Begin, DropReason, Said, Settle, UsageRow};
use tertulia_message::SlotKind;
use tertulia_ports::StoreError;

use super::refused;
use super::state::{Remembered, RowState, State, Turn};

impl State {
    pub(super) fn begin(&mut self, begin: Begin) -> Result<(), StoreError> {
        if let Some(turn) = self.turns.get(&begin.trigger) {
            let repeated = turn.settled || turn.boot == begin.boot;
            return if repeated {
                Ok(())
            } else {
                Err(refused("another start of the process began this turn"))
            };
        }
        let conversation = self.row(begin.trigger)?.row.conversation;
        if self
            .turns
            .values()
            .any(|turn| turn.conversation == conversation && !turn.settled)
        {
            return Err(refused("another turn of the conversation is not settled"));
        }
        for id in begin.rows.iter().chain([&begin.trigger]) {
            let row = self.row(*id)?;
            let fresh =
                row.turn.is_none() && matches!(row.state, RowState::New | RowState::Dropped(DropReason::Redacted));
            if row.row.conversation != conversation || !(fresh || row.turn == Some(begin.trigger)) {
                return Err(refused(format!("row {} cannot be taken", id.0)));
            }
            row.state = RowState::Taken;
            row.turn = Some(begin.trigger);
        }
        let present = self.conversations.get(&conversation).map_or(0, |known| known.epoch);
        let epoch = if conversation == begin.conversation {
            begin.epoch
        } else {
            present
        };
        let turn = Turn {
            conversation,
            epoch,
            attempt: 1,
            boot: begin.boot,
            settled: false,
            superseded: false,
            began_at: begin.now,
            settings: begin.settings,
            partial: String::new(),
            rounds: BTreeMap::new(),
        };
        self.turns.insert(begin.trigger, turn);
        self.remember(begin.trigger, begin.entries, false, begin.now);
        Ok(())
    }

    pub(super) fn again(&mut self, trigger: InboxId, attempt: u32, boot: String) -> Result<(), StoreError> {
        let turn = self.turn(trigger)?;
        if turn.settled {
            return Ok(());
        }
        if attempt < turn.attempt {
            return Err(refused("a later attempt has begun"));
        }
        turn.attempt = attempt;
        turn.boot = boot;
        Ok(())
    }

    pub(super) fn checkpoint(&mut self, trigger: InboxId, partial: String) -> Result<(), StoreError> {
        let turn = self.turn(trigger)?;
        if !turn.settled {
            turn.partial = partial;
        }
        Ok(())
    }

    pub(super) fn tools_started(
        &mut self,
        trigger: InboxId,
        attempt: u32,
        round: u32,
        assistant: ChatMessage,
        runs: Vec<ToolRun>,
    ) -> Result<(), StoreError> {
        let Some(turn) = self.unsettled(trigger, attempt)? else {
            return Ok(());
        };
        if turn
            .rounds
            .get(&round)
            .is_some_and(|known| known.assistant == assistant)
        {
            return Ok(());
        }
        let began_at = turn.began_at;
        turn.rounds.retain(|known, _| *known < round);
        turn.rounds.insert(
            round,
            RoundRecord {
                assistant: assistant.clone(),
                runs,
            },
        );
        self.entries
            .retain(|told| told.turn != Some(trigger) || told.round.is_none_or(|known| known < round));
        let entry = Entry {
            turn: Some(trigger),
            speaker: None,
            message: assistant,
            cut: false,
        };
        self.push(trigger, Some(round), entry, false, began_at);
        Ok(())
    }

    pub(super) fn tool_done(
        &mut self,
        trigger: InboxId,
        attempt: u32,
        round: u32,
        result: ToolResult,
        said: Option<Said>,
    ) -> Result<(), StoreError> {
        let Some(turn) = self.unsettled(trigger, attempt)? else {
            return Ok(());
        };
        let began_at = turn.began_at;
        let known = turn.rounds.get_mut(&round).ok_or_else(|| refused("no such round"))?;
        let mut runs = known.runs.iter_mut();
        let run = runs
            .find(|run| run.call_id == result.call_id)
            .ok_or_else(|| refused("no such call"))?;
        let is_new = run.result.is_none();
        if is_new {
            run.result = Some(result);
        }
        let results: Vec<_> = known.runs.iter().filter_map(|run| run.result.clone()).collect();
        let is_it = |told: &&mut Remembered| {
            told.turn == Some(trigger)
                && told.round == Some(round)
                && matches!(told.entry.message, ChatMessage::Tool { .. })
        };
        let message = ChatMessage::Tool { results };
        if let Some(told) = self.entries.iter_mut().find(is_it) {
            told.entry.message = message;
        } else {
            let entry = Entry {
                turn: Some(trigger),
                speaker: None,
                message,
                cut: false,
            };
            self.push(trigger, Some(round), entry, false, began_at);
        }
        let Some(said) = said.filter(|_| is_new) else {
            return Ok(());
        };
        self.put_slots(said.slots)?;
        said.changes.into_iter().try_for_each(|change| self.change(change))
    }

    pub(super) fn settle(&mut self, settle: Settle) -> Result<(), StoreError> {
        let trigger = settle.trigger;
        if self.unsettled(trigger, settle.attempt)?.is_none() {
            return Ok(());
        }
        for told in self.entries.iter_mut().filter(|told| told.turn == Some(trigger)) {
            told.live = settle.live;
        }
        self.remember(trigger, settle.entries, settle.live, settle.now);
        settle.usage.into_iter().for_each(|row| self.spend(row));
        self.settle_slots(trigger, settle.slots)?;
        for row in self.inbox.values_mut().filter(|row| row.turn == Some(trigger)) {
            row.state = RowState::Done;
        }
        self.turn(trigger)?.settled = true;
        Ok(())
    }

    fn settle_slots(&mut self, trigger: InboxId, slots: Vec<Slot>) -> Result<(), StoreError> {
        let listed: Vec<_> = slots.iter().map(|slot| slot.id).collect();
        for slot in slots {
            self.put_slot(Slot {
                progress: SlotProgress::default(),
                ..slot
            })?;
        }
        let surplus = self
            .slots
            .iter_mut()
            .filter(|(id, _)| id.trigger == trigger.0 && id.kind == SlotKind::Answer);
        for (_, slot) in surplus.filter(|(id, slot)| slot.wish.shown && !listed.contains(id)) {
            slot.wish.shown = false;
            slot.wish.rev += 1;
            slot.skip_if_never_posted();
        }
        Ok(())
    }

    pub(super) fn spend(&mut self, row: UsageRow) {
        let key = |row: &UsageRow| {
            let names = (row.person.clone(), row.provider.clone(), row.model.clone());
            (row.at, row.trigger, row.attempt, row.round, names)
        };
        if !self.usage.iter().any(|known| key(known) == key(&row)) {
            self.usage.push(row);
        }
    }

    /// The turn, unless it is settled: then what comes is a repetition, or came too late.
    pub(super) fn unsettled(&mut self, trigger: InboxId, attempt: u32) -> Result<Option<&mut Turn>, StoreError> {
        let turn = self.turn(trigger)?;
        if turn.settled {
            return Ok(None);
        }
        if turn.attempt != attempt {
            return Err(refused("another attempt is under way"));
        }
        Ok(Some(turn))
    }

    fn remember(&mut self, trigger: InboxId, entries: Vec<Entry>, live: bool, at: i64) {
        for entry in entries.into_iter().filter(|entry| has_content(&entry.message)) {
            self.push(
                trigger,
                None,
                Entry {
                    turn: Some(trigger),
                    ..entry
                },
                live,
                at,
            );
        }
    }

    fn push(&mut self, trigger: InboxId, round: Option<u32>, entry: Entry, live: bool, at: i64) {
        let turn = self.turns.get(&trigger);
        let (conversation, epoch) = turn.map_or((ConversationId(0), 0), |turn| (turn.conversation, turn.epoch));
        self.entries.push(Remembered {
            conversation,
            epoch,
            turn: Some(trigger),
            round,
            entry,
            live,
            at,
            imported: false,
        });
    }
}

pub(super) fn has_content(message: &ChatMessage) -> bool {
    match message {
        ChatMessage::User { parts } => parts.iter().any(|part| match part {
            Part::Text(text) => !text.is_empty(),
            Part::Picture(_) => true,
        }),
        ChatMessage::Assistant { text, calls, .. } => !text.is_empty() || !calls.is_empty(),
        ChatMessage::Tool { results } => !results.is_empty(),
    }
}
