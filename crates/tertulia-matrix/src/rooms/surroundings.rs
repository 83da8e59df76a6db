//! What has to be known to read an event: the people and the room around it, and the events that it names.
//!
//! The client library's store knows nearly all of it. The server is asked for an event that another names, and once for each
//! thread; what it does not tell in time is not known, and the event is read without.

use std::sync::Arc;
use std::time::Duration;

use matrix_sdk::room::{IncludeRelations, RelationsOptions};
use matrix_sdk::ruma::api::client::state::get_state_event_for_key;
use matrix_sdk::ruma::events::StateEventType;
use matrix_sdk::ruma::events::relation::RelationType;
use matrix_sdk::ruma::events::room::member::MembershipState;
use matrix_sdk::ruma::{EventId, UserId};
use matrix_sdk::{Room, RoomMemberships, RoomState};
use tokio::time::{Instant, timeout, timeout_at};

use super::Rooms;
use crate::call::Failure;
use crate::fields::Fields;
use crate::inbound::{Around, Needs, Reader};
use crate::place::Place;

/// How long one question to the server may take.
const DEADLINE: Duration = Duration::from_secs(2);
/// How long the first words of a room wait for the conversation that goes on there.
const SETTLED: Duration = Duration::from_secs(10);
/// How many of the last messages of a thread are looked through for ours.
const LAST_WORDS: u32 = 50;
/// How long an event that others name is taken for the same.
const FRESH: Duration = Duration::from_secs(30);

/// What is known around one event; owned, so that it can be looked up before anything is read.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    room: String,
    is_direct: bool,
    is_encrypted: bool,
    our_name: String,
    sender_name: Option<String>,
    related: Option<Arc<str>>,
    related_name: Option<String>,
    is_our_thread: bool,
}

impl Surroundings {
    pub(crate) fn around(&self) -> Around<'_> {
        Around {
            room: &self.room,
            is_direct: self.is_direct,
            is_encrypted: self.is_encrypted,
            our_name: &self.our_name,
            sender_name: self.sender_name.as_deref(),
            related: self.related.as_deref(),
            related_name: self.related_name.as_deref(),
            is_our_thread: self.is_our_thread,
        }
    }
}

impl Rooms {
    /// What has to be known to read this event of a room.
    ///
    /// What is said in a room that was replaced belongs to the room that replaced it.
    pub(crate) async fn surroundings(&self, reader: &Reader<'_>, room: &Room, event: &str) -> Surroundings {
        let id = room.room_id().as_str();
        self.settled(room).await;
        let known = Surroundings {
            room: self.successor(id).unwrap_or_else(|| id.to_owned()),
            is_encrypted: self.is_surely_encrypted(id) || room.encryption_state().is_encrypted(),
            ..Surroundings::default()
        };
        let Some(needs) = Needs::of(event) else { return known };
        if needs.changes {
            // what was kept of the event that is changed is no longer true
            self.memory().events.keep(|(of, _)| of != id);
        }
        if needs.sender == reader.user {
            if let Ok(place) = Place::new(id, needs.thread) {
                self.said(&place);
            }
            return known;
        }
        Surroundings {
            room: known.room,
            is_encrypted: known.is_encrypted,
            ..self.look_up(reader, room, &needs).await
        }
    }

    /// Waits until it is decided whether a room replaces another, so that nothing is said there as in a new conversation.
    async fn settled(&self, room: &Room) {
        let until = Instant::now() + SETTLED;
        loop {
            let looked_at = self.looked_at.notified();
            if !self.is_unsettled(room) {
                return;
            }
            self.changed.notify_one();
            if timeout_at(until, looked_at).await.is_err() {
                tracing::warn!(room = %room.room_id(), "whether a room replaces another is not decided in time");
                self.memory().unsettled.insert(room.room_id().to_string());
                return;
            }
        }
    }

    fn is_unsettled(&self, room: &Room) -> bool {
        let Some(before) = room.predecessor_room().map(|before| before.room_id) else {
            return false;
        };
        {
            let memory = self.memory();
            let is_decided = memory.successors.contains_key(before.as_str());
            if is_decided || memory.unsettled.contains(room.room_id().as_str()) {
                return false;
            }
        }
        let before = room.client().get_room(&before);
        let before = before.filter(|before| before.state() == RoomState::Joined);
        let named = before.and_then(|before| before.successor_room());
        named.is_some_and(|named| named.room_id == room.room_id())
    }

    async fn look_up(&self, reader: &Reader<'_>, room: &Room, needs: &Needs) -> Surroundings {
        let is_direct = is_direct(room, &reader.config.bots).await;
        let (our_name, sender_name, related) = tokio::join!(
            self.name(room, reader.user),
            self.name(room, &needs.sender),
            self.related(room, needs),
        );
        let mut around = Surroundings {
            room: room.room_id().to_string(),
            is_direct,
            our_name: our_name.unwrap_or_default(),
            sender_name,
            ..Surroundings::default()
        };
        let author = related.as_deref().and_then(Needs::of).map(|related| related.sender);
        if let Some(author) = author {
            around.related_name = self.name(room, &author).await;
        }
        let thread = needs.thread.clone();
        let thread = thread.or_else(|| related.as_deref().and_then(Needs::of)?.thread.filter(|_| needs.changes));
        around.related = related;
        if let Some(root) = thread.filter(|_| !is_direct) {
            around.is_our_thread = self.is_our_thread(reader, room, root, &around).await;
        }
        around
    }

    async fn related(&self, room: &Room, needs: &Needs) -> Option<Arc<str>> {
        self.event(room, needs.related.as_deref()?).await
    }

    /// Whether the bot has said something in a thread, or is meant by the message that began it.
    async fn is_our_thread(&self, reader: &Reader<'_>, room: &Room, began_with: String, around: &Surroundings) -> bool {
        let Ok(place) = Place::new(room.room_id().as_str(), Some(began_with.clone())) else {
            return false;
        };
        if let Some(is_ours) = self.memory().threads.get(&place) {
            return *is_ours;
        }
        let Some(began) = self.event(room, &began_with).await else {
            return false;
        };
        let related = match Needs::of(&began).and_then(|needs| needs.related) {
            Some(related) => self.event(room, &related).await,
            None => None,
        };
        let around = Around {
            related: related.as_deref(),
            ..around.around()
        };
        if reader.begins_our_thread(&began, &around) {
            self.learn_thread(place, true);
            return true;
        }
        // that we took part is remembered by servers from before we did, so what they deny is looked at
        let Some(has_spoken) = has_spoken(room, &began_with, reader.user).await else {
            return false;
        };
        self.learn_thread(place, has_spoken);
        has_spoken
    }

    /// What the bot has said meanwhile counts more than what the server told.
    fn learn_thread(&self, place: Place, is_ours: bool) {
        let mut memory = self.memory();
        if memory.threads.get(&place).is_none() {
            memory.threads.put(place, is_ours);
        }
    }

    /// An event of a room, decrypted where that is possible. That it is not there is kept as well.
    async fn event(&self, room: &Room, id: &str) -> Option<Arc<str>> {
        let key = (room.room_id().to_string(), id.to_owned());
        if let Some((since, event)) = self.memory().events.get(&key)
            && since.elapsed() < FRESH
        {
            return event.clone();
        }
        let id = EventId::parse(id).ok()?;
        let event = match timeout(DEADLINE, room.event(&id, None)).await {
            Ok(Ok(event)) => Some(Arc::from(event.raw().json().get())),
            Ok(Err(error)) => {
                let failure = Failure::from(error);
                tracing::debug!(room = %room.room_id(), %failure, "an event that another names is not to be had");
                None
            }
            Err(_) => None,
        };
        self.memory().events.put(key, (Instant::now(), event.clone()));
        event
    }

    /// The name that people of a room see of a user; with the id behind it if others have the same one.
    async fn name(&self, room: &Room, user: &str) -> Option<String> {
        let id = UserId::parse(user).ok()?;
        if let Ok(Some(member)) = room.get_member_no_sync(&id).await {
            let name = member.display_name()?;
            return Some(if member.name_ambiguous() {
                format!("{name} ({user})")
            } else {
                name.to_owned()
            });
        }
        let key = (room.room_id().to_string(), user.to_owned());
        if let Some(name) = self.memory().names.get(&key) {
            return name.clone();
        }
        let name = timeout(DEADLINE, asked_name(room, user)).await.ok().flatten();
        self.memory().names.put(key, name.clone());
        name
    }
}

/// Whether a user is among those who said the last things in a thread; nothing if the server does not tell.
async fn has_spoken(room: &Room, began_with: &str, user: &str) -> Option<bool> {
    let began_with = EventId::parse(began_with).ok()?;
    let options = RelationsOptions {
        limit: Some(LAST_WORDS.into()),
        include_relations: IncludeRelations::RelationsOfType(RelationType::Thread),
        ..RelationsOptions::default()
    };
    let last = timeout(DEADLINE, room.relations(began_with, options))
        .await
        .ok()?
        .ok()?;
    Some(
        last.chunk
            .iter()
            .any(|event| event.sender().is_some_and(|sender| sender == user)),
    )
}

async fn asked_name(room: &Room, user: &str) -> Option<String> {
    let kind = StateEventType::RoomMember;
    let request = get_state_event_for_key::v3::Request::new(room.room_id().to_owned(), kind, user.to_owned());
    let content = room.client().send(request).await.ok()?.into_content();
    Fields::read(content.json().get())?.text("displayname")
}

/// True for a room of the bot and one person; other bots that are known do not count.
async fn is_direct(room: &Room, bots: &[String]) -> bool {
    let mut people = room.active_members_count();
    if people == 0 {
        // the server tells how many there are only if it leaves out who they are
        let members = room.members_no_sync(RoomMemberships::ACTIVE).await;
        people = members.map_or(0, |members| u64::try_from(members.len()).unwrap_or(u64::MAX));
    }
    let mut known_bots = 0;
    if people > 2 && people.saturating_sub(2) <= u64::try_from(bots.len()).unwrap_or(u64::MAX) {
        for bot in bots {
            known_bots += u64::from(is_there(room, bot).await);
        }
    }
    people.saturating_sub(known_bots) == 2
}

async fn is_there(room: &Room, user: &str) -> bool {
    let Ok(id) = UserId::parse(user) else { return false };
    let member = match room.get_member_no_sync(&id).await {
        Ok(None) => timeout(DEADLINE, room.get_member(&id)).await.unwrap_or(Ok(None)),
        known => known,
    };
    let is_in = |membership: &MembershipState| matches!(membership, MembershipState::Join | MembershipState::Invite);
    member.is_ok_and(|member| member.is_some_and(|member| is_in(member.membership())))
}
