//! The double as an interface of the daemon, in the same process.

mod inbound;
mod listen;

pub(crate) use inbound::inbound;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tertulia_interface::{FetchError, Inlet, Interface, ListenError};
use tertulia_message::path::InterfacePath;
use tertulia_message::{
    Account, Act, Block, DeliverError, FileRef, Found, Inline, Limits, Markup, Outbound, Pace, Post, Progress, Reach,
    Receipt, Signal, TextLimit,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::calls::{NewEdit, NewPost, Refusal, Spot};
use super::place::Place;
use super::{ChatDouble, Kind};

/// How a double presents itself to the daemon.
#[derive(Debug, Clone)]
pub struct DoubleSettings {
    /// The configured name of the interface.
    pub name: String,
    /// How an answer in the making is shown.
    pub progress: Progress,
    /// How often a message may be edited in the making.
    pub pace: Pace,
    /// How many updates are asked for at once.
    pub batch: usize,
    /// The moment from which the double's time is counted: the same for all interfaces of one double.
    pub since: Instant,
}

impl DoubleSettings {
    /// The interface `loopback`, answering by edits, ten updates at once, time from now.
    #[must_use]
    pub fn since(since: Instant) -> Self {
        Self {
            name: "loopback".to_owned(),
            progress: Progress::Edit,
            pace: Pace {
                every: Duration::from_millis(20),
                growth: 1,
            },
            batch: 10,
            since,
        }
    }
}

/// A double as an interface. Dropping it and making a new one over the same double is a restart of the bot.
pub struct DoubleInterface {
    double: Arc<ChatDouble>,
    settings: DoubleSettings,
    limits: Limits,
    account: Account,
}

impl DoubleInterface {
    /// Wraps a double.
    #[must_use]
    pub fn new(double: Arc<ChatDouble>, settings: DoubleSettings) -> Self {
        let rules = double.rules();
        let limits = Limits {
            text: TextLimit::Utf16(rules.text_limit),
            weigh: |markup| markup.plain().encode_utf16().count(),
            caption: 0,
            files: 0,
            progress: settings.progress,
            pace: settings.pace,
            keyed: rules.kind == Kind::Keyed,
            reach: Reach::Always,
            threads: true,
            buttons: rules.buttons,
        };
        let account = Account {
            interface: settings.name.clone(),
            identity: rules.identity,
        };
        Self {
            double,
            settings,
            limits,
            account,
        }
    }

    /// The account whose events it hands in.
    #[must_use]
    pub fn account(&self) -> &Account {
        &self.account
    }

    fn now(&self) -> Duration {
        self.settings.since.elapsed()
    }

    fn spot(&self, path: &InterfacePath) -> Result<Spot, DeliverError> {
        if path.interface() != self.settings.name {
            return Err(DeliverError::Malformed("a path of another interface".to_owned()));
        }
        let place = Place::try_from(path).map_err(|error| DeliverError::Malformed(error.to_string()))?;
        Ok(Spot::from(&place))
    }

    fn error(&self, spot: &Spot, refusal: Refusal) -> DeliverError {
        match refusal {
            Refusal::RateLimited { after, scope } => DeliverError::RateLimited { after, scope },
            Refusal::Lost => DeliverError::Lost("no connection".to_owned()),
            Refusal::Unsure | Refusal::CannotTell => DeliverError::Unsure("the connection broke".to_owned()),
            Refusal::TooLong => DeliverError::TooLong,
            Refusal::Malformed(what) => DeliverError::Malformed(what.to_owned()),
            Refusal::NoMessage => DeliverError::Missing("no such message".to_owned()),
            Refusal::Gone => DeliverError::Gone("no such chat".to_owned()),
            Refusal::Refused => DeliverError::Refused("may not write there".to_owned()),
            Refusal::Moved(chat) => self.moved(spot, chat),
        }
    }

    /// The same thread in the chat's new place.
    fn moved(&self, spot: &Spot, chat: String) -> DeliverError {
        let thread = spot.thread.clone();
        let path = Place::from(&Spot { chat, thread }).path(&self.settings.name);
        path.map_or_else(|error| DeliverError::Gone(error.to_string()), DeliverError::Moved)
    }
}

#[async_trait]
impl Interface for DoubleInterface {
    fn limits(&self, _path: &InterfacePath) -> Limits {
        self.limits
    }

    async fn listen(&self, inlet: Inlet, stop: CancellationToken) -> Result<(), ListenError> {
        stop.run_until_cancelled(listen::listen(self, inlet)).await;
        Ok(())
    }

    async fn deliver(&self, outbound: &Outbound) -> Result<Receipt, DeliverError> {
        let spot = self.spot(&outbound.path)?;
        let done = match &outbound.act {
            Act::Post(post) => self.double.post(self.now(), &new_post(&spot, outbound, post)),
            Act::Edit { id, post } => {
                let edit = NewEdit {
                    spot: spot.clone(),
                    message: id.clone(),
                    text: post.markup.plain(),
                    formatted: is_formatted(&post.markup),
                    buttons: tokens(post),
                    key: Some(outbound.key.clone()),
                };
                self.double.edit(self.now(), &edit).map(|_| id.clone())
            }
            Act::Delete { id } => self.double.delete(self.now(), &spot, id).map(|()| id.clone()),
        };
        done.map(|id| Receipt { id })
            .map_err(|refusal| self.error(&spot, refusal))
    }

    async fn signal(&self, path: &InterfacePath, re: &str, signal: Signal) {
        let Ok(spot) = self.spot(path) else { return };
        match signal {
            Signal::Typing => self.double.typing(self.now(), &spot),
            // a draft that is not taken is a violation already, and a sign has no errors
            Signal::Preview { markup, .. } => drop(self.double.preview(self.now(), &spot, &markup.plain())),
            Signal::Pressed(text) => self.double.answer_press(self.now(), re, &text),
            _ => {}
        }
    }

    async fn find(&self, outbound: &Outbound) -> Found {
        let (Ok(spot), Act::Post(post)) = (self.spot(&outbound.path), &outbound.act) else {
            return Found::CannotTell;
        };
        match self.double.find(self.now(), &new_post(&spot, outbound, post)) {
            Ok(Some(id)) => Found::Found(id),
            Ok(None) => Found::Absent,
            Err(_) => Found::CannotTell,
        }
    }

    async fn fetch(&self, _file: &FileRef) -> Result<Vec<u8>, FetchError> {
        Err(FetchError::Gone)
    }
}

fn new_post(spot: &Spot, outbound: &Outbound, post: &Post) -> NewPost {
    NewPost {
        spot: spot.clone(),
        text: post.markup.plain(),
        formatted: is_formatted(&post.markup),
        buttons: tokens(post),
        key: Some(outbound.key.clone()),
        in_reply_to: outbound.re.as_ref().map(|re| re.id.clone()),
    }
}

fn tokens(post: &Post) -> Vec<String> {
    post.buttons.iter().map(|button| button.token.clone()).collect()
}

/// True if there is more to the text than its characters.
fn is_formatted(markup: &Markup) -> bool {
    let plain = |inline: &Inline| matches!(inline, Inline::Text(_));
    let plain_block = |block: &Block| matches!(block, Block::Paragraph(inlines) if inlines.iter().all(plain));
    !markup.blocks.iter().all(plain_block)
}
