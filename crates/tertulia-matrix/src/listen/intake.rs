//! Takes in what the server gives: events, what waits for its key, and how far the inbox is, in one act.

mod response;

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use matrix_sdk::deserialized_responses::TimelineEvent;
use matrix_sdk::ruma::{MilliSecondsSinceUnixEpoch, RoomId};
use matrix_sdk::{Room, RoomState};
use tertulia_interface::{AcceptError, Batch, Inlet, Verdict};
use tertulia_message::{Account, Inbound, Mark, What};
use tokio::sync::{Notify, mpsc};

use super::errands::{Errand, send};
use super::gaps::Gaps;
use super::stretch::Stretch;
use super::waiting::{Waiter, Waiting};
use crate::inbound::{Reader, Sealed};
use crate::matrix::Matrix;
use crate::session::Session;
use crate::{signs, verify};
use tertulia_interface::backoff::Backoff;

/// The mark of how far the inbox is: the server's token of the last response that is in it.
const CURSOR: &str = "cursor";
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How many events are read at once: for some the server is asked.
const AT_ONCE: usize = 16;

/// The intake of one interface.
pub(super) struct Intake<'a> {
    pub(super) matrix: &'a Matrix,
    pub(super) inlet: &'a Inlet,
    pub(super) session: &'a Session,
    account: Account,
    errands: mpsc::Sender<Errand>,
    progress: tokio::sync::Mutex<Progress>,
    /// True until something comes in after a time in which nothing could.
    pub(super) was_away: AtomicBool,
    /// Rooms have fallen behind.
    pub(super) fell_behind: Notify,
    waiting: Mutex<Waiting>,
    /// More messages wait for their keys.
    pub(super) more_wait: Notify,
}

/// How far everything is. It is locked by whoever decides what is live, until that is on disk.
#[derive(Debug)]
pub(super) struct Progress {
    /// Everything up to here is in the inbox, except for what the gaps name.
    cursor: Option<String>,
    pub(super) gaps: Gaps,
    /// The rooms in which the bot was at the cursor.
    joined: HashSet<String>,
}

impl<'a> Intake<'a> {
    /// Goes on from where the marks say that the inbox is.
    pub(super) async fn begin(
        matrix: &'a Matrix,
        inlet: &'a Inlet,
        session: &'a Session,
        errands: mpsc::Sender<Errand>,
    ) -> Self {
        let account = matrix.account(session);
        let marks = stored(|| inlet.marks(&account, "")).await;
        let cursor = marks.iter().find(|mark| mark.key == CURSOR);
        let cursor = cursor.and_then(|mark| String::from_utf8(mark.value.clone()?).ok());
        let (gaps, lost) = Gaps::by(&marks);
        for room in lost {
            tracing::error!(
                room,
                "from where a room has to be read on is lost, and so may be messages of it"
            );
        }
        let joined = session.client.joined_rooms();
        Self {
            matrix,
            inlet,
            session,
            account,
            errands,
            progress: tokio::sync::Mutex::new(Progress {
                cursor,
                gaps,
                joined: joined.iter().map(|room| room.room_id().to_string()).collect(),
            }),
            was_away: AtomicBool::new(true),
            fell_behind: Notify::new(),
            waiting: Mutex::new(Waiting::by(&marks)),
            more_wait: Notify::new(),
        }
    }

    pub(super) async fn progress(&self) -> tokio::sync::MutexGuard<'_, Progress> {
        self.progress.lock().await
    }

    pub(super) fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A room in which the bot is.
    pub(super) fn room(&self, id: &str) -> Option<Room> {
        let id = RoomId::parse(id).ok()?;
        let room = self.session.client.get_room(&id);
        room.filter(|room| room.state() == RoomState::Joined)
    }

    /// Reads events of a room, oldest first.
    pub(super) async fn read(&self, room: &Room, events: &[TimelineEvent], is_outside: bool) -> Stretch {
        let reader = self.reader();
        let mut stretch = Stretch::new(is_outside);
        for some in events.chunks(AT_ONCE) {
            let json = |event: &'_ TimelineEvent| event.raw().json().get().to_owned();
            let some: Vec<String> = some.iter().map(json).collect();
            let rooms = &self.matrix.rooms;
            let around = join_all(some.iter().map(|json| rooms.surroundings(&reader, room, json))).await;
            for (json, around) in some.iter().zip(&around) {
                let is_verify = |what: &What| verify::is_asked(what, &self.matrix.config);
                stretch.take(json, reader.read(json, &around.around()), is_verify);
            }
        }
        stretch
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader {
            account: &self.account,
            user: self.session.user.as_str(),
            config: &self.matrix.config,
            commands: self.inlet.commands(),
        }
    }

    /// Hands in stretches with their marks in one act; `missed` is true for what was said while nobody listened. Returns when it is done, and everybody who has to be told will be.
    pub(super) async fn hand_in(&self, stretches: Vec<(&Room, Stretch)>, marks: Vec<Mark>, missed: bool) {
        for (event, verdict) in self.store(stretches, marks, missed).await {
            let Inbound { path, id, what, .. } = event;
            match verdict {
                Verdict::Denied { say: Some(text) } => {
                    send(&self.errands, Errand::Refuse { path, id, text });
                }
                Verdict::Accepted if expects_answer(&what) => signs::accepted(self.matrix, &path, &id),
                _ => {}
            }
        }
    }

    /// As [`Intake::hand_in`], and nobody is told.
    pub(super) async fn store(
        &self,
        stretches: Vec<(&Room, Stretch)>,
        mut marks: Vec<Mark>,
        missed: bool,
    ) -> Vec<(Inbound, Verdict)> {
        let (mut events, mut has_changes, mut wishes) = (Vec::new(), false, Vec::new());
        for (room, stretch) in stretches {
            marks.extend(self.wait_for_keys(room, stretch.sealed));
            if stretch.is_encrypted {
                self.matrix.rooms.encrypted(room.room_id().as_str());
            }
            has_changes |= stretch.has_changes;
            events.extend(stretch.events);
            wishes.extend(stretch.verify);
        }
        let verdicts = self.accept(events.clone(), marks, missed).await;
        if has_changes {
            self.matrix.rooms.changed();
        }
        for event in &wishes {
            verify::ask(self.matrix, event);
        }
        events.into_iter().zip(verdicts).collect()
    }

    /// Writes marks alone.
    pub(super) async fn mark(&self, marks: Vec<Mark>) {
        self.accept(Vec::new(), marks, false).await;
    }

    async fn accept(&self, events: Vec<Inbound>, marks: Vec<Mark>, missed: bool) -> Vec<Verdict> {
        if events.is_empty() && marks.is_empty() {
            return Vec::new();
        }
        let batch = Batch {
            account: self.account.clone(),
            events,
            marks,
            missed,
        };
        stored(|| self.inlet.accept(batch.clone())).await
    }

    fn wait_for_keys(&self, room: &Room, sealed: Vec<(Sealed, String)>) -> Vec<Mark> {
        let mut marks = Vec::new();
        for (sealed, session) in sealed {
            tracing::info!(event = sealed.id, path = %sealed.path, "a message cannot be read before its key comes");
            let waiter = Waiter {
                room: room.room_id().to_string(),
                path: sealed.path.to_string(),
                sender: sealed.sender.id,
                session,
                since: now(),
                is_for_us: sealed.is_for_us,
            };
            marks.extend(self.waiting().add(&sealed.id, waiter));
        }
        if !marks.is_empty() {
            self.more_wait.notify_one();
        }
        marks
    }

    pub(super) fn send(&self, errand: Errand) -> bool {
        send(&self.errands, errand)
    }
}

/// True for what somebody says, and may want to see taken.
fn expects_answer(what: &What) -> bool {
    matches!(what, What::Message { .. } | What::Slash { .. })
}

/// What waits outlives the process, so its times are of the clock on the wall, in milliseconds since 1970.
pub(super) fn now() -> i64 {
    i64::from(MilliSecondsSinceUnixEpoch::now().get())
}

/// Asks the store until it answers; the server keeps what is not in it.
async fn stored<T, F: Future<Output = Result<T, AcceptError>>>(mut ask: impl FnMut() -> F) -> T {
    let mut backoff = Backoff::up_to(LONGEST_PAUSE);
    let mut is_told = false;
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) if is_told => tracing::debug!(%error, "the store still does not take what came in"),
            Err(error) => {
                tracing::warn!(%error, "the store does not take what came in; the homeserver keeps it meanwhile");
            }
        }
        is_told = true;
        backoff.wait().await;
    }
}
