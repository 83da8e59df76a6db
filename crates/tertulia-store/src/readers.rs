//! Two connections that only read, lent to blocking tasks.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, Transaction};
use tokio::sync::Semaphore;

use crate::fault::Fault;
use crate::open::{self, OpenError, Options};

/// How many read at once.
const READERS: usize = 2;

/// Two connections that only read.
pub(crate) struct Readers {
    permits: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub(crate) fn open(file: &Path, options: &Options) -> Result<Self, OpenError> {
        let idle: Result<Vec<_>, _> = (0..READERS).map(|_| open::reader(file, options)).collect();
        Ok(Self {
            permits: Arc::new(Semaphore::new(READERS)),
            idle: Arc::new(Mutex::new(idle?)),
        })
    }

    /// Reads at one moment: everything `read` sees was committed together.
    pub(crate) async fn read<T, F>(&self, read: F) -> Result<T, Fault>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction<'_>) -> Result<T, Fault> + Send + 'static,
    {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| Fault::Closed)?;
        let idle = self.idle.clone();
        let task = tokio::task::spawn_blocking(move || {
            let mut connection = take(&idle).ok_or(Fault::Closed)?;
            let answer = snapshot(&mut connection, read);
            give_back(&idle, connection);
            // Kept until here: who asked may go away before the connection is back.
            drop(permit);
            answer
        });
        task.await.map_err(|error| Fault::Damaged(Arc::new(error)))?
    }

    /// Ends reading: who asks later is refused.
    pub(crate) fn close(&self) {
        self.permits.close();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

fn snapshot<T>(
    connection: &mut Connection,
    read: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let tx = connection.transaction()?;
    let answer = read(&tx)?;
    tx.finish()?;
    Ok(answer)
}

fn take(idle: &Mutex<Vec<Connection>>) -> Option<Connection> {
    idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

fn give_back(idle: &Mutex<Vec<Connection>>, connection: Connection) {
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
}
