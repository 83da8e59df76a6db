//! Rooms that the bot has left, or is alone in.

use std::time::Duration;

use matrix_sdk::{Room, RoomState};
use tokio::time::Instant;

use super::tend::Keeper;
use crate::call::Failure;

/// How long a room that was left is kept, so that what was said before is read.
const LEFT: Duration = Duration::from_mins(5);
/// How long the bot stays in a room alone: people come back.
const ALONE: Duration = Duration::from_hours(1);

/// Why nothing goes on in a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Idle {
    /// The bot is not in it any more.
    Left,
    /// Nobody else is.
    Alone,
}

impl Idle {
    /// `people` are those who have joined or are invited, with the bot; 0 if that is not known.
    fn of(state: RoomState, people: u64) -> Option<Self> {
        match state {
            RoomState::Left | RoomState::Banned => Some(Self::Left),
            RoomState::Joined if people == 1 => Some(Self::Alone),
            _ => None,
        }
    }

    fn patience(self) -> Duration {
        match self {
            Self::Left => LEFT,
            Self::Alone => ALONE,
        }
    }
}

impl Keeper<'_> {
    pub(super) async fn clean_up(&mut self) {
        let rooms = self.session.client.rooms();
        self.idle
            .retain(|idle, _| rooms.iter().any(|room| room.room_id() == idle));
        for room in rooms {
            self.look_whether_idle(&room).await;
        }
    }

    async fn look_whether_idle(&mut self, room: &Room) {
        let (id, now) = (room.room_id().to_owned(), Instant::now());
        let Some(idle) = Idle::of(room.state(), room.active_members_count()) else {
            self.idle.remove(&id);
            return;
        };
        let before = self.idle.get(&id).copied().filter(|(before, _)| *before == idle);
        let Some((_, since)) = before else {
            if idle == Idle::Left {
                tracing::info!(room = %id, "the bot is not in a room any more");
                self.matrix.rooms.memory().forget(id.as_str());
            }
            self.idle.insert(id, (idle, now));
            return;
        };
        if now.saturating_duration_since(since) < idle.patience() || !self.tries.may(&id, now) {
            return;
        }
        let done = match idle {
            Idle::Left => room.forget().await,
            Idle::Alone => room.leave().await,
        };
        match done.map_err(Failure::from) {
            Ok(()) => {
                self.idle.remove(&id);
                self.tries.end(&id);
                let what = if idle == Idle::Left {
                    "forgotten"
                } else {
                    "left, since nobody else is in it"
                };
                tracing::info!(room = %id, "a room was {what}");
            }
            Err(failure) => {
                tracing::debug!(room = %id, %failure, "a room could not be left or forgotten");
                self.tries.failed(&id, &failure, now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_without_anybody_are_idle() {
        for (state, people, expected) in [
            (RoomState::Joined, 0, None),
            (RoomState::Joined, 1, Some(Idle::Alone)),
            (RoomState::Joined, 2, None),
            (RoomState::Left, 2, Some(Idle::Left)),
            (RoomState::Banned, 2, Some(Idle::Left)),
            (RoomState::Invited, 1, None),
        ] {
            assert_eq!(Idle::of(state, people), expected, "{state:?} {people}");
        }
    }
}
