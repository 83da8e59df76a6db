//! The interface itself: what each method of the contract comes to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use teloxide::payloads::GetMe;
use tertulia_interface::{FetchError, Inlet, Interface, ListenError};
use tertulia_message::path::{InterfaceName, InterfacePath};
use tertulia_message::{Account, DeliverError, FileRef, Found, Limits, Outbound, Receipt, Signal};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::api::Api;
use crate::config::Config;
use crate::error::{CallError, Error};
use crate::forums::Forums;
use crate::gates::Gates;
use crate::place::Place;
use crate::signs::{Signs, Stage};
use crate::{deliver, fetch, limits, listen, signs, wire};

/// One Telegram bot as an interface of the daemon.
#[derive(Debug)]
pub struct Telegram {
    pub(crate) name: String,
    pub(crate) config: Config,
    pub(crate) api: Arc<Api>,
    /// Until when which chat takes nothing.
    pub(crate) gates: Arc<Gates>,
    /// Which chats have topics.
    pub(crate) forums: Arc<Forums>,
    /// What is being shown at the moment: typing, drafts.
    pub(crate) signs: Signs,
    me: OnceCell<wire::Me>,
    has_drafts: Arc<AtomicBool>,
}

impl Telegram {
    /// An interface of this name. Nothing is sent before it listens or delivers.
    ///
    /// # Errors
    /// A name, a token or an address that cannot be used.
    pub fn new(name: &str, config: Config) -> Result<Self, Error> {
        let name = InterfaceName::parse(name)?.as_str().to_owned();
        let api = Arc::new(Api::new(&config)?);
        let gates = Arc::<Gates>::default();
        let forums = Arc::<Forums>::default();
        let has_drafts = Arc::<AtomicBool>::default();
        let stage = Stage::new(&api, &gates, &forums, &has_drafts);
        Ok(Self {
            name,
            signs: Signs::on(stage),
            api,
            config,
            gates,
            forums,
            me: OnceCell::new(),
            has_drafts,
        })
    }

    /// What Telegram says about us; asked until it is known.
    pub(crate) async fn me(&self) -> Result<&wire::Me, CallError> {
        self.me
            .get_or_try_init(|| async { self.api.call(&GetMe::new()).await })
            .await
    }

    /// The bot's identity: its number, which stays when the token changes.
    pub(crate) fn account(&self, me: &wire::Me) -> Account {
        Account {
            interface: self.name.clone(),
            identity: me.id.to_string(),
        }
    }

    /// The place of a path, if it is one of ours.
    pub(crate) fn place(&self, path: &InterfacePath) -> Option<Place> {
        let ours = path.interface() == self.name;
        ours.then(|| Place::try_from(path).ok()).flatten()
    }

    /// True once the server was seen to have drafts.
    pub(crate) fn has_drafts(&self) -> bool {
        self.has_drafts.load(Ordering::Relaxed)
    }

    pub(crate) fn note_drafts(&self, has_drafts: bool) {
        self.has_drafts.store(has_drafts, Ordering::Relaxed);
    }
}

#[async_trait]
impl Interface for Telegram {
    fn limits(&self, path: &InterfacePath) -> Limits {
        limits::limits(self, path)
    }

    async fn listen(&self, inlet: Inlet, stop: CancellationToken) -> Result<(), ListenError> {
        let stopped = stop.run_until_cancelled(listen::listen(self, &inlet)).await;
        stopped.map_or(Ok(()), Err)
    }

    async fn deliver(&self, outbound: &Outbound) -> Result<Receipt, DeliverError> {
        deliver::deliver(self, outbound).await
    }

    async fn signal(&self, path: &InterfacePath, re: &str, signal: Signal) {
        signs::show(self, path, re, signal);
    }

    /// A bot cannot read what it has written, and Telegram's posts have no keys.
    async fn find(&self, _outbound: &Outbound) -> Found {
        Found::CannotTell
    }

    async fn fetch(&self, file: &FileRef) -> Result<Vec<u8>, FetchError> {
        fetch::fetch(self, file).await
    }
}
