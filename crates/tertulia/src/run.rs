//! `tertulia run`: takes what must be ours alone, opens the store, assembles, and runs until a signal comes.

pub(crate) mod assemble;
mod discover;
mod greeting;
mod ollama_probe;
mod signals;
mod supervisor;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tertulia_core::transaction::Transaction;
use tertulia_engine::Engine;
use tertulia_ports::{Store, StoreError};
use tertulia_server::{BindError, Bound, Server};
use tertulia_store::{OpenError, Options, SqliteStore};
use tokio::runtime::Runtime;

use crate::config::{Configuration, Sources};
use crate::environment::Environment;
use crate::failure::{Failure, chain};
use crate::{lock, logging};
use discover::Answering;

/// How long threads that block may take to end after everything else has.
const LAST_THREADS: Duration = Duration::from_secs(1);

/// Runs the daemon.
pub(crate) fn run(file: Option<PathBuf>, port: Option<u16>) -> Result<(), Failure> {
    let environment = Environment::of_process();
    let configuration = Configuration::read(&Sources { file, port }, &environment)
        .map_err(|error| Failure::config(error.to_string()))?;
    logging::start(&configuration.log, &configuration.secrets);
    let lock = lock::take(&configuration.directory)?;
    let runtime = runtime()?;
    let ended = runtime.block_on(serve(&configuration, &environment));
    runtime.shutdown_timeout(LAST_THREADS);
    drop(lock);
    ended
}

/// Two threads are enough for everything that waits; what blocks has its own.
fn runtime() -> Result<Runtime, Failure> {
    let built = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .thread_name("tertulia")
        .enable_all()
        .build();
    built.map_err(|error| Failure::broken(format!("the runtime could not be started: {error}")))
}

async fn serve(configuration: &Configuration, environment: &Environment) -> Result<(), Failure> {
    // before anything else, so that no signal finds us without an answer
    let signals = signals::Signals::new()?;
    let bound = match &configuration.door {
        Some(_) => Some(bind(configuration).await?),
        None => None,
    };
    let address = bound.as_ref().map(Bound::address);
    let (store, answering) = tokio::join!(
        supervisor::while_opening(open(configuration)),
        Answering::find(configuration, environment, address)
    );
    let (store, answering) = (store?, answering?);
    let parts = assemble::parts(configuration, &answering, bound, store.clone());
    let engine = Engine::new(parts).map_err(|error| Failure::broken(chain(&error)))?;
    if let Some(address) = address {
        tracing::info!(%address, "listening");
    }
    if let Some(found) = &answering.found {
        greeting::print(found, address);
    }
    supervisor::ready(&ready(address));
    let ended = tokio::select! {
        ended = signals.run(engine) => ended,
        never = supervisor::feed_watchdog(|| writes(&store)) => match never {},
    };
    store.close().await;
    tracing::info!("stopped");
    ended
}

/// What `systemctl status` shows of a daemon that is as it should be.
fn ready(address: Option<SocketAddr>) -> String {
    match address {
        Some(address) => format!("ready, listening on {address}"),
        None => "ready".to_owned(),
    }
}

/// Whether the store's writer answers; that it has no room at the moment is an answer, too.
async fn writes(store: &SqliteStore) -> bool {
    let nothing = Transaction::Notice { slots: Vec::new() };
    !matches!(store.commit(nothing).await, Err(StoreError::Broken(_)))
}

async fn bind(configuration: &Configuration) -> Result<Bound, Failure> {
    let bound = Server::bind(configuration.server.address).await;
    bound.map_err(|error| match error {
        BindError::InUse(address) => Failure::busy(format!(
            "the port of {address} (server.port) is in use: another instance runs, or another program has it"
        )),
        BindError::Failed { .. } => Failure::config(format!("{} (server.bind, server.port)", chain(&error))),
    })
}

/// Opening may migrate, which takes its time and blocks.
async fn open(configuration: &Configuration) -> Result<Arc<SqliteStore>, Failure> {
    let directory = configuration.directory.clone();
    let options = Options::new(Arc::new(|| now().as_millisecond()));
    let opened = tokio::task::spawn_blocking(move || SqliteStore::open(&directory, options)).await;
    let shown = configuration.directory.display();
    match opened {
        Ok(Ok(store)) => Ok(Arc::new(store)),
        Ok(Err(error)) => {
            let sentence = format!("the database in {shown} (store.directory): {}", chain(&error));
            Err(unopened(&error)(sentence))
        }
        Err(error) => Err(Failure::broken(format!("the database in {shown}: {error}"))),
    }
}

/// What a database that does not open is for the supervisor: only what may pass is worth another start.
fn unopened(error: &OpenError) -> fn(String) -> Failure {
    match error {
        OpenError::TooNew { .. } | OpenError::Edited(_) | OpenError::Corrupt(_) | OpenError::NotDurable(_) => {
            Failure::config
        }
        OpenError::Locked(_) => Failure::busy,
        OpenError::Io(_) | OpenError::Migration(_) => Failure::broken,
    }
}

/// The wall clock, for those who ask for one.
fn now() -> Timestamp {
    Timestamp::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: &OpenError, code: u8) {
        assert_eq!(unopened(error)(String::new()).code(), code, "{error}");
    }

    #[test]
    fn a_database_that_stays_closed_is_not_tried_again() {
        let cause = || "a cause".into();
        check(&OpenError::TooNew { found: 2, known: 1 }, 78);
        check(&OpenError::Edited(1), 78);
        check(&OpenError::Corrupt(cause()), 78);
        check(&OpenError::NotDurable("no log"), 78);
        check(&OpenError::Locked(cause()), 75);
        check(&OpenError::Io(cause()), 1);
        check(&OpenError::Migration(cause()), 1);
    }
}
