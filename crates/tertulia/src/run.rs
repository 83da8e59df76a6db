//! `tertulia run`: takes what must be ours alone, opens the store, assembles, and runs until a signal comes.

pub(crate) mod assemble;
mod cards;
pub(crate) mod discover;
mod greeting;
mod ollama_probe;
mod readiness;
mod reload;
mod signals;
mod status;
mod supervisor;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use tertulia_engine::{Engine, Handle, Parts};
use tertulia_server::{BindError, Bound, Server};
use tertulia_store::{OpenError, Options, SqliteStore};
use tokio::runtime::Runtime;
use tokio::sync::Mutex;

use crate::config::{Configuration, Sources};
use crate::control::{self, Console, Socket};
use crate::environment::Environment;
use crate::failure::{Failure, chain};
use crate::logging::Logging;
use crate::{lock, logging};
use discover::Answering;
use readiness::EngineReadiness;
use reload::Reloading;
use status::Status;

/// How long threads that block may take to end after everything else has.
const LAST_THREADS: Duration = Duration::from_secs(1);

/// How long each part of the engine may take to show that it is alive.
const ALIVE: Duration = Duration::from_secs(5);

/// The running engine; empty until it is assembled.
type EngineCell = Arc<OnceLock<Handle>>;

/// Runs the daemon.
pub(crate) fn run(file: Option<PathBuf>, port: Option<u16>) -> Result<(), Failure> {
    let environment = Environment::of_process();
    let sources = Sources { file, port };
    let configuration =
        Configuration::read(&sources, &environment).map_err(|error| Failure::config(error.to_string()))?;
    let logging = logging::start(&configuration.log, &configuration.secrets);
    let lock = lock::take(&configuration.directory)?;
    let runtime = runtime()?;
    let start = Start {
        sources,
        environment,
        configuration,
        logging,
    };
    let ended = runtime.block_on(start.serve());
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

/// What the daemon starts from.
struct Start {
    sources: Sources,
    environment: Environment,
    configuration: Configuration,
    logging: Logging,
}

impl Start {
    async fn serve(self) -> Result<(), Failure> {
        // before anything else, so that no signal finds us without an answer
        let signals = signals::Signals::new()?;
        let configuration = &self.configuration;
        let bound = match &configuration.door {
            Some(_) => Some(bind(configuration).await?),
            None => None,
        };
        let address = bound.as_ref().map(Bound::address);
        let (store, answering) = tokio::join!(
            supervisor::while_opening(open(configuration)),
            Answering::find(configuration, &self.environment, address, None)
        );
        let (store, answering) = (store?, answering?);
        let mut found = answering.found.clone().unwrap_or_default();
        found.extend(configuration.found.iter().cloned());
        let prefix = configuration.command_prefix().map(str::to_owned);
        let socket = Socket::bind(&configuration.directory, &self.environment).await?;
        let socket_file = socket.file().to_owned();
        let (engine, reloading) = self.assemble(answering, bound, socket, store.clone())?;
        engine.prepare().await.map_err(|error| Failure::broken(chain(&error)))?;
        if let Some(address) = address {
            tracing::info!(%address, "listening");
        }
        if !found.is_empty() {
            greeting::print(&found, address);
        }
        let handle = engine.handle();
        if let Some(code) = handle.open_claim() {
            greeting::print_claim(&code, prefix.as_deref());
        }
        let status = Status {
            handle: &handle,
            store: &*store,
            address,
        };
        supervisor::ready(&status.first());
        let ended = tokio::select! {
            ended = signals.run(engine) => ended,
            never = supervisor::feed_watchdog(|| is_alive(&handle)) => match never {},
            never = status.keep() => match never {},
            never = reloading.keep_cards() => match never {},
        };
        // a console that was stopped before it listened has left it there
        let _ = std::fs::remove_file(socket_file);
        store.close().await;
        tracing::info!("stopped");
        ended
    }

    /// Puts everything together; nothing runs yet.
    fn assemble(
        self,
        answering: Answering,
        bound: Option<Bound>,
        socket: Socket,
        store: Arc<SqliteStore>,
    ) -> Result<(Engine, Arc<Reloading>), Failure> {
        let cell = EngineCell::default();
        let configuration = self.configuration;
        let address = bound.as_ref().map(Bound::address);
        let readiness = Arc::new(EngineReadiness::new(Arc::clone(&cell)));
        let live = assemble::live(&configuration, &answering);
        let door = assemble::door(&configuration, &answering, bound, readiness);
        let secrets = reload::secrets(&configuration.platforms);
        let platforms = configuration.platforms.into_iter();
        let mut interfaces: BTreeMap<_, _> = platforms.map(|(name, platform)| (name, platform.interface)).collect();
        let claimable = !interfaces.is_empty();
        if let (Some(name), Some(door)) = (&configuration.door, &door) {
            interfaces.insert(name.as_str().to_owned(), Arc::clone(door) as _);
        }
        let console = Console::new(socket, Arc::clone(&store) as _, Arc::clone(&cell));
        interfaces.insert(control::NAME.to_owned(), Arc::new(console));
        let reload = Arc::new(Reloading {
            sources: self.sources,
            environment: self.environment,
            logging: self.logging,
            door,
            door_name: configuration.door,
            address,
            started_with: configuration.settings,
            platforms: secrets,
            answering: Mutex::new(answering),
        });
        let engine = Engine::new(Parts {
            store,
            interfaces,
            claimable,
            live,
            reload: Some(Arc::clone(&reload) as _),
        });
        let engine = engine.map_err(|error| Failure::broken(chain(&error)))?;
        // it is empty: this is the only place that fills it
        let _ = cell.set(engine.handle());
        Ok((engine, reload))
    }
}

/// Whether everything that a restart would mend still answers; if not, the log says what does not.
async fn is_alive(handle: &Handle) -> bool {
    let alive = handle.is_alive(ALIVE).await;
    if let Err(part) = &alive {
        tracing::error!(part, "a part of the daemon is dead");
    }
    alive.is_ok()
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
pub(crate) fn now() -> Timestamp {
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
