//! Takes updates in: a batch and its marks in one act, and what waits for the rest of its group without keeping back others.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tertulia_interface::{AcceptError, Batch, Inlet, ListenError, Verdict};
use tertulia_message::{Account, Inbound, Level, Mark, What};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::absence::{Absence, POLLED_AT};
use super::counts::Counts;
use super::errands::{Errand, follows};
use super::line::{Line, warn_of_loss};
use crate::error::CallError;
use crate::gather::{Arrived, Gatherer};
use crate::inbound::{Read, Reader};
use crate::telegram::Telegram;
use crate::wire::{Happening, KINDS, Me, Update};
use tertulia_interface::backoff::Backoff;

/// The mark that holds the number of the last accepted update, in decimal.
const CURSOR: &str = "cursor";
/// The marks of private chats with the menu of an admin begin with this.
const MENU: &str = "menu/";
const LONG_POLL: Duration = Duration::from_secs(25);
/// Between looks for the rest of a group. Whoever asks Telegram for the same again within half a second gets one update only.
const LOOK_AGAIN: Duration = Duration::from_millis(600);
/// Telegram gives no more at once.
const LIMIT: usize = 100;
/// After a week without updates their numbers begin anew, and an offset would make Telegram forget the new ones.
const SILENCE: Duration = Duration::from_hours(6 * 24);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The body of `getUpdates`.
#[derive(Debug, Clone, Copy, Serialize)]
struct Poll {
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<i64>,
    /// In seconds.
    timeout: u64,
    limit: usize,
    allowed_updates: [&'static str; 4],
}

/// The intake of one interface.
pub(super) struct Intake<'a> {
    telegram: &'a Telegram,
    inlet: &'a Inlet,
    me: &'a Me,
    account: Account,
    line: Line<'a>,
    errands: mpsc::Sender<Errand>,
    gatherer: Gatherer,
    counts: Counts,
    absence: Absence,
    admins: Admins,
    /// What is to be asked for next; everything below is confirmed by asking.
    offset: Option<i64>,
    /// The numbers of everything that came in since the last confirmation.
    unconfirmed: BTreeSet<i64>,
    arrived: Vec<Arrived>,
    began: Instant,
    news_at: Instant,
}

/// Private chats with the menu of an admin.
#[derive(Debug, Default)]
struct Admins {
    /// By the marks.
    known: HashSet<i64>,
    /// Looked at since the process began.
    looked_at: HashSet<i64>,
    /// Marks that go with the next batch.
    marks: Vec<Mark>,
}

impl<'a> Intake<'a> {
    pub(super) async fn begin(
        telegram: &'a Telegram,
        inlet: &'a Inlet,
        me: &'a Me,
        line: Line<'a>,
        errands: mpsc::Sender<Errand>,
    ) -> Self {
        let account = telegram.account(me);
        let marks = stored(|| inlet.marks(&account, "")).await;
        let polled_at = marks.iter().find(|mark| mark.key == POLLED_AT);
        let now = Instant::now();
        Self {
            telegram,
            inlet,
            me,
            account,
            line,
            errands,
            gatherer: Gatherer::default(),
            counts: Counts::default(),
            absence: Absence::since(polled_at.and_then(|mark| mark.value.as_deref())),
            admins: Admins::by(&marks),
            // the first call confirms nothing: see `SILENCE`
            offset: None,
            unconfirmed: BTreeSet::new(),
            arrived: Vec::new(),
            began: now,
            news_at: now,
        }
    }

    /// Runs until Telegram refuses us.
    pub(super) async fn run(mut self) -> ListenError {
        loop {
            if self.news_at.elapsed() >= SILENCE {
                self.offset = None;
            }
            let (telegram, offset) = (self.telegram, self.offset);
            let polled = self.line.call(|| poll(telegram, offset, LONG_POLL)).await;
            match polled {
                Ok(updates) => self.take(updates),
                Err(refused) => return refused,
            }
            self.hand_in().await;
        }
    }

    /// Reads what came in. What is not confirmed comes again; it is known by its number.
    fn take(&mut self, updates: Vec<Value>) {
        let reader = Reader {
            account: &self.account,
            me: self.me,
            config: &self.telegram.config,
        };
        let seen = self.began.elapsed();
        for update in updates {
            let Some(update) = Update::read(update) else {
                tracing::warn!(
                    interface = self.account.interface,
                    "an update without a number was left out"
                );
                continue;
            };
            let id = update.id;
            if !self.unconfirmed.insert(id) {
                continue;
            }
            self.news_at = Instant::now();
            if let Ok(Happening::Message(message)) = &update.what {
                self.telegram.forums.note(message.chat.id, message.chat.is_forum);
            }
            match reader.read(update) {
                Read::Event(piece) => self.arrived.push(Arrived {
                    piece: *piece,
                    seen,
                    is_handed_in: false,
                }),
                Read::Empty(press) => send(
                    &self.errands,
                    Errand::Answer {
                        press,
                        text: String::new(),
                    },
                ),
                Read::Skipped(skipped) => self.counts.note(&self.account.interface, id, &skipped),
            }
        }
    }

    /// Hands in what came in, and confirms it: at once, or when everything that belongs together is there.
    async fn hand_in(&mut self) {
        self.note_time();
        let mut may_look = true;
        while !self.unconfirmed.is_empty() {
            if !self.hand_in_ready(may_look).await {
                self.confirm();
                break;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
            match poll(self.telegram, self.offset, Duration::ZERO).await {
                Ok(updates) => self.take(updates),
                Err(error) => {
                    tracing::debug!(%error, "the rest of a group was not given");
                    // the line knows how long to wait before the next call
                    may_look = false;
                }
            }
        }
        if self.absence.due(self.began.elapsed()).is_some() || !self.admins.marks.is_empty() {
            let marks = self.marks();
            self.accept(Vec::new(), marks).await;
        }
    }

    /// Hands in what need not wait: everything, if the rest cannot be looked for. True if something has to.
    async fn hand_in_ready(&mut self, may_look: bool) -> bool {
        let is_full = !may_look || self.unconfirmed.len() >= LIMIT;
        let gathered = self.gatherer.gather(&self.arrived, self.began.elapsed(), is_full);
        let (places, events): (Vec<usize>, Vec<Inbound>) = gathered.ready.into_iter().unzip();
        let marks = if gathered.is_waiting { Vec::new() } else { self.marks() };
        if !events.is_empty() || !marks.is_empty() {
            let verdicts = self.accept(events.clone(), marks).await;
            for (event, verdict) in events.iter().zip(verdicts) {
                self.follow(event, verdict);
            }
        }
        for place in places {
            if let Some(arrived) = self.arrived.get_mut(place) {
                arrived.is_handed_in = true;
            }
        }
        gathered.is_waiting
    }

    async fn accept(&mut self, events: Vec<Inbound>, marks: Vec<Mark>) -> Vec<Verdict> {
        let batch = Batch {
            account: self.account.clone(),
            events,
            marks,
            missed: false,
        };
        stored(|| self.inlet.accept(batch.clone())).await
    }

    /// What moves with a batch.
    fn marks(&mut self) -> Vec<Mark> {
        let mut marks = std::mem::take(&mut self.admins.marks);
        if let Some(last) = self.unconfirmed.last() {
            marks.push(mark(CURSOR.to_owned(), last.to_string()));
        }
        if let Some(now) = self.absence.due(self.began.elapsed()) {
            self.absence.wrote(now);
            marks.push(mark(POLLED_AT.to_owned(), now.to_string()));
        }
        marks
    }

    fn confirm(&mut self) {
        self.gatherer.confirmed(&self.arrived);
        self.offset = self.unconfirmed.last().and_then(|last| last.checked_add(1));
        self.unconfirmed.clear();
        self.arrived.clear();
    }

    fn note_time(&mut self) {
        let dates = self.arrived.iter().filter_map(|arrived| arrived.piece.event.sent_at);
        if let Some(newest) = dates.max()
            && self.absence.note(newest / 1000, self.began.elapsed())
        {
            warn_of_loss(&self.account.interface);
        }
    }

    fn follow(&mut self, event: &Inbound, verdict: Verdict) {
        match event.what {
            What::Invited => tracing::info!(path = %event.path, by = %event.sender, "the bot was let into a chat"),
            What::Left => tracing::info!(path = %event.path, by = %event.sender, "the bot is no longer in a chat"),
            _ => {}
        }
        let place = self.telegram.place(&event.path);
        if let (Verdict::Accepted, Some(place)) = (&verdict, place.filter(|place| place.is_private())) {
            let is_admin = self.inlet.standing(&event.sender, &event.path).level == Level::Admin;
            if self.admins.note(place.chat, is_admin) {
                send(
                    &self.errands,
                    Errand::Menu {
                        chat: place.chat,
                        is_admin,
                    },
                );
            }
        }
        if let Some(errand) = follows(event, place, verdict) {
            send(&self.errands, errand);
        }
    }
}

impl Admins {
    fn by(marks: &[Mark]) -> Self {
        let chats = marks
            .iter()
            .filter_map(|mark| mark.key.strip_prefix(MENU)?.parse().ok());
        Self {
            known: chats.collect(),
            ..Self::default()
        }
    }

    /// Somebody spoke in a private chat. True if its menu has to be looked at.
    fn note(&mut self, chat: i64, is_admin: bool) -> bool {
        if is_admin {
            if self.known.insert(chat) {
                self.marks.push(mark(format!("{MENU}{chat}"), "admin".to_owned()));
            }
            return self.looked_at.insert(chat);
        }
        let had_it = self.known.remove(&chat);
        if had_it {
            self.looked_at.remove(&chat);
            self.marks.push(Mark {
                key: format!("{MENU}{chat}"),
                value: None,
            });
        }
        had_it
    }
}

async fn poll(telegram: &Telegram, offset: Option<i64>, wait: Duration) -> Result<Vec<Value>, CallError> {
    let body = Poll {
        offset,
        timeout: wait.as_secs(),
        limit: LIMIT,
        allowed_updates: KINDS,
    };
    telegram.api.call_by_name("getUpdates", &body, wait).await
}

/// Asks the store until it answers; Telegram keeps what is not confirmed.
async fn stored<T, F: Future<Output = Result<T, AcceptError>>>(mut ask: impl FnMut() -> F) -> T {
    let mut backoff = Backoff::up_to(LONGEST_PAUSE);
    let mut is_told = false;
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) if is_told => tracing::debug!(%error, "the store still does not take what came in"),
            Err(error) => tracing::warn!(%error, "the store does not take what came in; Telegram keeps it meanwhile"),
        }
        is_told = true;
        backoff.wait().await;
    }
}

fn send(errands: &mpsc::Sender<Errand>, errand: Errand) {
    if errands.try_send(errand).is_err() {
        tracing::debug!("too much to do beside the intake; something was left out");
    }
}

fn mark(key: String, value: String) -> Mark {
    Mark {
        key,
        value: Some(value.into_bytes()),
    }
}
