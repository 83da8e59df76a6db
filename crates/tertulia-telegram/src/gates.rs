//! Until when a chat takes nothing: one gate per chat for every kind of call, fed by what Telegram says.

mod book;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tertulia_message::RateScope;

use crate::error::CallError;
use book::Book;

/// The gates of one bot.
#[derive(Debug)]
pub(crate) struct Gates {
    book: Mutex<Book>,
    /// The times in the book count from here.
    since: Instant,
}

impl Default for Gates {
    fn default() -> Self {
        Self {
            book: Mutex::default(),
            since: Instant::now(),
        }
    }
}

impl Gates {
    /// How long the chat still takes nothing, and for whom that holds; none if it may be called.
    pub(crate) fn rest(&self, chat: i64) -> Option<(Duration, RateScope)> {
        self.book().rest(chat, self.since.elapsed())
    }

    /// Telegram wants nothing for this chat for so long. Tells for whom that holds, and for how long.
    pub(crate) fn shut(&self, chat: i64, after: Duration) -> (Duration, RateScope) {
        let (after, scope) = self.book().shut(chat, after, self.since.elapsed());
        tracing::info!(chat, ?after, ?scope, "rate limited");
        (after, scope)
    }

    /// Learns from the failure of a call for this chat.
    pub(crate) fn learn(&self, chat: i64, error: &CallError) {
        if let CallError::RateLimited(after) = error {
            self.shut(chat, *after);
        }
    }

    /// Takes one fleeting call out of the budget of the chat and of the account; the error is how long to wait with it.
    ///
    /// Messages are not counted here: they are held back by what Telegram says alone.
    pub(crate) fn admit_fleeting(&self, chat: i64) -> Result<(), Duration> {
        self.book().admit_fleeting(chat, self.since.elapsed())
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
