//! Looks after the rooms beside the intake: encryption, upgrades, invitations, rooms that were left.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::convert::Infallible;
use std::time::Duration;

use matrix_sdk::ruma::OwnedRoomId;
use tertulia_interface::{AcceptError, Batch, Inlet};
use tertulia_message::{Account, Mark};
use tokio::time::{Instant, timeout};

use super::leaving::Idle;
use super::tries::Tries;
use super::upgrades::MOVING;
use crate::matrix::Matrix;
use crate::session::Session;

/// How often the rooms are looked at although nothing has come.
const EVERY: Duration = Duration::from_mins(1);
/// How soon after a failure at the earliest.
const SOON: Duration = Duration::from_secs(1);
/// How many rooms are asked for their encryption at once.
const ASKED: usize = 8;
/// How long one of them may take.
const DEADLINE: Duration = Duration::from_secs(5);
/// The marks of rooms that are encrypted for ever begin with this; then comes the room's id.
const ENCRYPTED: &str = "encrypted/";

/// Looks at the rooms at start, after [`changed`](super::Rooms::changed), and once a minute. Runs beside the intake, since a
/// join may take long; whoever drops it stops it.
pub(crate) async fn tend(matrix: &Matrix, inlet: &Inlet, session: &Session) -> Infallible {
    let mut keeper = Keeper::new(matrix, inlet, session);
    loop {
        if let Err(error) = keeper.round().await {
            tracing::warn!(interface = matrix.name, %error, "the rooms could not be looked after");
        }
        matrix.rooms.looked_at.notify_waiters();
        let next = keeper.tries.next(Instant::now());
        let wait = next.map_or(EVERY, |next| next.clamp(SOON, EVERY));
        let _ = timeout(wait, matrix.rooms.changed.notified()).await;
    }
}

/// Whoever looks after the rooms, with what is remembered from one look to the next.
pub(super) struct Keeper<'a> {
    pub(super) matrix: &'a Matrix,
    pub(super) inlet: &'a Inlet,
    pub(super) session: &'a Session,
    pub(super) account: Account,
    pub(super) tries: Tries,
    /// Invitations that were told to whoever reads the log.
    pub(super) told: HashSet<OwnedRoomId>,
    /// Rooms in which nothing goes on, and since when.
    pub(super) idle: HashMap<OwnedRoomId, (Idle, Instant)>,
    /// Rooms that are being replaced, and by which; all of them have a mark.
    pub(super) moving: BTreeMap<String, String>,
    /// Old and new rooms of which the new one knows nothing.
    pub(super) refused: HashSet<(String, String)>,
    /// Rooms of which it is on disk that they are encrypted.
    marked: HashSet<String>,
}

impl<'a> Keeper<'a> {
    fn new(matrix: &'a Matrix, inlet: &'a Inlet, session: &'a Session) -> Self {
        Self {
            account: matrix.account(session),
            matrix,
            inlet,
            session,
            tries: Tries::default(),
            told: HashSet::new(),
            idle: HashMap::new(),
            moving: BTreeMap::new(),
            refused: HashSet::new(),
            marked: HashSet::new(),
        }
    }

    async fn round(&mut self) -> Result<(), AcceptError> {
        if !self.matrix.rooms.memory().has_marks {
            self.read_marks().await?;
        }
        self.keep_encryption().await?;
        self.see_upgrades().await;
        self.answer_invitations().await;
        self.follow_upgrades().await;
        self.clean_up().await;
        Ok(())
    }

    async fn read_marks(&mut self) -> Result<(), AcceptError> {
        let encrypted = self.inlet.marks(&self.account, ENCRYPTED).await?;
        let moving = self.inlet.marks(&self.account, MOVING).await?;
        let mut memory = self.matrix.rooms.memory();
        for room in encrypted.iter().filter_map(|mark| mark.key.strip_prefix(ENCRYPTED)) {
            memory.encrypted.insert(room.to_owned(), true);
            self.marked.insert(room.to_owned());
        }
        for mark in moving {
            let new = mark.value.and_then(|new| String::from_utf8(new).ok());
            if let Some((old, new)) = mark.key.strip_prefix(MOVING).zip(new) {
                memory.moving.insert(old.to_owned(), Instant::now());
                self.moving.insert(old.to_owned(), new);
            }
        }
        memory.has_marks = true;
        Ok(())
    }

    /// What the library knows is remembered, and what is encrypted is on disk: the library believes the server later.
    async fn keep_encryption(&mut self) -> Result<(), AcceptError> {
        let rooms = &self.matrix.rooms;
        let mut asked = 0;
        for room in self.session.client.joined_rooms() {
            if room.encryption_state().is_unknown() && asked < ASKED {
                asked += 1;
                let _ = timeout(DEADLINE, room.request_encryption_state()).await;
            }
            rooms.note_encryption(room.room_id().as_str(), &room.encryption_state());
        }
        let new = rooms.surely_encrypted_but(&self.marked);
        if new.is_empty() {
            return Ok(());
        }
        let mark = |room: &String| Mark {
            key: format!("{ENCRYPTED}{room}"),
            value: Some(Vec::new()),
        };
        let batch = Batch {
            account: self.account.clone(),
            events: Vec::new(),
            marks: new.iter().map(mark).collect(),
            missed: false,
        };
        self.inlet.accept(batch).await?;
        self.marked.extend(new);
        Ok(())
    }
}
