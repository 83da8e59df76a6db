//! A response of the sync: what of it is live, what falls behind, and the cursor.

use std::sync::atomic::Ordering;

use matrix_sdk::Room;
use matrix_sdk::deserialized_responses::TimelineEvent;
use matrix_sdk::ruma::OwnedRoomId;
use matrix_sdk::sync::{JoinedRoomUpdate, SyncResponse};
use tertulia_message::Mark;

use super::{CURSOR, Intake, Progress};
use crate::inbound::{Around, Read};
use crate::listen::gaps::{Gap, Sync, Told, Turn, closed};
use crate::listen::stretch::Stretch;

/// What a response comes to.
#[derive(Default)]
struct Plan<'a> {
    /// Handed in, each from inside or outside of the room.
    live: Vec<(Room, &'a [TimelineEvent], bool)>,
    /// Behind from now on.
    fallen: Vec<(String, Gap)>,
    /// No longer behind, since the bot is not there any more.
    left: Vec<String>,
}

impl Intake<'_> {
    /// Takes in a response to a call from `since`. Returns when it is on disk.
    pub(in crate::listen) async fn take(&self, since: Option<&str>, response: &SyncResponse) {
        let mut progress = self.progress.lock().await;
        let cursor = progress.cursor.clone();
        let sync = Sync {
            cursor: cursor.as_deref(),
            since,
            next: &response.next_batch,
        };
        if sync.is_torn() {
            tracing::info!(
                interface = self.matrix.name,
                "the inbox is behind the client library; the rooms are read on from where the inbox is"
            );
        }
        let plan = self.plan(&mut progress, &sync, response);
        let mut stretches = Vec::new();
        for (room, events, is_outside) in &plan.live {
            stretches.push((room, self.read(room, events, *is_outside).await));
        }
        self.log_leaving(response);
        let missed = self.was_away.swap(false, Ordering::Relaxed);
        self.hand_in(stretches, plan.marks(&sync), missed).await;
        progress.advance(&plan, &sync, response);
        if !plan.fallen.is_empty() {
            self.fell_behind.notify_one();
        }
        self.matrix.rooms.changed();
    }

    fn plan<'r>(&self, progress: &mut Progress, sync: &Sync<'_>, response: &'r SyncResponse) -> Plan<'r> {
        let mut plan = Plan::default();
        if sync.is_torn() {
            self.plan_all(progress, sync, &mut plan);
        } else {
            for (id, update) in &response.rooms.joined {
                self.plan_room(progress, sync, (id, update), &mut plan);
            }
        }
        let left = response.rooms.left.keys().map(ToString::to_string);
        plan.left = left.filter(|room| progress.gaps.is_behind(room)).collect();
        plan
    }

    /// Nobody knows which rooms have something between the inbox and the response.
    fn plan_all(&self, progress: &mut Progress, sync: &Sync<'_>, plan: &mut Plan<'_>) {
        for room in self.session.client.joined_rooms() {
            let id = room.room_id().as_str();
            if progress.gaps.is_behind(id) {
                progress.gaps.news(id);
            } else if let Turn::Behind(gap) = sync.turn(Told::default()) {
                plan.fallen.push((id.to_owned(), gap));
            }
        }
    }

    fn plan_room<'r>(
        &self,
        progress: &mut Progress,
        sync: &Sync<'_>,
        (id, update): (&OwnedRoomId, &'r JoinedRoomUpdate),
        plan: &mut Plan<'r>,
    ) {
        let (room, timeline) = (id.as_str(), &update.timeline);
        if timeline.events.is_empty() && !timeline.limited {
            return;
        }
        if progress.gaps.is_behind(room) {
            progress.gaps.news(room);
            return;
        }
        let was_joined = progress.joined.contains(room);
        let told = Told {
            is_limited: timeline.limited,
            was_joined,
            has_joining: !was_joined
                && timeline
                    .events
                    .iter()
                    .any(|event| self.read_alone(room, event) == Read::Joined),
        };
        match sync.turn(told) {
            Turn::Past => {}
            Turn::Behind(gap) => plan.fallen.push((room.to_owned(), gap)),
            Turn::Live { is_outside } => {
                if let Some(room) = self.session.client.get_room(id) {
                    plan.live.push((room, &timeline.events, is_outside));
                }
            }
        }
    }

    /// What was said before the bot had to go can no longer be answered.
    fn log_leaving(&self, response: &SyncResponse) {
        for (room, update) in &response.rooms.left {
            let mut stretch = Stretch::new(true);
            for event in &update.timeline.events {
                stretch.take(event.raw().json().get(), self.read_alone(room.as_str(), event), |_| {
                    false
                });
            }
        }
    }

    /// For what can be read without knowing what is around it: changes of the room.
    fn read_alone(&self, room: &str, event: &TimelineEvent) -> Read {
        let around = Around {
            room,
            ..Around::default()
        };
        self.reader().read(event.raw().json().get(), &around)
    }
}

impl Plan<'_> {
    /// The marks that go with what is live.
    fn marks(&self, sync: &Sync<'_>) -> Vec<Mark> {
        let mut marks: Vec<Mark> = self.fallen.iter().map(|(room, gap)| gap.mark(room)).collect();
        marks.extend(self.left.iter().map(|room| closed(room)));
        if sync.cursor != Some(sync.next) {
            marks.push(Mark {
                key: CURSOR.to_owned(),
                value: Some(sync.next.as_bytes().to_vec()),
            });
        }
        marks
    }
}

impl Progress {
    /// It is on disk.
    fn advance(&mut self, plan: &Plan<'_>, sync: &Sync<'_>, response: &SyncResponse) {
        self.cursor = Some(sync.next.to_owned());
        for (room, gap) in &plan.fallen {
            self.gaps.open(room, gap.clone());
        }
        for room in &plan.left {
            self.gaps.close(room);
        }
        for room in response.rooms.left.keys() {
            self.joined.remove(room.as_str());
        }
        self.joined
            .extend(response.rooms.joined.keys().map(ToString::to_string));
    }

    /// A pass through a room has reached its end: see [`Gaps::is_whole`](crate::listen::gaps::Gaps::is_whole).
    pub(in crate::listen) fn is_whole(&mut self, room: &str) -> bool {
        let cursor = self.cursor.clone().unwrap_or_default();
        self.gaps.is_whole(room, &cursor)
    }

    /// How far the sync is.
    pub(in crate::listen) fn cursor(&self) -> String {
        self.cursor.clone().unwrap_or_default()
    }
}
