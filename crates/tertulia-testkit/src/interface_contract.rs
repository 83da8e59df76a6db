//! The suite that every interface over a chat double has to pass.

mod delivering;
mod errors;
mod limits;
mod listening;
mod over_double;
mod recorder;
mod stage;

use std::sync::Arc;
use std::time::Duration;

use tertulia_interface::{Inlet, Interface, ListenError};
use tertulia_message::path::{InterfacePath, PathError};
use tertulia_message::{Act, DeliverError, Markup, Outbound, Post, Receipt, ReplyRef};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::chat_double::Kind;
pub use over_double::OverDouble;
pub use recorder::{Mood, Recorder};
pub use stage::{Mishap, People, Scene, Stage, Tally, Told, Truth};

/// Runs the whole suite, each part on a stage of its own, for a platform of each of these kinds.
///
/// # Panics
/// The interface breaks the contract.
pub async fn interface_contract<S, F>(kinds: &[Kind], mut stage: S)
where
    S: FnMut(Kind) -> F,
    F: Future<Output = Box<dyn Stage>>,
{
    for kind in kinds.iter().copied() {
        limits::limits_are_sane_and_known(&*stage(kind).await, kind).await;
        delivering::acts_give_receipts(&*stage(kind).await).await;
        delivering::acts_can_be_repeated(&*stage(kind).await).await;
        delivering::repeated_posts_are_as_the_limits_say(&*stage(kind).await, kind).await;
        delivering::posts_are_found_as_the_platform_can(&*stage(kind).await, kind).await;
        errors::foreign_paths_are_refused(&*stage(kind).await).await;
    }
    errors::errors_are_what_the_platform_says(&*stage(Kind::Blind).await).await;
    errors::closed_chats_say_why(&*stage(Kind::Blind).await).await;
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

/// Somebody says hello in the usual conversation; gives the id of the event.
fn asked(stage: &dyn Stage) -> String {
    stage.people().ask()
}

fn path(text: &str) -> Result<InterfacePath, PathError> {
    let path = InterfacePath::parse(text);
    assert!(path.is_ok(), "a path of the suite: {text}");
    path
}

/// An act about a message.
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
    Act::Post(Post {
        quote: true,
        ..Post::of(Markup::text(text))
    })
}

fn edit(id: &str, text: &str) -> Act {
    let post = Post::of(Markup::text(text));
    Act::Edit {
        id: id.to_owned(),
        post,
    }
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

/// What the bot shows in the usual conversation.
fn shown(stage: &dyn Stage) -> Vec<String> {
    stage.truth().shown()
}
