//! The interface itself: what each method of the contract comes to.

use std::time::Duration;

use async_trait::async_trait;
use tertulia_interface::{FetchError, Inlet, Interface, ListenError};
use tertulia_message::path::{InterfaceName, InterfacePath};
use tertulia_message::{
    Act, DeliverError, FileRef, Found, Limits, Outbound, Pace, Progress, Reach, Receipt, Signal, TextLimit,
};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::config::{Config, ShownProgress};
use crate::error::{CallError, Error};
use crate::place::Place;
use crate::{deliver, listen, render, wire};

/// The limit that holds until the platform has told its own, in UTF-16 code units.
const CAUTIOUS_LIMIT: usize = 200;
const PACE: Pace = Pace {
    every: Duration::from_millis(50),
    growth: 1,
};

/// The loopback platform as an interface of the daemon.
#[derive(Debug)]
pub struct Loopback {
    pub(crate) name: String,
    pub(crate) client: Client,
    progress: Progress,
    me: OnceCell<wire::Me>,
}

impl Loopback {
    /// An interface of this name. Nothing is sent before it listens or delivers.
    ///
    /// # Errors
    /// A name or an address that cannot be used.
    pub fn new(name: &str, config: &Config) -> Result<Self, Error> {
        Ok(Self {
            name: InterfaceName::parse(name)?.as_str().to_owned(),
            client: Client::new(config)?,
            progress: match config.progress {
                ShownProgress::Edit => Progress::Edit,
                ShownProgress::Hidden => Progress::Hidden,
            },
            me: OnceCell::new(),
        })
    }

    /// What the platform says about us; asked until it is known.
    pub(crate) async fn me(&self) -> Result<&wire::Me, CallError> {
        self.me.get_or_try_init(|| self.client.me()).await
    }

    pub(crate) fn place(&self, path: &InterfacePath) -> Option<Place> {
        let ours = path.interface() == self.name;
        ours.then(|| Place::try_from(path).ok()).flatten()
    }
}

#[async_trait]
impl Interface for Loopback {
    /// Until the platform has told what it can, it is taken to know nothing about keys.
    fn limits(&self, _path: &InterfacePath) -> Limits {
        let me = self.me.get();
        Limits {
            text: TextLimit::Utf16(me.map_or(CAUTIOUS_LIMIT, |me| me.limit)),
            weigh: render::weigh,
            caption: 0,
            files: 0,
            progress: self.progress,
            pace: PACE,
            keyed: me.is_some_and(|me| me.keyed),
            reach: Reach::Always,
            threads: true,
            buttons: false,
        }
    }

    async fn listen(&self, inlet: Inlet, stop: CancellationToken) -> Result<(), ListenError> {
        let stopped = stop.run_until_cancelled(listen::listen(self, &inlet)).await;
        stopped.map_or(Ok(()), Err)
    }

    async fn deliver(&self, outbound: &Outbound) -> Result<Receipt, DeliverError> {
        deliver::deliver(self, outbound).await
    }

    async fn signal(&self, path: &InterfacePath, _re: &str, signal: Signal) {
        if let (Some(place), Signal::Typing) = (self.place(path), signal) {
            deliver::typing(self, &place).await;
        }
    }

    async fn find(&self, outbound: &Outbound) -> Found {
        match &outbound.act {
            Act::Post(post) => deliver::find(self, outbound, post).await,
            Act::Edit { .. } | Act::Delete { .. } => Found::CannotTell,
        }
    }

    async fn fetch(&self, _file: &FileRef) -> Result<Vec<u8>, FetchError> {
        Err(FetchError::Gone)
    }
}
