//! The inlet's other end: the gate, the store, then the hub.

mod accounts;
mod claims;
mod moves;
mod strangers;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tertulia_core::authorize::{Admission, Authorized, Denial, NewRow};
use tertulia_core::commands::COMMANDS;
use tertulia_core::record::{ConversationId, InboxId, InboxRow, RowBody};
use tertulia_core::transaction::{AcceptTx, Accepted, Transaction};
use tertulia_interface::{Accept, AcceptError, Batch, Standing, Verdict};
use tertulia_message::command::CommandSpec;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Inbound, Mark, PersonId, RequestHistory, What};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::commands;
use crate::crash;
use crate::error::with_cause;
use crate::hub::{Ask, Key, Shared};

pub(crate) use accounts::Accounts;
pub(crate) use claims::Claims;
use moves::Move;
pub(crate) use strangers::Strangers;

/// The most notes of strangers who were told that are being written at once.
const GREETINGS: usize = 64;

/// So many messages of a conversation are taken at least, if they were said while nobody listened.
const MISSED: u32 = 10_000;

/// How long a command that changes who may speak is waited for, before those who speak after it are judged.
const GOVERNING: Duration = Duration::from_secs(5);

/// The inlet's other end.
pub(crate) struct Gate {
    inner: Arc<Inner>,
    /// At most as many as there are callers, and callers that have gone.
    acceptances: Mutex<JoinSet<()>>,
}

struct Inner {
    shared: Arc<Shared>,
    /// Numbers of requests of which nothing is stored: negative, so that they meet no row.
    passing: AtomicI64,
    /// Notes of strangers who were told, on their way to the store.
    greetings: Mutex<JoinSet<()>>,
}

/// Who is behind an event, and where.
struct Sender {
    person: PersonId,
    path: InterfacePath,
    /// True if something was said that expects an answer.
    speaks: bool,
    /// True if a button was pressed.
    presses: bool,
}

impl Sender {
    fn of(event: &Inbound) -> Self {
        Self {
            person: event.sender.clone(),
            path: event.path.clone(),
            speaks: matches!(event.what, What::Message { .. } | What::Slash { .. } | What::Request(_)),
            presses: matches!(event.what, What::Press { .. }),
        }
    }
}

/// An event on its way through the gate.
enum Passage {
    /// Decided here.
    Done(Verdict),
    /// Decided by the store, as the nth event of the transaction.
    Stored,
}

impl Gate {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let passing = AtomicI64::new(-1);
        Self {
            inner: Arc::new(Inner {
                shared,
                passing,
                greetings: Mutex::default(),
            }),
            acceptances: Mutex::default(),
        }
    }
}

/// An acceptance goes on although its caller is dropped: what is stored has to be followed up.
#[async_trait]
impl Accept for Gate {
    async fn accept(&self, batch: Batch) -> Result<Vec<Verdict>, AcceptError> {
        let inner = Arc::clone(&self.inner);
        let (reply, answer) = oneshot::channel();
        {
            let mut acceptances = self.acceptances.lock().unwrap_or_else(PoisonError::into_inner);
            while acceptances.try_join_next().is_some() {}
            acceptances.spawn(async move { drop(reply.send(inner.accept(batch).await)) });
        }
        answer
            .await
            .unwrap_or_else(|_| Err(AcceptError::Store("the acceptance died".to_owned())))
    }

    async fn marks(&self, account: &Account, prefix: &str) -> Result<Vec<Mark>, AcceptError> {
        self.inner.marks(account, prefix).await
    }

    fn commands(&self) -> &'static [CommandSpec] {
        self.inner.commands()
    }

    async fn hang_up(&self, account: &Account, id: &str) {
        self.inner.hang_up(account, id).await;
    }

    fn reached(&self, interface: &str, is_reached: bool) {
        self.inner.reached(interface, is_reached);
    }

    fn standing(&self, person: &PersonId, path: &InterfacePath) -> Standing {
        self.inner.standing(person, path)
    }
}

impl Inner {
    fn authorize(&self, event: Inbound) -> Result<Authorized, Verdict> {
        let shared = &self.shared;
        // a client of a door speaks in its own name
        if shared.accounts.is_own(&event.sender) && !shared.is_door(&event.path) {
            return Err(Verdict::Ignored);
        }
        let present = shared.present();
        let now = shared.clock.now();
        let sender = Sender::of(&event);
        let own = &present.live.settings.own;
        let decided = shared
            .governed
            .access(|access| shared.claims.authorize(event, access, own, now));
        decided.map_err(|denial| match denial {
            Denial::Stranger { direct } => {
                let standing = shared.governed.standing(&sender.person, &sender.path, now.wall);
                self.stranger(&sender, direct && sender.speaks && !standing.is_shut_out(), now.wall)
            }
            Denial::NotAddressed | Denial::OwnKind | Denial::Nothing => Verdict::Ignored,
        })
    }

    /// A stranger who speaks to the bot alone is told so, once a day; whoever waits at a door always gets an answer, and whoever
    /// presses a button, for nobody else sees that one; nobody else hears anything.
    fn stranger(&self, sender: &Sender, alone: bool, now: i64) -> Verdict {
        let Sender { person, path, .. } = sender;
        let strangers = &self.shared.governed.strangers;
        if strangers.to_note(person, now) {
            tracing::info!(%person, %path, "somebody unknown was not let in");
        }
        let at_door = self.shared.is_door(path);
        let told = !at_door && alone && strangers.to_tell(person, now);
        if told {
            self.note_greeting(person.clone(), now);
        }
        let say = if sender.presses {
            Some(commands::NOT_YOURS.to_owned())
        } else {
            let governed = || self.shared.governed.access(|access| access.has_admin(now));
            (at_door || told).then(|| stranger_line(person, at_door || governed()))
        };
        Verdict::Denied { say }
    }

    /// Beside the verdict: neither a slow disk nor a full one keeps a stranger waiting. What is not written holds for this
    /// process at least.
    fn note_greeting(&self, person: PersonId, now: i64) {
        let mut greetings = self.greetings.lock().unwrap_or_else(PoisonError::into_inner);
        while greetings.try_join_next().is_some() {}
        if greetings.len() >= GREETINGS {
            return;
        }
        let shared = Arc::clone(&self.shared);
        greetings.spawn(async move {
            if let Err(error) = shared.store.commit(Transaction::Greeted { person, now }).await {
                tracing::debug!(%error, "it could not be noted that a stranger was told");
                shared.failed(error).await;
            }
        });
    }

    async fn pass(
        &self,
        account: &Account,
        event: Inbound,
        to_store: &mut Vec<Authorized>,
    ) -> Result<Passage, AcceptError> {
        let authorized = match self.authorize(event) {
            Ok(authorized) => authorized,
            Err(verdict) => return Ok(Passage::Done(verdict)),
        };
        match authorized.admission() {
            Admission::Row(row) if is_passing(&row.body) => match authorized.into_admission() {
                Admission::Row(row) => self.pass_through(account, *row).await.map(Passage::Done),
                _ => Ok(Passage::Done(Verdict::Ignored)),
            },
            _ => {
                to_store.push(authorized);
                Ok(Passage::Stored)
            }
        }
    }

    /// A request with its own history goes straight to a session.
    async fn pass_through(&self, account: &Account, row: NewRow) -> Result<Verdict, AcceptError> {
        if self.shared.requests.passing() >= self.shared.present().live.settings.passing_requests {
            return Ok(Verdict::Busy);
        }
        let id = InboxId(self.passing.fetch_sub(1, Ordering::Relaxed));
        let row = row.numbered(account.clone(), id, ConversationId(0), self.shared.clock.now().wall);
        self.shared.requests.note(row.ext_id.clone(), Key::Passing(id.0));
        if self.shared.ask(Ask::Passing(Box::new(row))).await {
            Ok(Verdict::Accepted)
        } else {
            Err(AcceptError::Stopping)
        }
    }

    /// What follows from a row that is on disk.
    async fn follow_up(&self, account: &Account, authorized: &Admission, accepted: Accepted) -> Verdict {
        let Admission::Row(row) = authorized else {
            return Verdict::Accepted;
        };
        match accepted {
            Accepted::Duplicate => Verdict::Duplicate,
            Accepted::Amended => Verdict::Accepted,
            Accepted::Flood {
                first,
                row: id,
                conversation,
            } => {
                tracing::warn!(path = %row.path, "too many messages wait in a conversation; one was dropped");
                if commands::is_pressed(&row.body) {
                    let say = Some(commands::TOO_FAST.to_owned());
                    return Verdict::Denied { say };
                }
                if first && !matches!(row.body, RowBody::Request(_)) {
                    let row = self.numbered(account, row, id, conversation);
                    commands::notice(&self.shared, &row, commands::TOO_FAST).await;
                }
                Verdict::Busy
            }
            Accepted::New(id, conversation) => {
                self.new_row(account, row, id, conversation).await;
                Verdict::Accepted
            }
        }
    }

    fn numbered(&self, account: &Account, row: &NewRow, id: InboxId, conversation: ConversationId) -> InboxRow {
        row.clone()
            .numbered(account.clone(), id, conversation, self.shared.clock.now().wall)
    }

    async fn new_row(&self, account: &Account, row: &NewRow, id: InboxId, conversation: ConversationId) {
        tracing::info!(path = %row.path, id = row.ext_id, "accepted");
        if matches!(row.body, RowBody::Command { .. }) {
            let row = self.numbered(account, row, id, conversation);
            self.shared.ask(Ask::Command(Box::new(row))).await;
            return;
        }
        let request = matches!(row.body, RowBody::Request(_)).then(|| row.ext_id.clone());
        self.shared
            .ask(Ask::Nudge(conversation, row.path.clone(), request))
            .await;
    }
}

#[async_trait]
impl Accept for Inner {
    async fn accept(&self, batch: Batch) -> Result<Vec<Verdict>, AcceptError> {
        let Batch {
            account,
            events,
            marks,
            missed,
        } = batch;
        let accounts = &self.shared.accounts;
        if !accounts.knows(&account) && events.iter().any(|event| !self.shared.is_door(&event.path)) {
            accounts.note(&account);
        }
        let mut verdicts = Vec::with_capacity(events.len());
        let mut rest = events.into_iter().peekable();
        // what changes who may speak, or where, is done before those who speak after it are judged; the marks move with the last part, so
        // that a batch that was cut is handed in again, and its first parts are known by then
        loop {
            let part = self.part(&account, &mut rest).await?;
            let is_last = rest.peek().is_none();
            let marks = if is_last { marks.clone() } else { Vec::new() };
            verdicts.extend(self.take_in(&account, part, marks, missed).await?);
            if is_last {
                return Ok(verdicts);
            }
        }
    }

    async fn marks(&self, account: &Account, prefix: &str) -> Result<Vec<Mark>, AcceptError> {
        self.shared
            .store
            .marks(account, prefix)
            .await
            .map_err(|error| AcceptError::Store(error.to_string()))
    }

    fn commands(&self) -> &'static [CommandSpec] {
        COMMANDS
    }

    async fn hang_up(&self, _account: &Account, id: &str) {
        self.shared.ask(Ask::HangUp(id.to_owned())).await;
    }

    fn reached(&self, interface: &str, is_reached: bool) {
        self.shared.listeners.reached(interface, is_reached);
    }

    fn standing(&self, person: &PersonId, path: &InterfacePath) -> Standing {
        let now = self.shared.clock.now().wall;
        self.shared.governed.access(|access| Standing {
            level: access.level(person, path, now),
            is_governed: access.has_admin(now),
        })
    }
}

/// Events that are judged and stored together.
#[derive(Default)]
struct Part {
    passages: Vec<Passage>,
    to_store: Vec<Authorized>,
    /// True if what comes after it is judged by what its last command has done.
    governs: bool,
    /// A move of a conversation; then there is nothing else.
    moved: Option<Move>,
}

impl Inner {
    /// The events up to the first command that changes who may speak, or one move of a conversation.
    async fn part(
        &self,
        account: &Account,
        rest: &mut std::iter::Peekable<std::vec::IntoIter<Inbound>>,
    ) -> Result<Part, AcceptError> {
        let mut part = Part {
            moved: rest.next_if(is_move).as_ref().and_then(moves::of),
            ..Part::default()
        };
        while part.moved.is_none()
            && let Some(event) = rest.next_if(|event| !is_move(event))
        {
            let before = part.to_store.len();
            part.passages.push(self.pass(account, event, &mut part.to_store).await?);
            part.governs = rest.peek().is_some() && part.to_store.get(before).is_some_and(governs);
            if part.governs {
                break;
            }
        }
        Ok(part)
    }

    async fn take_in(
        &self,
        account: &Account,
        part: Part,
        marks: Vec<Mark>,
        missed: bool,
    ) -> Result<Vec<Verdict>, AcceptError> {
        let Part {
            mut passages,
            to_store,
            governs,
            moved,
        } = part;
        if let Some(moved) = moved {
            passages.push(Passage::Done(self.moved(account, moved).await?));
        }
        let admissions: Vec<Admission> = to_store.iter().map(|event| event.admission().clone()).collect();
        let accepted = self.store(account, to_store, marks, missed).await?;
        let governing = match accepted.last() {
            Some(Accepted::New(id, _)) if governs => Some(self.shared.done.wait(*id)),
            _ => None,
        };
        let mut stored = admissions.iter().zip(accepted);
        let mut verdicts = Vec::with_capacity(passages.len());
        for passage in passages {
            verdicts.push(match passage {
                Passage::Done(verdict) => verdict,
                Passage::Stored => match stored.next() {
                    Some((admission, accepted)) => self.follow_up(account, admission, accepted).await,
                    None => Verdict::Ignored,
                },
            });
        }
        if let Some(done) = governing {
            // a command that takes longer is waited for no more: others must not be kept out by it
            let _ = tokio::time::timeout(GOVERNING, done).await;
        }
        Ok(verdicts)
    }
}

impl Inner {
    async fn store(
        &self,
        account: &Account,
        events: Vec<Authorized>,
        marks: Vec<Mark>,
        missed: bool,
    ) -> Result<Vec<Accepted>, AcceptError> {
        if events.is_empty() && marks.is_empty() {
            return Ok(Vec::new());
        }
        let bound = self.shared.present().live.settings.queue_bound;
        let tx = AcceptTx {
            account: account.clone(),
            events,
            marks,
            now: self.shared.clock.now().wall,
            queue_bound: if missed { bound.max(MISSED) } else { bound },
        };
        crash::point("before", "accept");
        let accepted = self.shared.store.accept(tx).await;
        crash::point("after", "accept");
        match accepted {
            Ok(accepted) => Ok(accepted),
            Err(error) => {
                let why = with_cause(&error);
                tracing::error!(
                    interface = account.interface,
                    error = why,
                    "a batch could not be stored; nothing is confirmed"
                );
                let why = AcceptError::Store(why);
                self.shared.failed(error).await;
                Err(why)
            }
        }
    }
}

fn is_move(event: &Inbound) -> bool {
    moves::of(event).is_some()
}

/// True if what it does changes who may speak.
fn governs(event: &Authorized) -> bool {
    let Admission::Row(row) = event.admission() else {
        return false;
    };
    matches!(&row.body, RowBody::Command { name, .. } if ["claim", "allow", "deny"].contains(&name.as_str()))
}

fn is_passing(body: &RowBody) -> bool {
    matches!(body, RowBody::Request(request) if matches!(request.history, RequestHistory::Supplied(_)))
}

/// The person's id stands there as `/allow` takes it. Who starts a new bot hears this first, since the platform's clients send
/// `/start` before anything can be typed.
fn stranger_line(person: &PersonId, governed: bool) -> String {
    if governed {
        format!(
            "I am a private bot and do not know you. If you should have access, ask my operator to send: /allow person {person}"
        )
    } else {
        format!(
            "I am a private bot and do not know you; nobody governs me yet. If you run me, send /claim and the code I printed. \
             Else ask for: /allow person {person}"
        )
    }
}
