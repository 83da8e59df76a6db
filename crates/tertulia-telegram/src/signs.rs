//! Fleeting signs: typing, drafts, answers to presses, reactions.
//!
//! Nothing here is worth an error to anybody: what cannot be shown is dropped. Signs keep out of the way of messages: they have a
//! budget of their own, and wait where Telegram wants us to wait.

mod draft;
mod once;
mod plan;
mod stage;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tertulia_message::Signal;
use tertulia_message::path::InterfacePath;
use tokio::task::{AbortHandle, JoinSet};

use crate::place::Place;
use crate::telegram::Telegram;
use draft::Draft;
use once::Once;
pub(crate) use once::answer_to_press;
use plan::Plan;
pub(crate) use stage::Stage;

/// Places at which the bot is shown to be at work at the same time. More see it once, and then no more.
const PLACES: usize = 1_000;
/// Signs that are shown once and are under way at the same time, beside the places'.
const AT_ONCE: usize = 200;
/// A message waits no longer than this for a sign that is under way.
const WAY: Duration = Duration::from_millis(500);

/// What is being shown at the moment. Dropped, it shows nothing more.
#[derive(Debug)]
pub(crate) struct Signs {
    stage: Arc<Stage>,
    tasks: Mutex<JoinSet<()>>,
}

/// Shows a sign; what cannot be shown is dropped. Returns at once: calls are made by tasks of their own.
pub(crate) fn show(telegram: &Telegram, path: &InterfacePath, re: &str, signal: Signal) {
    let Some(place) = telegram.place(path) else { return };
    let signs = &telegram.signs;
    match signal {
        Signal::Typing => signs.typing(place),
        Signal::Idle => signs.end(place),
        Signal::Preview { draft, markup } if place.is_private() && telegram.has_drafts() => {
            if let Some(draft) = Draft::of(draft, &markup) {
                signs.preview(place, draft);
            }
        }
        Signal::Pressed(text) => signs.once(place, Once::pressed(re, &text)),
        Signal::React(emoji) => signs.once(place, Once::reaction(place, re, emoji)),
        // doors have readers, and Telegram shows by itself that a message was seen
        Signal::Preview { .. } | Signal::Seen | Signal::Emit(_) | Signal::Close(_) => {}
    }
}

impl Signs {
    pub(crate) fn on(stage: Stage) -> Self {
        Self {
            stage: Arc::new(stage),
            tasks: Mutex::default(),
        }
    }

    /// Before a message is posted: the draft ends, which the message takes the place of, and a sign that is under way arrives.
    /// Else it could arrive behind the message, and show for half a minute that more is to come.
    pub(crate) async fn make_way(&self, place: Place) {
        if let Some(line) = self.stage.make_way(place) {
            let _ = tokio::time::timeout(WAY, line.lock()).await;
        }
    }

    /// After a message was posted or edited.
    pub(crate) fn delivered(&self, place: Place, was_posted: bool) {
        self.stage.change(place, |plan, now| plan.delivered(was_posted, now));
    }

    /// The bot is not at work at the place any more, or not there.
    pub(crate) fn end(&self, place: Place) {
        self.stage.change(place, |plan, _| plan.end());
    }

    fn typing(&self, place: Place) {
        if !self.enter(place, Plan::begin) {
            self.once(place, Some(self.stage.typing(place)));
        }
    }

    fn preview(&self, place: Place, draft: Draft) {
        let draft = Arc::new(draft);
        self.enter(place, |plan, now| plan.preview(draft, now));
    }

    /// Changes the plan of a place, which gets one if it has none; false if there are too many.
    fn enter(&self, place: Place, change: impl FnOnce(&mut Plan, Duration)) -> bool {
        let mut tasks = self.tasks();
        self.stage.enter(place, PLACES, change, |work| tasks.spawn(work))
    }

    fn once(&self, place: Place, once: Option<Once>) {
        let mut tasks = self.tasks();
        if let Some(once) = once.filter(|_| tasks.len() < PLACES + AT_ONCE) {
            let stage = Arc::clone(&self.stage);
            let _: AbortHandle = tasks.spawn(async move { stage.once(place, once).await });
        }
    }

    /// The tasks that are still at work.
    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(ended) = tasks.try_join_next() {
            if let Err(error) = ended {
                tracing::error!(%error, "a sign's task died");
            }
        }
        tasks
    }
}

#[cfg(test)]
mod tests;
