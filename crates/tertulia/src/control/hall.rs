//! What a connection may ask for, and how it is done.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tertulia_core::claim::LIFE as CLAIM_LIFE;
use tertulia_engine::{Handle, InterfaceState};
use tertulia_interface::{AcceptError, Batch, Inlet, Verdict};
use tertulia_message::path::{InterfacePath, PathError};
use tertulia_message::{Account, Addressed, Inbound, PersonId, What};
use tertulia_ports::Store;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::NAME;
use super::answers::{Answers, Outcome};
use super::wire::{Line, Question, Reply, Request, Sums};
use crate::failure::chain;

/// How long a command may take to become durable, and the daemon to note that a client has gone.
const ACCEPT_TIME: Duration = Duration::from_secs(30);

/// How long a command may take until its whole answer is there.
const ANSWER_TIME: Duration = Duration::from_mins(10);

/// How long the parts of the daemon may take to answer that they are alive.
const HEALTH_TIME: Duration = Duration::from_secs(5);

/// The running engine; empty until it is assembled.
pub(crate) type Engine = Arc<OnceLock<Handle>>;

/// What all connections share.
pub(super) struct Hall {
    pub(super) inlet: Inlet,
    pub(super) store: Arc<dyn Store>,
    pub(super) engine: Engine,
    pub(super) answers: Arc<Answers>,
    pub(super) room: Semaphore,
    /// The daemon's own user.
    pub(super) owner: u32,
}

/// One connection of one user.
pub(super) struct Visit<'a> {
    hall: &'a Hall,
    user: u32,
    account: Account,
}

impl<'a> Visit<'a> {
    pub(super) fn new(hall: &'a Hall, user: u32) -> Self {
        let account = Account {
            interface: NAME.to_owned(),
            identity: NAME.to_owned(),
        };
        Self { hall, user, account }
    }

    /// Does what is asked for; gives back all lines of the answer.
    pub(super) async fn answer(&self, id: &str, request: Request) -> Vec<u8> {
        let outcome = match request {
            Request::Command { name, arguments } => self.command(id, name, arguments).await,
            Request::Ask(Question::Claim) => self.claim(),
            Request::Ask(Question::Health) => self.health().await,
            Request::Import(lines) => match self.import(lines).await {
                Ok(sums) => return Reply::sums(sums),
                Err(problem) => Err(problem),
            },
        };
        match outcome {
            Ok(text) => Reply::texts(&text),
            Err(problem) => Reply::error(&problem),
        }
    }

    /// The client has gone: what it asked is stopped.
    pub(super) async fn hang_up(&self, id: &str) {
        let told = timeout(ACCEPT_TIME, self.hall.inlet.hang_up(&self.account, id)).await;
        if told.is_err() {
            tracing::warn!(id, "the daemon did not take notice of a client that has gone");
        }
    }

    async fn command(&self, id: &str, name: String, arguments: String) -> Outcome {
        if name.is_empty() || name.len() > 32 || !name.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Err("the name of a command is a few lower-case letters".to_owned());
        }
        tracing::info!(user = self.user, name, "a command came in at the console");
        let event = self
            .event(id, What::Slash { name, arguments })
            .map_err(|error| error.to_string())?;
        let reader = self.hall.answers.open(id.to_owned(), event.path.clone());
        self.hand_in(event).await?;
        match timeout(ANSWER_TIME, reader.outcome()).await {
            Ok(Some(outcome)) => outcome,
            Ok(None) => Err("the command has no answer".to_owned()),
            Err(_) => {
                self.hang_up(id).await;
                Err("the command was not answered in time".to_owned())
            }
        }
    }

    fn event(&self, id: &str, what: What) -> Result<Inbound, PathError> {
        let user = self.user.to_string();
        Ok(Inbound {
            account: self.account.clone(),
            path: InterfacePath::build(NAME, [user.as_str()])?,
            id: id.to_owned(),
            sender: PersonId::new(NAME, user.as_str()),
            sender_name: user,
            addressed: Addressed::Direct,
            what,
            files: Vec::new(),
            reply_to: None,
            quoted: None,
            join: None,
            token: None,
            sent_at: None,
        })
    }

    async fn hand_in(&self, event: Inbound) -> Result<(), String> {
        let batch = Batch {
            account: self.account.clone(),
            events: vec![event],
            marks: Vec::new(),
            missed: false,
        };
        let late = || "the command could not be stored in time".to_owned();
        let judged = timeout(ACCEPT_TIME, self.hall.inlet.accept(batch)).await;
        match judged.map_err(|_| late())? {
            Ok(verdicts) => match verdicts.into_iter().next() {
                Some(Verdict::Accepted) => Ok(()),
                Some(Verdict::Denied { say }) => Err(say.unwrap_or_else(|| "you may not".to_owned())),
                Some(Verdict::Busy) => Err("too many commands are waiting; try again".to_owned()),
                Some(Verdict::Duplicate | Verdict::Ignored) | None => Err("the command was not taken".to_owned()),
            },
            Err(AcceptError::Stopping) => Err("the daemon is stopping".to_owned()),
            Err(AcceptError::Store(error)) => Err(format!("the command could not be stored: {error}")),
        }
    }

    fn engine(&self) -> Result<&Handle, String> {
        self.hall
            .engine
            .get()
            .ok_or_else(|| "the daemon is still starting; try again".to_owned())
    }

    fn claim(&self) -> Outcome {
        let code = self.engine()?.open_claim().ok_or(
            "there is no code to be had: either the bot has an admin already, or no chat platform is on where one could \
             claim it",
        )?;
        tracing::warn!(user = self.user, "a code to claim the bot was made at the console");
        let minutes = CLAIM_LIFE.as_secs() / 60;
        Ok(format!(
            "Send the bot this in a direct message within {minutes} minutes, and you are its admin:\n\n`/claim {code}`"
        ))
    }

    async fn health(&self) -> Outcome {
        let engine = self.engine()?;
        let alive = engine.is_alive(HEALTH_TIME).await;
        let mut lines = vec![match &alive {
            Ok(()) => "- the daemon is alive".to_owned(),
            Err(problem) => format!("- the daemon is not well: {problem}"),
        }];
        let mut is_well = alive.is_ok();
        for (name, state) in engine.interfaces().into_iter().filter(|(name, _)| name != NAME) {
            is_well &= state == InterfaceState::Listening;
            lines.push(match state {
                InterfaceState::Listening => format!("- `{name}` listens"),
                InterfaceState::Trying(why) => format!("- `{name}` is tried again: {why}"),
                InterfaceState::Down(why) => format!("- `{name}` is down: {why}"),
            });
        }
        let text = lines.join("\n");
        if is_well { Ok(text) } else { Err(text) }
    }

    async fn import(&self, lines: Vec<Line>) -> Result<Sums, String> {
        let read = lines.into_iter().map(Line::read).collect::<Result<Vec<_>, _>>()?;
        tracing::info!(
            user = self.user,
            lines = read.len(),
            "lines of an older bot came in at the console"
        );
        let imported = self.hall.store.import(read).await;
        imported.map(Sums::from).map_err(|error| chain(&error))
    }
}
