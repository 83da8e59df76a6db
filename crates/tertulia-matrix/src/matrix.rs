//! The interface itself: what each method of the contract comes to.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tertulia_interface::{FetchError, Inlet, Interface, ListenError};
use tertulia_message::path::{InterfaceName, InterfacePath};
use tertulia_message::{Account, DeliverError, FileRef, Found, Limits, Outbound, Receipt, Signal};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::deliver::Uploads;
use crate::error::Error;
use crate::find::Heard;
use crate::pace::Paces;
use crate::place::Place;
use crate::rooms::Rooms;
use crate::session::Session;
use crate::signs::Signs;
use crate::{deliver, fetch, find, listen, pace, signs, sizes, verify};

/// One Matrix account on one device as an interface of the daemon.
pub struct Matrix {
    pub(crate) name: String,
    pub(crate) config: Config,
    /// Logged in, once listening has begun.
    pub(crate) session: OnceCell<Session>,
    /// What is known about rooms, in memory.
    pub(crate) rooms: Rooms,
    /// What is being shown at the moment.
    pub(crate) signs: Signs,
    /// People who verify the bot.
    pub(crate) verifying: verify::Desk,
    /// What was accepted of late.
    pub(crate) heard: Heard,
    /// Files that were uploaded of late.
    pub(crate) uploads: Uploads,
    /// How often the server lets us send.
    pub(crate) paces: Arc<Paces>,
}

impl Matrix {
    /// An interface of this name. Nothing is sent, and nothing written, before it listens.
    ///
    /// # Errors
    /// A name, or anything in the configuration, that cannot be used.
    pub fn new(name: &str, config: Config) -> Result<Self, Error> {
        let name = InterfaceName::parse(name).map_err(|_| Error::Name)?.as_str().to_owned();
        config.check()?;
        Ok(Self {
            name,
            config,
            session: OnceCell::new(),
            rooms: Rooms::default(),
            signs: Signs::default(),
            verifying: verify::Desk::default(),
            heard: Heard::default(),
            uploads: Uploads::default(),
            paces: Arc::new(Paces::new()),
        })
    }

    /// The bot's identity: its id, which stays when the token, the password or the device changes.
    pub(crate) fn account(&self, session: &Session) -> Account {
        Account {
            interface: self.name.clone(),
            identity: session.user.to_string(),
        }
    }

    /// The place of a path, if it is one of ours.
    pub(crate) fn place(&self, path: &InterfacePath) -> Option<Place> {
        let ours = path.interface() == self.name;
        ours.then(|| Place::try_from(path).ok()).flatten()
    }

    /// The pace of the edits of one message: the server counts all that the account sends, so that answers which are made at the
    /// same time share it.
    pub(crate) fn every(&self) -> Duration {
        let answers = u32::try_from(self.signs.at_work()).unwrap_or(u32::MAX);
        self.paces.every().saturating_mul(answers.max(1)).min(pace::SLOWEST)
    }
}

#[async_trait]
impl Interface for Matrix {
    fn limits(&self, path: &InterfacePath) -> Limits {
        let place = self.place(path);
        // what is not known may be encrypted, and fits there
        let is_encrypted = place.is_none_or(|place| self.rooms.may_be_encrypted(place.room()));
        sizes::limits(is_encrypted, self.config.stream, self.every())
    }

    async fn listen(&self, inlet: Inlet, stop: CancellationToken) -> Result<(), ListenError> {
        let stopped = stop.run_until_cancelled(Box::pin(listen::listen(self, &inlet))).await;
        stopped.map_or(Ok(()), Err)
    }

    async fn deliver(&self, outbound: &Outbound) -> Result<Receipt, DeliverError> {
        deliver::deliver(self, outbound).await
    }

    async fn signal(&self, path: &InterfacePath, re: &str, signal: Signal) {
        signs::show(self, path, re, signal);
    }

    async fn find(&self, outbound: &Outbound) -> Found {
        find::find(self, outbound).await
    }

    async fn fetch(&self, file: &FileRef) -> Result<Vec<u8>, FetchError> {
        fetch::fetch(self, file).await
    }
}

impl std::fmt::Debug for Matrix {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Matrix")
            .field("name", &self.name)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
