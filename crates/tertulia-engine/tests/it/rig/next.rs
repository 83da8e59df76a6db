//! The configuration as it would be read again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tertulia_engine::{Live, Reload, Reloaded};

/// The configuration as it would be read again; panics until there is one.
#[derive(Default)]
pub(crate) struct Next {
    file: Mutex<Option<Result<Live, String>>>,
    takes: Mutex<Duration>,
    reading: AtomicUsize,
    most_reading: AtomicUsize,
}

impl Next {
    /// What the next reading gives.
    pub(crate) fn is(&self, file: Result<Live, String>) {
        *self.file.lock().unwrap() = Some(file);
    }

    /// How long a reading takes from now on.
    pub(crate) fn takes(&self, takes: Duration) {
        *self.takes.lock().unwrap() = takes;
    }

    /// How many readings there were at once, at most.
    pub(crate) fn most_reading(&self) -> usize {
        self.most_reading.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Reload for Next {
    async fn reload(&self) -> Result<Reloaded, String> {
        let reading = self.reading.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_reading.fetch_max(reading, Ordering::SeqCst);
        let takes = *self.takes.lock().unwrap();
        tokio::time::sleep(takes).await;
        let file = self.file.lock().unwrap().clone();
        self.reading.fetch_sub(1, Ordering::SeqCst);
        let live = file.unwrap()?;
        let notes = vec!["the port is another one after a restart".to_owned()];
        Ok(Reloaded { live, notes })
    }
}
