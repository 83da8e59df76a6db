//! Doing commands, as the engine does: `/stop`, `/new` and `/retry` end what is under way before they do anything.

use tertulia_core::record::{InboxId, InboxRow, RowBody, Slot};
use tertulia_core::transaction::{Change, Transaction};
use tertulia_core::{again, reply, session, stop};
use tertulia_interface::Interface as _;
use tertulia_message::{Markup, SlotKind};
use tertulia_ports::SlotQuery;

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

impl World<'_> {
    pub(super) async fn command(&mut self, id: InboxId, report: bool) -> Result<(), String> {
        let Some(order) = self.process.commands.get_mut(&id) else {
            return Ok(());
        };
        let stops = matches!(order.name(), "stop" | "new" | "retry");
        if stops && order.stage == Stage::Given {
            order.stage = Stage::Stopping;
            let (conversation, path) = (order.row.conversation, order.row.path.clone());
            self.seat_of(conversation, path);
            self.tell(conversation, session::Event::Stop(id));
            return Ok(());
        }
        let Some(order) = self.process.commands.remove(&id) else {
            return Ok(());
        };
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
        let query = SlotQuery::Unsent(row.conversation, row.id);
        let mut unsent = self.store.slots(&query).await.map_err(text)?;
        let wishes = stop::withhold(&unsent, self.interface.limits(&row.path));
        unsent.retain_mut(|slot| match wishes.iter().find(|(id, _)| *id == slot.id) {
            Some((_, wish)) => {
                slot.wish = wish.clone();
                true
            }
            None => false,
        });
        let changes = change.into_iter().chain([Change::Rewish(wishes)]).collect();
        self.reply(row, said, changes, unsent, report).await
    }

    async fn reply(
        &mut self,
        row: &InboxRow,
        said: &str,
        changes: Vec<Change>,
        rewished: Vec<Slot>,
        report: bool,
    ) -> Result<(), String> {
        let limits = self.interface.limits(&row.path);
        let slot = reply::slot(row, SlotKind::Command, 0, Markup::text(said), self.now().wall);
        let transaction = Transaction::Reply {
            trigger: row.id,
            slots: vec![slot.clone()],
            changes,
        };
        self.store.commit(transaction).await.map_err(text)?;
        if report {
            for slot in rewished.into_iter().chain([slot]) {
                self.tell_courier(courier::Event::Wished(Box::new(slot), limits));
            }
            // what was said after it has waited for it
            self.nudge(row.conversation, row.path.clone());
        }
        Ok(())
    }

    async fn retry(&mut self, row: &InboxRow, report: bool) -> Result<(), String> {
        let last = self.store.last_turn(row.conversation, row.id).await.map_err(text)?;
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
