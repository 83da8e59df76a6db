//! The places where something is shown, and the task of each that shows it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::de::IgnoredAny;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use super::once::Once;
use super::plan::{Plan, Sign, Step};
use crate::api::Api;
use crate::error::CallError;
use crate::forums::Forums;
use crate::gates::Gates;
use crate::place::Place;

/// What the tasks share.
#[derive(Debug)]
pub(crate) struct Stage {
    api: Arc<Api>,
    gates: Arc<Gates>,
    forums: Arc<Forums>,
    has_drafts: Arc<AtomicBool>,
    shown: Mutex<HashMap<Place, Shown>>,
    /// The times in the plans count from here.
    since: Instant,
}

/// Whoever holds it is making a call for the place.
type Line = Arc<tokio::sync::Mutex<()>>;

#[derive(Debug)]
struct Shown {
    plan: Plan,
    /// Rung when the plan has changed.
    bell: Arc<Notify>,
    line: Line,
    task: AbortHandle,
}

impl Stage {
    pub(crate) fn new(api: &Arc<Api>, gates: &Arc<Gates>, forums: &Arc<Forums>, has_drafts: &Arc<AtomicBool>) -> Self {
        Self {
            api: Arc::clone(api),
            gates: Arc::clone(gates),
            forums: Arc::clone(forums),
            has_drafts: Arc::clone(has_drafts),
            shown: Mutex::default(),
            since: Instant::now(),
        }
    }

    /// Changes the plan of a place where something is shown.
    pub(super) fn change(&self, place: Place, change: impl FnOnce(&mut Plan, Duration)) {
        if let Some(shown) = self.shown().get_mut(&place) {
            change(&mut shown.plan, self.since.elapsed());
            shown.bell.notify_one();
        }
    }

    /// Changes the plan of a place, and begins to show something there if nothing is yet; false if that are `most` already.
    pub(super) fn enter(
        self: &Arc<Self>,
        place: Place,
        most: usize,
        change: impl FnOnce(&mut Plan, Duration),
        spawn: impl FnOnce(std::pin::Pin<Box<dyn Future<Output = ()> + Send>>) -> AbortHandle,
    ) -> bool {
        let mut places = self.shown();
        if let Some(shown) = places.get_mut(&place).filter(|shown| !shown.task.is_finished()) {
            change(&mut shown.plan, self.since.elapsed());
            shown.bell.notify_one();
            return true;
        }
        if places.len() >= most {
            return false;
        }
        let now = self.since.elapsed();
        let mut plan = Plan::new(!place.is_private(), now);
        change(&mut plan, now);
        let (bell, line) = (Arc::new(Notify::new()), Line::default());
        let task = spawn(Box::pin(run(
            Arc::clone(self),
            place,
            Arc::clone(&bell),
            Arc::clone(&line),
        )));
        places.insert(place, Shown { plan, bell, line, task });
        true
    }

    /// Ends what would come behind a message to a place; gives what is held while a call for it is under way.
    pub(super) fn make_way(&self, place: Place) -> Option<Line> {
        let mut places = self.shown();
        let shown = places.get_mut(&place)?;
        shown.plan.make_way(self.since.elapsed());
        Some(Arc::clone(&shown.line))
    }

    /// What to do for a place now. A place with nothing more to show is forgotten in the same moment, so that what comes next
    /// begins anew.
    fn next(&self, place: Place) -> Step {
        let mut places = self.shown();
        let step = places
            .get_mut(&place)
            .map_or(Step::End, |shown| shown.plan.next(self.since.elapsed()));
        if step == Step::End {
            places.remove(&place);
        }
        step
    }

    /// Shows that the bot is at work.
    pub(super) fn typing(&self, place: Place) -> Once {
        let topic = self.forums.topic(place);
        Once::typing(Place { topic, ..place })
    }

    async fn show(&self, place: Place, sign: &Sign) {
        if let Err(wait) = self.gates.admit_fleeting(place.chat) {
            self.change(place, |plan, now| plan.put_off(sign, now.saturating_add(wait)));
            return;
        }
        let done = match sign {
            Sign::Typing => self.typing(place).call(&self.api).await,
            Sign::Draft(draft) => {
                let body = draft.body(place);
                self.api
                    .call_by_name::<IgnoredAny>("sendMessageDraft", &body, Duration::ZERO)
                    .await
            }
        };
        if let Err(error) = done {
            self.learn(place, sign, &error);
        }
    }

    /// Whatever was refused will be refused again: a group that has moved, a person who blocked the bot, a topic that is gone.
    fn learn(&self, place: Place, sign: &Sign, error: &CallError) {
        tracing::debug!(chat = place.chat, %error, "a sign was not shown");
        self.gates.learn(place.chat, error);
        let is_unknown = match error {
            // a proxy's page is no word about what the server has
            CallError::Refused { code, description } => *code == 404 && !description.is_empty(),
            CallError::Moved(_) => false,
            _ => return,
        };
        match sign {
            Sign::Typing => self.change(place, |plan, _| plan.end()),
            Sign::Draft(_) => {
                if is_unknown {
                    self.has_drafts.store(false, Ordering::Relaxed);
                }
                self.change(place, |plan, _| plan.drop_draft());
            }
        }
    }

    /// Shows a sign once, unless the chat takes nothing at the moment.
    pub(super) async fn once(&self, place: Place, once: Once) {
        let is_shut = if once.is_of_the_chat() {
            self.gates.admit_fleeting(place.chat).is_err()
        } else {
            self.gates.rest(place.chat).is_some()
        };
        if is_shut {
            return;
        }
        if let Err(error) = once.call(&self.api).await {
            tracing::debug!(chat = place.chat, %error, "a sign was not shown");
            self.gates.learn(place.chat, &error);
        }
    }

    /// How many places are shown something.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.shown().len()
    }

    fn shown(&self) -> MutexGuard<'_, HashMap<Place, Shown>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows at one place what its plan says, until that ends.
async fn run(stage: Arc<Stage>, place: Place, bell: Arc<Notify>, line: Line) {
    loop {
        match stage.next(place) {
            Step::End => return,
            Step::Sleep(until) => {
                let until = stage.since + until;
                tokio::select! {
                    () = bell.notified() => {}
                    () = sleep_until(until) => {}
                }
            }
            Step::Show(sign) => {
                let _under_way = line.lock().await;
                stage.show(place, &sign).await;
            }
        }
    }
}
