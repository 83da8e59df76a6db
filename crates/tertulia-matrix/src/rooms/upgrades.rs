//! Rooms that others replace: the conversation moves, once both rooms say so.

use matrix_sdk::deserialized_responses::RawAnySyncOrStrippedState;
use matrix_sdk::ruma::events::StateEventType;
use matrix_sdk::ruma::{OwnedServerName, RoomId, RoomOrAliasId, ServerName};
use matrix_sdk::{Room, RoomState};
use tertulia_interface::Batch;
use tertulia_message::{Addressed, Inbound, Mark, PersonId, What};
use tokio::time::Instant;

use super::tend::Keeper;
use crate::call::Failure;
use crate::fields::Fields;
use crate::inbound;
use crate::place::Place;

/// The marks of rooms that are being replaced begin with this; then comes the old room's id. The value is the new room's.
pub(super) const MOVING: &str = "moving/";

/// What is known of a room that is said to replace another.
#[derive(Debug, PartialEq, Eq)]
struct NewRoom {
    state: Option<RoomState>,
    says: Says,
}

/// Which room a new one says it replaces.
#[derive(Debug, PartialEq, Eq)]
enum Says {
    /// It has not told yet.
    NotYet,
    /// None.
    None,
    Replaces(String),
}

/// What is to be done about a room that is said to be replaced.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Join,
    Wait,
    Move,
    /// The new room says otherwise.
    Refuse,
    /// The bot is in neither room.
    GiveUp,
}

fn step(old: &str, is_in_old: bool, new: &NewRoom) -> Step {
    match (new.state, &new.says) {
        (Some(RoomState::Joined), Says::Replaces(named)) if named == old => Step::Move,
        (Some(RoomState::Joined), Says::Replaces(_) | Says::None) => Step::Refuse,
        // an invitation is accepted with the others, a knock needs somebody's leave
        (Some(RoomState::Joined | RoomState::Invited | RoomState::Knocked), _) => Step::Wait,
        _ if is_in_old => Step::Join,
        _ => Step::GiveUp,
    }
}

impl Keeper<'_> {
    /// Notes which rooms say that they are replaced; what is noted survives a restart.
    pub(super) async fn see_upgrades(&mut self) {
        for room in self.session.client.joined_rooms() {
            let old = room.room_id().as_str();
            let Some(new) = room.successor_room().map(|new| new.room_id.to_string()) else {
                continue;
            };
            let is_known = self.moving.get(old) == Some(&new) || self.refused.contains(&(old.to_owned(), new.clone()));
            if is_known || new == old || self.matrix.rooms.successor(old).is_some() {
                continue;
            }
            let mark = Mark {
                key: format!("{MOVING}{old}"),
                value: Some(new.clone().into_bytes()),
            };
            if self.commit(Vec::new(), vec![mark]).await {
                tracing::info!(room = old, by = new, "a room is being replaced");
                self.matrix.rooms.memory().moving.insert(old.to_owned(), Instant::now());
                self.moving.insert(old.to_owned(), new);
            }
        }
    }

    pub(super) async fn follow_upgrades(&mut self) {
        for (old, new) in self.moving.clone() {
            let there = self.room(&new);
            let known = NewRoom {
                state: there.as_ref().map(|there| there.state()),
                says: match &there {
                    Some(there) => says(there).await,
                    None => Says::NotYet,
                },
            };
            let is_in_old = self.room(&old).is_some_and(|room| room.state() == RoomState::Joined);
            match step(&old, is_in_old, &known) {
                Step::Wait => {}
                Step::Join => self.join_successor(&old, &new).await,
                Step::Move => self.move_on(&old, &new).await,
                Step::Refuse => {
                    tracing::warn!(
                        room = old,
                        by = new,
                        "a room is said to be replaced by one that does not know of it"
                    );
                    self.matrix.rooms.memory().unsettled.insert(new.clone());
                    self.refused.insert((old.clone(), new));
                    self.no_move(old).await;
                }
                Step::GiveUp => self.no_move(old).await,
            }
        }
    }

    fn room(&self, id: &str) -> Option<Room> {
        self.session.client.get_room(&RoomId::parse(id).ok()?)
    }

    async fn join_successor(&mut self, old: &str, new: &str) {
        let (Ok(id), Ok(address)) = (RoomId::parse(new), RoomOrAliasId::parse(new)) else {
            return;
        };
        if !self.tries.may(&id, Instant::now()) {
            return;
        }
        let sender = match self.room(old) {
            Some(room) => tombstone(&room).await.map(|(sender, _)| sender),
            None => None,
        };
        let via = servers(&[sender.as_deref().unwrap_or_default(), old, new]);
        match self.session.client.join_room_by_id_or_alias(&address, &via).await {
            Ok(_) => self.tries.end(&id),
            Err(error) => {
                // perhaps an invitation is on its way
                let failure = Failure::from(error);
                tracing::info!(room = old, by = new, %failure, "the room that replaces another could not be joined yet");
                self.tries.failed(&id, &failure, Instant::now());
            }
        }
    }

    async fn move_on(&mut self, old: &str, new: &str) {
        let room = self.room(old);
        let told = match &room {
            Some(room) => tombstone(room).await,
            None => None,
        };
        let (sender, id) = told.unwrap_or_else(|| (self.session.user.to_string(), new.to_owned()));
        let path = |room: &str| Place::new(room, None).ok()?.path(&self.matrix.name).ok();
        let (Some(from), Some(to)) = (path(old), path(new)) else {
            return self.no_move(old.to_owned()).await;
        };
        let moved = Inbound {
            account: self.account.clone(),
            path: from.clone(),
            id,
            sender: PersonId::new(&self.matrix.name, sender),
            sender_name: String::new(),
            addressed: Addressed::None,
            what: What::Moved { to: to.clone() },
            files: Vec::new(),
            reply_to: None,
            quoted: None,
            join: None,
            token: None,
            sent_at: None,
        };
        if !self.commit(vec![moved], vec![done(old)]).await {
            return;
        }
        tracing::info!(%from, %to, "a room was replaced by another");
        {
            let mut memory = self.matrix.rooms.memory();
            memory.successors.insert(old.to_owned(), new.to_owned());
            memory.forget(old);
        }
        self.moving.remove(old);
        // if that fails it is seen again as a room that is replaced, and left at the next start
        if let Some(room) = room.filter(|room| room.state() == RoomState::Joined)
            && let Err(error) = room.leave().await
        {
            tracing::warn!(room = old, failure = %Failure::from(error), "a room that was replaced could not be left");
        }
    }

    async fn no_move(&mut self, old: String) {
        if self.commit(Vec::new(), vec![done(&old)]).await {
            self.matrix.rooms.memory().moving.remove(&old);
            self.moving.remove(&old);
        }
    }

    async fn commit(&self, events: Vec<Inbound>, marks: Vec<Mark>) -> bool {
        let account = self.account.clone();
        let batch = Batch {
            account,
            events,
            marks,
            missed: false,
        };
        self.inlet.accept(batch).await.is_ok()
    }
}

fn done(old: &str) -> Mark {
    Mark {
        key: format!("{MOVING}{old}"),
        value: None,
    }
}

/// What the room itself says, not who invites to it.
async fn says(room: &Room) -> Says {
    match room.get_state_event(StateEventType::RoomCreate, "").await {
        Ok(Some(RawAnySyncOrStrippedState::Sync(create))) => {
            inbound::predecessor(create.json().get()).map_or(Says::None, Says::Replaces)
        }
        _ => Says::NotYet,
    }
}

/// Who closed a room, and the event that says so.
async fn tombstone(room: &Room) -> Option<(String, String)> {
    match room.get_state_event(StateEventType::RoomTombstone, "").await.ok()?? {
        RawAnySyncOrStrippedState::Sync(tombstone) => {
            let fields = Fields::read(tombstone.json().get())?;
            fields.text("sender").zip(fields.text("event_id"))
        }
        RawAnySyncOrStrippedState::Stripped(_) => None,
    }
}

/// The servers that ids name; those of the newest rooms name none.
fn servers(ids: &[&str]) -> Vec<OwnedServerName> {
    let servers = ids.iter().filter_map(|id| id.split_once(':'));
    let mut servers: Vec<OwnedServerName> = servers.filter_map(|(_, name)| ServerName::parse(name).ok()).collect();
    servers.sort();
    servers.dedup();
    servers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_moves_when_both_rooms_say_so() {
        let new = |state, says| NewRoom { state, says };
        let replaces = |old: &str| Says::Replaces(old.to_owned());
        let (joined, invited) = (Some(RoomState::Joined), Some(RoomState::Invited));
        for (new, in_old, out_of_old) in [
            (new(None, Says::NotYet), Step::Join, Step::GiveUp),
            (new(Some(RoomState::Left), replaces("!old")), Step::Join, Step::GiveUp),
            (new(Some(RoomState::Banned), Says::NotYet), Step::Join, Step::GiveUp),
            (new(invited, Says::NotYet), Step::Wait, Step::Wait),
            // whoever invites says much
            (new(invited, replaces("!old")), Step::Wait, Step::Wait),
            (new(joined, Says::NotYet), Step::Wait, Step::Wait),
            (new(joined, Says::None), Step::Refuse, Step::Refuse),
            (new(joined, replaces("!other")), Step::Refuse, Step::Refuse),
            (new(joined, replaces("!old")), Step::Move, Step::Move),
        ] {
            assert_eq!(step("!old", true, &new), in_old, "{new:?}");
            assert_eq!(step("!old", false, &new), out_of_old, "{new:?}");
        }
    }

    #[test]
    fn ids_name_servers() {
        let ids = [
            "@a/b:h.org",
            "!x:h.org",
            "!YB72YacBKatT7m7eTwA8Unbw8U3XOi07fD2eFbJpGWw",
            "!y:[::1]:8448",
            "!z:no server",
            "",
        ];
        let named: Vec<String> = servers(&ids).iter().map(ToString::to_string).collect();
        assert_eq!(named, ["[::1]:8448", "h.org"]);
    }
}
