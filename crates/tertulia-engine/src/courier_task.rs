//! Performs what one account's courier decides.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tertulia_core::courier::{Courier, Effect, Event, Token};
use tertulia_interface::Interface;
use tertulia_message::{Act, DeliverError, Found, Outbound, Receipt, SlotId};
use tertulia_ports::{Store, StoreError};
use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{sleep_until, timeout};

use crate::commit_queue::CommitQueue;
use crate::crash;
use crate::hub::Shared;
use crate::sent_files;

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
    /// What to tell of a call whose task dies.
    if_dead: HashMap<Id, Event>,
    wake: Option<Duration>,
}

impl CourierTask {
    /// The `start` tells this courier's keys from those of one before it in the same process.
    pub(crate) fn new(
        shared: Arc<Shared>,
        interface: Arc<dyn Interface>,
        start: u64,
        events: mpsc::Receiver<Event>,
    ) -> Self {
        Self {
            courier: Courier::new(format!("{}.{start}", shared.boot)),
            commits: CommitQueue::new(Arc::clone(&shared.store)),
            shared,
            interface,
            events,
            calls: JoinSet::new(),
            if_dead: HashMap::new(),
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
                (token, done) = self.commits.next() => self.committed(token, done)?,
                Some(called) = self.calls.join_next_with_id() => self.called(called),
                () = async { if let Some(at) = wake { sleep_until(at).await } }, if wake.is_some() => {
                    self.wake = None;
                    self.tell(Event::Tick);
                }
            }
        }
    }

    fn committed(&mut self, token: Token, done: Result<(), StoreError>) -> Result<(), StoreError> {
        match done {
            Ok(()) => self.tell(Event::Committed(token)),
            Err(error @ StoreError::Refused(_)) => {
                tracing::error!(%error, "a courier contradicted the store; one message waits for the next start");
                self.tell(Event::Refused(token));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn called(&mut self, called: Result<(Id, Event), JoinError>) {
        let (id, event) = match called {
            Ok((id, event)) => (id, Some(event)),
            Err(error) => {
                tracing::error!(%error, "a delivery died; its outcome is looked up");
                (error.id(), None)
            }
        };
        let if_dead = self.if_dead.remove(&id);
        if let Some(event) = event.or(if_dead) {
            self.tell(event);
        }
    }

    fn call(&mut self, if_dead: Event, call: impl Future<Output = Event> + Send + 'static) {
        let id = self.calls.spawn(call).id();
        self.if_dead.insert(id, if_dead);
    }

    fn tell(&mut self, event: Event) {
        self.courier.handle(event, self.shared.clock.now());
    }

    fn perform(&mut self) {
        while let Some(effect) = self.courier.poll() {
            match effect {
                Effect::Commit(transaction, token) => self.commits.push(vec![transaction], token),
                Effect::Deliver(slot, outbound) => {
                    let unsure = DeliverError::Unsure("the delivery died".into());
                    let store = Arc::clone(&self.shared.store);
                    let call = deliver(Arc::clone(&self.interface), store, slot, outbound);
                    self.call(Event::Delivered(slot, Err(unsure)), call);
                }
                Effect::Find(slot, outbound) => {
                    let call = find(Arc::clone(&self.interface), slot, outbound);
                    self.call(Event::Looked(slot, Found::CannotTell), call);
                }
                Effect::Wake(at) => self.wake = Some(self.wake.map_or(at, |before| before.min(at))),
                Effect::Report(conversation, slot, report) => self.shared.report(conversation, slot, report),
                Effect::Died(slot, path, error) => {
                    tracing::warn!(%path, part = slot.part, %error, "a message could not be delivered and was given up");
                }
                Effect::Moved(from, to) => {
                    tracing::info!(path = %from, %to, "a conversation has moved");
                    self.shared.moved(from, to);
                }
            }
        }
    }
}

async fn deliver(interface: Arc<dyn Interface>, store: Arc<dyn Store>, slot: SlotId, mut outbound: Outbound) -> Event {
    if let Err(error) = sent_files::load(&*store, &mut outbound).await {
        tracing::warn!(path = %outbound.path, %error, "the files of a message cannot be read");
        let not_sent = DeliverError::Lost("its files cannot be read".into());
        return Event::Delivered(slot, Err(not_sent));
    }
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
    match &result {
        Ok(_) => {}
        // a platform's everyday: nothing is wrong, it is waited for, or gone after
        Err(error @ (DeliverError::RateLimited { .. } | DeliverError::Moved(_))) => {
            tracing::debug!(path = %outbound.path, %error, "a delivery waits");
        }
        Err(error) => tracing::warn!(path = %outbound.path, %error, "a delivery failed"),
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
