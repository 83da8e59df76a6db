//! The suite that every interface over a chat double has to pass.

mod delivering;
mod errors;
mod limits;
mod listening;
mod recorder;

use std::sync::Arc;
use std::time::Duration;

use tertulia_interface::{Inlet, Interface, ListenError};
use tertulia_message::path::{InterfacePath, PathError};
use tertulia_message::{Act, DeliverError, Markup, Outbound, Post, Receipt, ReplyRef};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::chat_double::{ChatDouble, Kind, Said, Spot};
pub use recorder::{Mood, Recorder};

/// A platform with nobody on it yet, and the interfaces to it.
pub trait Stage: Send + Sync {
    /// A new interface named `loopback`, as after a restart.
    fn interface(&self) -> Arc<dyn Interface>;
    /// The platform.
    fn double(&self) -> &ChatDouble;
    /// The platform's time.
    fn now(&self) -> Duration;
}

/// Runs the whole suite, each part on a stage of its own.
///
/// # Panics
/// The interface breaks the contract.
pub async fn interface_contract<S, F>(mut stage: S)
where
    S: FnMut(Kind) -> F,
    F: Future<Output = Box<dyn Stage>>,
{
    for kind in [Kind::Keyed, Kind::Findable, Kind::Blind] {
        limits::limits_are_sane_and_known(&*stage(kind).await, kind).await;
        delivering::acts_give_receipts(&*stage(kind).await).await;
        delivering::acts_can_be_repeated(&*stage(kind).await).await;
        delivering::repeated_posts_are_as_the_limits_say(&*stage(kind).await, kind).await;
        delivering::posts_are_found_as_the_platform_can(&*stage(kind).await, kind).await;
    }
    errors::errors_are_what_the_platform_says(&*stage(Kind::Blind).await).await;
    errors::foreign_paths_are_refused(&*stage(Kind::Findable).await).await;
    listening::events_arrive_as_they_were(&*stage(Kind::Blind).await).await;
    listening::nothing_is_confirmed_while_the_store_refuses(&*stage(Kind::Blind).await).await;
    listening::a_restart_goes_on_from_the_mark(&*stage(Kind::Blind).await).await;
    listening::a_crash_after_the_commit_loses_nothing(&*stage(Kind::Blind).await).await;
    listening::a_denial_is_shown(&*stage(Kind::Blind).await).await;
    listening::stop_ends_it_in_every_state(&*stage(Kind::Blind).await).await;
}

/// A wait that does not end in this time never will.
const PATIENCE: Duration = Duration::from_secs(20);

async fn within<T>(what: &str, wait: impl Future<Output = T>) -> Option<T> {
    let done = tokio::time::timeout(PATIENCE, wait).await.ok();
    assert!(done.is_some(), "it never came to this: {what}");
    done
}

/// Waits until something holds that no event tells.
async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within(what, wait).await;
}

/// An interface that listens.
struct Listening {
    stop: CancellationToken,
    task: JoinSet<Result<(), ListenError>>,
}

impl Listening {
    fn start(stage: &dyn Stage, recorder: &Arc<Recorder>) -> Self {
        let (interface, stop) = (stage.interface(), CancellationToken::new());
        Self::with(interface, recorder, stop)
    }

    fn with(interface: Arc<dyn Interface>, recorder: &Arc<Recorder>, stop: CancellationToken) -> Self {
        let (inlet, token) = (Inlet::new(Arc::clone(recorder) as _), stop.clone());
        let mut task = JoinSet::new();
        task.spawn(async move { interface.listen(inlet, token).await });
        Self { stop, task }
    }

    /// Asks it to stop, and checks that it does.
    async fn stop(mut self) {
        self.stop.cancel();
        let ended = within("listen ends when it is stopped", self.task.join_next()).await;
        let ended = ended.flatten();
        assert!(matches!(ended, Some(Ok(Ok(())))), "stopped, listen gave {ended:?}");
    }
}

/// Somebody says hello in chat `a`; gives the message's id.
fn asked(stage: &dyn Stage) -> String {
    stage.double().say(stage.now(), Said::direct("a", "p", "hello"))
}

fn path(text: &str) -> Result<InterfacePath, PathError> {
    let path = InterfacePath::parse(text);
    assert!(path.is_ok(), "a path of the suite: {text}");
    path
}

/// An act in chat `a`, about a message.
fn outbound(at: &str, re: &str, key: &str, act: Act) -> Result<Outbound, PathError> {
    Ok(Outbound {
        path: path(at)?,
        key: key.to_owned(),
        re: Some(ReplyRef {
            id: re.to_owned(),
            token: None,
        }),
        act,
        files: Vec::new(),
    })
}

fn post(text: &str) -> Act {
    Act::Post(Post::of(Markup::text(text)))
}

fn edit(id: &str, text: &str) -> Act {
    let post = Post::of(Markup::text(text));
    Act::Edit {
        id: id.to_owned(),
        post,
    }
}

/// Does something in chat `a`.
async fn act(interface: &dyn Interface, re: &str, key: &str, act: Act) -> Result<Receipt, DeliverError> {
    act_at(interface, "loopback/a", re, key, act).await
}

async fn act_at(interface: &dyn Interface, at: &str, re: &str, key: &str, act: Act) -> Result<Receipt, DeliverError> {
    match outbound(at, re, key, act) {
        Ok(outbound) => interface.deliver(&outbound).await,
        Err(error) => Err(DeliverError::Malformed(error.to_string())),
    }
}

/// The id of what must have been done.
fn done(receipt: Result<Receipt, DeliverError>) -> String {
    assert!(receipt.is_ok(), "not done: {receipt:?}");
    receipt.map(|receipt| receipt.id).unwrap_or_default()
}

/// What the bot shows in chat `a`.
fn shown(stage: &dyn Stage) -> Vec<String> {
    let here = Spot::chat("a");
    let messages = stage.double().transcript(&here.chat, None).into_iter();
    messages
        .filter(|(author, _)| author.is_none())
        .map(|(_, text)| text)
        .collect()
}
