//! A double, and interfaces that listen to it.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "test code")]

use std::sync::Arc;
use std::time::Duration;

use tertulia_interface::{Inlet, Interface, ListenError};
use tertulia_message::Secret;
use tertulia_telegram::{Config, Telegram};
use tertulia_testkit::telegram_double::{Settings, TelegramDouble};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::ear::Ear;

/// A wait that does not end in this time never will.
const PATIENCE: Duration = Duration::from_mins(1);

/// A double that lets the bot hear everything.
pub(crate) async fn double() -> TelegramDouble {
    let settings = Settings {
        privacy: false,
        ..Settings::default()
    };
    TelegramDouble::start(settings).await.unwrap()
}

pub(crate) fn interface(double: &TelegramDouble) -> Arc<Telegram> {
    let config = Config {
        base_url: double.base_url(),
        ..Config::official(Secret::new(double.token()))
    };
    Arc::new(Telegram::new("telegram_bot", config).unwrap())
}

/// An interface that listens.
pub(crate) struct Listening {
    pub(crate) ear: Arc<Ear>,
    pub(crate) telegram: Arc<Telegram>,
    stop: CancellationToken,
    task: JoinSet<Result<(), ListenError>>,
}

impl Listening {
    pub(crate) fn start(double: &TelegramDouble) -> Self {
        Self::with(double, Arc::new(Ear::new()))
    }

    /// As after a restart, if the ear has heard something already.
    pub(crate) fn with(double: &TelegramDouble, ear: Arc<Ear>) -> Self {
        let (telegram, stop) = (interface(double), CancellationToken::new());
        let (inlet, token) = (Inlet::new(Arc::clone(&ear) as _), stop.clone());
        let mut task = JoinSet::new();
        let listener = Arc::clone(&telegram);
        task.spawn(async move { listener.listen(inlet, token).await });
        Self {
            ear,
            telegram,
            stop,
            task,
        }
    }

    pub(crate) async fn hears(&self, count: usize) {
        eventually("it hears what was said", || self.ear.events().len() >= count).await;
    }

    /// How it ended.
    pub(crate) async fn ended(mut self) -> Result<(), ListenError> {
        let ended = tokio::time::timeout(PATIENCE, self.task.join_next()).await;
        ended.expect("it ends").unwrap().unwrap()
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        assert!(self.ended().await.is_ok());
    }
}

/// Waits until something holds that no event tells.
pub(crate) async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let done = tokio::time::timeout(PATIENCE, wait).await;
    assert!(done.is_ok(), "it never came to this: {what}");
}
