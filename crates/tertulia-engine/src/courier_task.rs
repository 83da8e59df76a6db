//! Performs what one account's courier decides.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tertulia_core::courier::{Courier, Effect, Event, Token};
use tertulia_interface::Interface;
use tertulia_message::{Act, DeliverError, Found, Outbound, Receipt, SlotId};
use tertulia_ports::StoreError;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep_until, timeout};

use crate::commit_queue::CommitQueue;
use crate::crash;
use crate::hub::Shared;

/// How long one call of a platform may take, whatever the platform's own deadline is.
const CALL_DEADLINE: Duration = Duration::from_secs(90);

/// One account's courier with what is under way for it.
pub(crate) struct CourierTask {
    shared: Arc<Shared>,
    interface: Arc<dyn Interface>,
    courier: Courier,
    events: mpsc::Receiver<Event>,
    commits: CommitQueue<Token>,
    calls: JoinSet<Event>,
    wake: Option<Duration>,
}

impl CourierTask {
    pub(crate) fn new(shared: Arc<Shared>, interface: Arc<dyn Interface>, events: mpsc::Receiver<Event>) -> Self {
        Self {
            courier: Courier::new(shared.boot.clone()),
            commits: CommitQueue::new(Arc::clone(&shared.store)),
            shared,
            interface,
            events,
            calls: JoinSet::new(),
            wake: None,
        }
    }

    /// Works until everybody who could send it something is gone, and nothing is under way.
    pub(crate) async fn run(mut self) -> Result<(), StoreError> {
        let mut closing = false;
        loop {
            self.perform();
            if closing && self.commits.is_empty() && self.calls.is_empty() {
                return Ok(());
            }
            let wake = self.wake.map(|at| self.shared.clock.at(at));
            tokio::select! {
                event = self.events.recv(), if !closing => match event {
                    Some(event) => self.tell(event),
                    None => closing = true,
                },
                committed = self.commits.next() => self.tell(Event::Committed(committed?)),
                Some(called) = self.calls.join_next() => match called {
                    Ok(event) => self.tell(event),
                    Err(error) => tracing::error!(%error, "a delivery died; its slot is looked up at the next start"),
                },
                () = async { if let Some(at) = wake { sleep_until(at).await } }, if wake.is_some() => {
                    self.wake = None;
                    self.tell(Event::Tick);
                }
            }
        }
    }

    fn tell(&mut self, event: Event) {
        self.courier.handle(event, self.shared.clock.now());
    }

    fn perform(&mut self) {
        while let Some(effect) = self.courier.poll() {
            match effect {
                Effect::Commit(transaction, token) => self.commits.push(vec![transaction], token),
                Effect::Deliver(slot, outbound) => {
                    self.calls.spawn(deliver(Arc::clone(&self.interface), slot, outbound));
                }
                Effect::Find(slot, outbound) => {
                    self.calls.spawn(find(Arc::clone(&self.interface), slot, outbound));
                }
                Effect::Wake(at) => self.wake = Some(self.wake.map_or(at, |before| before.min(at))),
                Effect::Report(conversation, slot, report) => self.shared.report(conversation, slot, report),
                Effect::Died(slot, path, error) => {
                    tracing::error!(%path, part = slot.part, %error, "a message could not be delivered and was given up");
                }
                Effect::Moved(from, to) => {
                    tracing::info!(path = %from, %to, "a conversation has moved");
                    self.shared.moved(from, to);
                }
            }
        }
    }
}

async fn deliver(interface: Arc<dyn Interface>, slot: SlotId, outbound: Outbound) -> Event {
    let act = match outbound.act {
        Act::Post(_) => "post",
        Act::Edit { .. } => "edit",
        Act::Delete { .. } => "delete",
    };
    crash::point("before", act);
    let call = AssertUnwindSafe(timeout(CALL_DEADLINE, interface.deliver(&outbound)));
    let result: Result<Receipt, DeliverError> = match call.catch_unwind().await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => Err(DeliverError::Unsure("no answer in time".into())),
        Err(_) => Err(DeliverError::Unsure("the interface panicked".into())),
    };
    crash::point("after", act);
    if let Err(error) = &result {
        tracing::warn!(path = %outbound.path, %error, "a delivery failed");
    }
    Event::Delivered(slot, result)
}

async fn find(interface: Arc<dyn Interface>, slot: SlotId, outbound: Outbound) -> Event {
    crash::point("before", "find");
    let call = AssertUnwindSafe(timeout(CALL_DEADLINE, interface.find(&outbound)));
    let found = call
        .catch_unwind()
        .await
        .ok()
        .and_then(Result::ok)
        .unwrap_or(Found::CannotTell);
    crash::point("after", "find");
    tracing::info!(path = %outbound.path, ?found, "looked for a message of unknown outcome");
    Event::Looked(slot, found)
}
