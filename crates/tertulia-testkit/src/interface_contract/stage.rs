//! What the suite needs of a platform.

use std::sync::Arc;

use tertulia_interface::Interface;
use tertulia_message::{Addressed, RateScope, What};

/// A platform with nobody on it yet, and the interfaces to it.
pub trait Stage: Send + Sync {
    /// A new interface, as after a restart.
    fn interface(&self) -> Arc<dyn Interface>;
    /// Where the suite acts.
    fn scene(&self) -> Scene;
    /// What people do.
    fn people(&self) -> &dyn People;
    /// What the platform knows.
    fn truth(&self) -> &dyn Truth;
    /// The next posts end like this, in order; what closes a chat holds on. False if the platform knows no such end.
    fn plan(&self, mishaps: &[Mishap]) -> bool;
}

/// Paths of the platform.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The conversation in which the suite asks.
    pub here: String,
    /// The same, or a thread in it.
    pub thread: String,
    /// Where the thread is after [`Mishap::Moved`].
    pub moved: String,
    /// A conversation that the platform does not know.
    pub unknown: String,
    /// Paths that are none of the platform's conversations.
    pub foreign: Vec<String>,
}

/// What people do.
pub trait People {
    /// Somebody says hello to the bot in the usual conversation; gives the id of the event.
    fn ask(&self) -> String;
    /// People do whatever the platform tells bots of; gives what the bot has to hear of it, in order.
    fn act_out(&self) -> Vec<Told>;
    /// The usual conversation is open to the bot again.
    fn open(&self);
}

/// What a bot has to hear.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The path on which it is told.
    pub path: String,
    /// What happened.
    pub what: What,
    /// Who did it.
    pub sender: String,
    /// The event's id and how the bot was addressed, of a message.
    pub said: Option<(String, Addressed)>,
}

/// What the platform knows.
pub trait Truth {
    /// The bot's immutable identity.
    fn identity(&self) -> String;
    /// What the bot shows in the usual conversation.
    fn shown(&self) -> Vec<String>;
    /// The id of the message that the latest act of the bot is shown to answer.
    fn answered(&self) -> Option<String>;
    /// How many updates are not confirmed.
    fn unconfirmed(&self) -> usize;
    /// What the bot should not have done.
    fn violations(&self) -> Vec<String>;
    /// What was only counted.
    fn tally(&self) -> Tally;
}

/// What was only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Edits that changed nothing.
    pub unchanged_edits: u64,
    /// Updates that were handed out before; none where the platform wants to be asked without a cursor after a restart.
    pub redelivered: Option<u64>,
}

/// How a post can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// It does not reach the platform, and the bot knows.
    Lost,
    /// It is done, but the bot does not learn so.
    UnsureExecuted,
    /// It is not done, and the bot cannot know.
    UnsureNotExecuted,
    /// The platform says that it is too long.
    TooLong,
    /// The platform does not take it in this form.
    Malformed,
    /// Further calls are forbidden for [`Mishap::WAIT_MS`] at least.
    RateLimited(RateScope),
    /// The conversation is gone, until it is opened again.
    Gone,
    /// The bot may not write there, until it is opened again.
    Refused,
    /// The conversation gets a new address, which the bot learns from the refusal alone.
    Moved,
}

impl Mishap {
    /// The shortest wait of a rate limit, in milliseconds.
    pub const WAIT_MS: u64 = 20;
}
