//! The console: the socket at which whoever owns this machine, or this daemon, governs the daemon while it runs.
//!
//! # Who may
//! The kernel tells the user at the other end: root and the daemon's own user are admins, `console/<uid>`; anybody else
//! reads one line and is cut off. The socket stands in a directory of its own, or in the state directory: see [`place`].
//!
//! # What is said
//! Lines of JSON, at most [`wire::LONGEST_LINE`] bytes each, one request after the other:
//!
//! | request | what is answered before the end |
//! |---|---|
//! | `{"command":"status","arguments":"..."}` | lines `{"text":"..."}`, in Markdown, which are one text |
//! | `{"ask":"claim"}` | `{"text":"..."}`: a new code with which somebody becomes the first admin |
//! | `{"ask":"health"}` | lines `{"text":"..."}`: what is alive; the end is an error if something is not |
//! | `{"import":[{"key","path","speaker","text","at"},...]}` | `{"imported":{"added":1,"known":0}}` |
//!
//! The end is `{"done":true}`, or `{"error":"..."}` in words for whoever asked; a command that was refused is an error, too.
//! What is no request is answered by an error, and the connection is closed. A client that closes its side stops what it
//! has asked, as at every door. Nothing that is said here ever reaches a model, except by a command that says so.

mod answers;
pub(crate) mod client;
mod commands;
mod connection;
mod hall;
mod line;
mod place;
mod socket;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tertulia_interface::{FetchError, Inlet, Interface, ListenError};
use tertulia_message::path::InterfacePath;
use tertulia_message::{DeliverError, FileRef, Found, Limits, Outbound, Receipt, Signal};
use tertulia_ports::Store;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use answers::Answers;
use hall::Hall;

pub(crate) use commands::{SHELL_WORDS, of_shell};
pub(crate) use hall::Engine;
pub(crate) use socket::{Socket, own_user};
pub(crate) use wire::{Line, Sums};

/// The name of the interface. No other interface may have it, and no setting speaks of it.
pub(crate) const NAME: &str = "console";

/// Connections at once.
const CONNECTIONS: usize = 64;

/// How long requests may take to end when the daemon stops.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The interface behind the socket.
pub(crate) struct Console {
    socket: Socket,
    store: Arc<dyn Store>,
    engine: Engine,
    answers: Arc<Answers>,
}

impl Console {
    /// A console at a bound socket. It answers nobody before it listens; the engine may be put into its cell later.
    pub(crate) fn new(socket: Socket, store: Arc<dyn Store>, engine: Engine) -> Self {
        tracing::info!(socket = %socket.file().display(), "`tertulia <command>` is answered");
        Self {
            socket,
            store,
            engine,
            answers: Arc::default(),
        }
    }
}

#[async_trait]
impl Interface for Console {
    fn limits(&self, _path: &InterfacePath) -> Limits {
        Limits::of_door()
    }

    async fn listen(&self, inlet: Inlet, stop: CancellationToken) -> Result<(), ListenError> {
        let hall = Arc::new(Hall {
            inlet,
            store: Arc::clone(&self.store),
            engine: Arc::clone(&self.engine),
            answers: Arc::clone(&self.answers),
            room: Semaphore::new(CONNECTIONS),
            owner: self.socket.owner(),
        });
        let mut connections = JoinSet::new();
        loop {
            let stream = tokio::select! {
                () = stop.cancelled() => break,
                stream = self.socket.accept() => stream,
                Some(ended) = connections.join_next() => {
                    if let Err(error) = ended {
                        tracing::error!(%error, "a connection to the console died");
                    }
                    continue;
                }
            };
            match stream {
                Ok(stream) => drop(connections.spawn(connection::serve(Arc::clone(&hall), stream, stop.clone()))),
                Err(error) => return Err(ListenError::Broken(error.to_string())),
            }
        }
        self.socket.remove();
        let end = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(LAST_WORDS, end).await.is_err() {
            connections.shutdown().await;
        }
        Ok(())
    }

    async fn deliver(&self, _outbound: &Outbound) -> Result<Receipt, DeliverError> {
        Err(DeliverError::Refused("nobody reads messages at the console".to_owned()))
    }

    async fn signal(&self, path: &InterfacePath, re: &str, signal: Signal) {
        self.answers.signal(path, re, signal);
    }

    async fn find(&self, _outbound: &Outbound) -> Found {
        Found::Absent
    }

    async fn fetch(&self, _file: &FileRef) -> Result<Vec<u8>, FetchError> {
        Err(FetchError::Gone)
    }
}
