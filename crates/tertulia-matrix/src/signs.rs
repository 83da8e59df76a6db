//! Signs: typing, receipts, reactions. Never stored, never retried.
//!
//! Nothing here is worth an error to anybody: what cannot be shown is dropped. Servers do not count typing and receipts; a
//! reaction counts as a message, and is left out while the server counts.

mod once;
mod typing;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tertulia_message::Signal;
use tertulia_message::path::InterfacePath;
use tokio::task::JoinSet;

use crate::matrix::Matrix;
use crate::place::Place;
use crate::session::Session;
use once::Once;
use typing::Typing;

/// What is being shown at the moment. Dropped, it shows nothing more.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    typing: Arc<Typing>,
    once: Arc<Once>,
    tasks: Mutex<JoinSet<()>>,
}

/// Shows a sign; returns at once: calls are made by tasks of their own.
pub(crate) fn show(matrix: &Matrix, path: &InterfacePath, re: &str, signal: Signal) {
    let Some((place, session)) = matrix.place(path).zip(matrix.session.get()) else {
        return;
    };
    let signs = &matrix.signs;
    match signal {
        Signal::Typing => signs.begin(session, place),
        Signal::Idle => signs.end(&place),
        Signal::Seen => signs.seen(session, matrix, place, re),
        Signal::React(sign) => signs.react(session, matrix, place, re, sign),
        // messages are edited, and have no buttons; doors have readers
        Signal::Preview { .. } | Signal::Pressed(_) | Signal::Emit(_) | Signal::Close(_) => {}
    }
}

/// Shows that the message with this id was taken: by a receipt, and by a reaction where that is configured. To be called for
/// every event that the daemon has accepted; returns at once.
pub(crate) fn accepted(matrix: &Matrix, path: &InterfacePath, id: &str) {
    matrix.heard.note(id);
    show(matrix, path, id, Signal::Seen);
    if let Some(sign) = &matrix.config.ack_reaction {
        show(matrix, path, id, Signal::React(sign.clone()));
    }
}

impl Signs {
    /// At how many places an answer is being made.
    pub(crate) fn at_work(&self) -> usize {
        self.typing.places()
    }

    /// The bot is not at work at the place any more, or not there.
    pub(crate) fn end(&self, place: &Place) {
        self.typing.end(place);
    }

    fn begin(&self, session: &Session, place: Place) {
        if let Some(work) = self.typing.begin(session, place) {
            self.tasks().spawn(work);
        }
    }

    fn seen(&self, session: &Session, matrix: &Matrix, place: Place, id: &str) {
        if self.once.seen(place, id) {
            self.work(session, matrix);
        }
    }

    fn react(&self, session: &Session, matrix: &Matrix, place: Place, id: &str, sign: String) {
        if self.once.react(place, id, sign) {
            self.work(session, matrix);
        }
    }

    fn work(&self, session: &Session, matrix: &Matrix) {
        let (once, session, paces) = (Arc::clone(&self.once), session.clone(), Arc::clone(&matrix.paces));
        self.tasks().spawn(async move { once.work(&session, &paces).await });
    }

    /// The tasks that are still at work: one for each room in which the bot is typing, and one for all else.
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
