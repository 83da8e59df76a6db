//! The requests that wait for their answers, by id: where signals meet readers.

mod queue;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
pub(crate) use queue::Arrival;
use queue::Queue;
use tertulia_interface::Inlet;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Signal};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How long the daemon may take to note that a reader has gone.
const HANG_UP_TIME: Duration = Duration::from_secs(5);

/// The open requests of a door.
///
/// Memory is bounded: there are no more readers than connections, and what waits for a reader is bounded by
/// [`queue::MAX_WAITING`]. A signal never waits.
#[derive(Default)]
pub(crate) struct OpenRequests {
    entries: Mutex<HashMap<String, Arc<Entry>>>,
    gone: Mutex<Vec<(Account, String)>>,
    bell: Notify,
}

struct Entry {
    account: Account,
    id: String,
    path: InterfacePath,
    queue: Mutex<Queue>,
    bell: Notify,
}

/// The reader of one answer. Dropped before the answer's end it counts as gone, once.
pub(crate) struct Reader {
    open: Arc<OpenRequests>,
    entry: Arc<Entry>,
    dismissed: bool,
}

impl OpenRequests {
    /// Opens a request. Signals may come from now on.
    pub(crate) fn open(self: &Arc<Self>, account: Account, id: String, path: InterfacePath) -> Reader {
        let entry = Arc::new(Entry {
            account,
            id: id.clone(),
            path,
            queue: Mutex::default(),
            bell: Notify::new(),
        });
        lock(&self.entries).insert(id, Arc::clone(&entry));
        Reader {
            open: Arc::clone(self),
            entry,
            dismissed: false,
        }
    }

    /// Hands a signal to the reader of the request `re`. What has no reader is dropped.
    pub(crate) fn signal(&self, path: &InterfacePath, re: &str, signal: Signal) {
        let entry = lock(&self.entries).get(re).map(Arc::clone);
        let Some(entry) = entry else { return };
        if entry.path != *path {
            tracing::error!(%path, expected = %entry.path, "a signal for another conversation's reader was dropped");
            return;
        }
        match signal {
            Signal::Emit(message) => lock(&entry.queue).push(message),
            Signal::Close(ending) => lock(&entry.queue).close(ending),
            Signal::Typing
            | Signal::Idle
            | Signal::Seen
            | Signal::React(_)
            | Signal::Preview { .. }
            | Signal::Pressed(_) => return,
        }
        entry.bell.notify_one();
    }

    /// Tells the daemon of readers that have gone, until `done` and nobody is left to report.
    pub(crate) async fn report_gone(&self, inlet: &Inlet, done: &CancellationToken) {
        loop {
            let is_last = done.is_cancelled();
            let gone = std::mem::take(&mut *lock(&self.gone));
            join_all(gone.iter().map(|(account, id)| report(inlet, account, id))).await;
            if is_last {
                return;
            }
            tokio::select! {
                () = self.bell.notified() => {}
                () = done.cancelled() => {}
            }
        }
    }
}

impl Reader {
    /// What comes next. After the end it must not be asked again.
    pub(crate) async fn next(&mut self) -> Arrival {
        loop {
            if let Some(arrival) = lock(&self.entry.queue).pop() {
                return arrival;
            }
            self.entry.bell.notified().await;
        }
    }

    /// Closes the request of which the daemon knows nothing: it is not told that the reader has gone.
    pub(crate) fn dismiss(mut self) {
        self.dismissed = true;
    }

    /// Where the answer comes from.
    pub(crate) fn path(&self) -> &InterfacePath {
        &self.entry.path
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        lock(&self.open.entries).remove(&self.entry.id);
        if self.dismissed || lock(&self.entry.queue).is_closed() {
            return;
        }
        tracing::info!(path = %self.entry.path, "the reader has gone before the end of the answer");
        lock(&self.open.gone).push((self.entry.account.clone(), self.entry.id.clone()));
        self.open.bell.notify_one();
    }
}

async fn report(inlet: &Inlet, account: &Account, id: &str) {
    if tokio::time::timeout(HANG_UP_TIME, inlet.hang_up(account, id))
        .await
        .is_err()
    {
        tracing::warn!(id, "the daemon did not take notice of a reader that has gone");
    }
}

/// What a lock guards stays sound when its holder panics: every change is one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
