//! Doing commands, as the engine does: `/stop`, `/new` and `/retry` end what is under way before they do anything.

use tertulia_core::record::{InboxId, InboxRow, RowBody, Slot, Wish};
use tertulia_core::transaction::{Change, Transaction};
use tertulia_core::{again, reply, session, stop};
use tertulia_interface::Interface as _;
use tertulia_message::{Markup, Signal, SlotId, SlotKind};
use tertulia_ports::{ConversationQuery, SlotQuery, TurnQuery};

use super::{World, courier, text};

/// A command that is not done yet.
pub(super) struct Order {
    row: InboxRow,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nobody has looked at it.
    Given,
    /// The session was told to stop.
    Stopping,
    /// The session has stopped.
    Stopped,
}

impl Order {
    pub(super) fn given(row: InboxRow) -> Self {
        let stage = Stage::Given;
        Self { row, stage }
    }

    /// True if it does not wait for the session.
    pub(super) fn is_ready(&self) -> bool {
        self.stage != Stage::Stopping
    }

    fn name(&self) -> &str {
        match &self.row.body {
            RowBody::Command { name, .. } => name,
            RowBody::Message(_) | RowBody::Request(_) => "",
        }
    }
}

impl Order {
    /// The turn below whose answer the button stood that gave it.
    fn button(&self) -> Option<InboxId> {
        match self.row.body {
            RowBody::Command { button, .. } => button,
            RowBody::Message(_) | RowBody::Request(_) => None,
        }
    }
}

impl World<'_> {
    pub(super) async fn command(&mut self, id: InboxId, report: bool) -> Result<(), String> {
        let Some(order) = self.process.commands.get_mut(&id) else {
            return Ok(());
        };
        let stops = match order.button() {
            Some(_) => order.name() == "stop",
            None => matches!(order.name(), "stop" | "new" | "retry"),
        };
        if stops && order.stage == Stage::Given {
            order.stage = Stage::Stopping;
            let (conversation, path) = (order.row.conversation, order.row.path.clone());
            let event = match order.button() {
                Some(turn) => session::Event::StopTurn { by: id, turn },
                None => session::Event::Stop(id),
            };
            self.seat_of(conversation, path);
            self.tell(conversation, event);
            return Ok(());
        }
        let Some(order) = self.process.commands.remove(&id) else {
            return Ok(());
        };
        if let Some(turn) = order.button() {
            return self.pressed(&order, turn, report).await;
        }
        match order.name() {
            "stop" => self.halted(&order.row, "stopped", None, report).await,
            "new" => {
                let anew = Change::NewEpoch(order.row.conversation);
                self.halted(&order.row, "we begin anew", Some(anew), report).await
            }
            "retry" => self.retry(&order.row, report).await,
            _ => {
                self.reply(&order.row, "the command is done", Vec::new(), Vec::new(), report)
                    .await
            }
        }
    }

    /// A session says that what a command asked for is done.
    pub(super) fn stopped(&mut self, by: InboxId) -> Result<(), String> {
        match self.process.commands.get_mut(&by) {
            Some(order) if order.stage == Stage::Stopping => order.stage = Stage::Stopped,
            _ => return Err(format!("a stop that nobody waits for is done: {by:?}")),
        }
        Ok(())
    }

    /// Nothing older is under way any more: takes back what is not sent, and answers.
    async fn halted(&mut self, row: &InboxRow, said: &str, change: Option<Change>, report: bool) -> Result<(), String> {
        let (unsent, wishes) = self.withheld(row, None).await?;
        let changes = change.into_iter().chain([Change::Rewish(wishes)]).collect();
        self.reply(row, said, changes, unsent, report).await
    }

    /// What a stop takes back, of one turn or of all: slots with their new wishes.
    async fn withheld(
        &self,
        row: &InboxRow,
        turn: Option<InboxId>,
    ) -> Result<(Vec<Slot>, Vec<(SlotId, Wish)>), String> {
        let query = SlotQuery::Unsent(row.conversation, row.id);
        let mut unsent = self.store.slots(&query).await.map_err(text)?;
        let mut wishes = stop::withhold(&unsent, self.interface.limits(&row.path));
        wishes.retain(|(slot, _)| turn.is_none_or(|turn| slot.trigger == turn.0));
        unsent.retain_mut(|slot| match wishes.iter().find(|(id, _)| *id == slot.id) {
            Some((_, wish)) => {
                slot.wish = wish.clone();
                true
            }
            None => false,
        });
        Ok((unsent, wishes))
    }

    /// A press is bound to whoever asked, and answered by a sign instead of a message.
    async fn pressed(&mut self, order: &Order, turn: InboxId, report: bool) -> Result<(), String> {
        let row = &order.row;
        let asked = self.store.turn(&TurnQuery::Of(turn)).await.map_err(text)?;
        let asked = asked.and_then(|asked| asked.rows.into_iter().next());
        let may = asked.is_some_and(|asked| asked.conversation == row.conversation && asked.person == row.person);
        let (mut unsent, mut wishes) = (Vec::new(), Vec::new());
        if may && order.name() == "stop" {
            (unsent, wishes) = self.withheld(row, Some(turn)).await?;
        }
        if may && order.name() == "retry" && self.is_last(row, turn).await? {
            self.retry(row, report).await?;
        } else {
            let changes = vec![Change::Rewish(wishes)];
            self.answer(row, None, changes, unsent, report).await?;
        }
        if report {
            let told = if may { "" } else { "not yours" };
            let signal = Signal::Pressed(told.to_owned());
            self.interface.signal(&row.path, &row.ext_id, signal).await;
        }
        Ok(())
    }

    async fn is_last(&self, row: &InboxRow, turn: InboxId) -> Result<bool, String> {
        let query = ConversationQuery::At(row.path.clone());
        let facts = self.store.conversations(&query).await.map_err(text)?.pop();
        let query = TurnQuery::Last(row.conversation, row.id);
        let last = self.store.turn(&query).await.map_err(text)?;
        let rests = facts.is_some_and(|facts| !facts.running && facts.waiting == 0);
        Ok(rests && last.is_some_and(|last| last.trigger == turn))
    }

    async fn reply(
        &mut self,
        row: &InboxRow,
        said: &str,
        changes: Vec<Change>,
        rewished: Vec<Slot>,
        report: bool,
    ) -> Result<(), String> {
        let slot = reply::slot(row, SlotKind::Command, 0, Markup::text(said), self.now().wall);
        self.answer(row, Some(slot), changes, rewished, report).await
    }

    async fn answer(
        &mut self,
        row: &InboxRow,
        slot: Option<Slot>,
        changes: Vec<Change>,
        rewished: Vec<Slot>,
        report: bool,
    ) -> Result<(), String> {
        let limits = self.interface.limits(&row.path);
        let transaction = Transaction::Reply {
            trigger: row.id,
            slots: slot.clone().into_iter().collect(),
            changes,
        };
        self.store.commit(transaction).await.map_err(text)?;
        if report {
            for slot in rewished.into_iter().chain(slot) {
                self.tell_courier(courier::Event::Wished(Box::new(slot), limits));
            }
            // what was said after it has waited for it
            self.nudge(row.conversation, row.path.clone());
        }
        Ok(())
    }

    async fn retry(&mut self, row: &InboxRow, report: bool) -> Result<(), String> {
        let last = self
            .store
            .turn(&TurnQuery::Last(row.conversation, row.id))
            .await
            .map_err(text)?;
        let asked = last.and_then(|last| Some((again::merged(&last.rows)?, last.trigger)));
        let Some((body, supersedes)) = asked else {
            let said = "there is nothing to answer again";
            return self.reply(row, said, Vec::new(), Vec::new(), report).await;
        };
        let transaction = Transaction::Retry {
            trigger: row.id,
            body: Box::new(body),
            supersedes,
        };
        self.store.commit(transaction).await.map_err(text)?;
        if report {
            self.nudge(row.conversation, row.path.clone());
        }
        Ok(())
    }
}
