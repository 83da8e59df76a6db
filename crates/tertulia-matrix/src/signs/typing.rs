//! Typing: shown to a room, whatever thread the answer is for, until no answer is made there any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use matrix_sdk::ruma::RoomId;
use matrix_sdk::ruma::api::client::typing::create_typing_event::v3::{Request, Typing as State, TypingInfo};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use crate::call::Failure;
use crate::place::Place;
use crate::session::Session;

/// How long the server shows it if it hears no more.
const SHOWN: Duration = Duration::from_secs(30);
/// How often it is renewed.
const RENEWED: Duration = Duration::from_secs(20);
/// An answer that takes longer is not believed in any more.
const LONGEST: Duration = Duration::from_hours(1);
/// In how many rooms it is shown at the same time.
const ROOMS: usize = 1_000;

/// Where an answer is being made.
#[derive(Debug, Default)]
pub(super) struct Typing(Mutex<HashMap<String, Shown>>);

/// What is shown to one room.
#[derive(Debug)]
struct Shown {
    /// The places of the room at which an answer is being made, and since when.
    places: HashMap<Place, Instant>,
    bell: Arc<Notify>,
}

/// What to do for a room next.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Show,
    Hide,
    End,
}

impl Typing {
    pub(super) fn places(&self) -> usize {
        self.rooms().values().map(|shown| shown.places.len()).sum()
    }

    /// An answer is being made; gives what has to be done for the room if nobody does it yet.
    pub(super) fn begin(
        self: &Arc<Self>,
        session: &Session,
        place: Place,
    ) -> Option<impl Future<Output = ()> + Send + 'static> {
        let room = place.room().to_owned();
        let bell = self.enter(place)?;
        let (typing, session) = (Arc::clone(self), session.clone());
        Some(async move { typing.run(&session, &room, &bell).await })
    }

    /// No answer is made at the place any more.
    pub(super) fn end(&self, place: &Place) {
        if let Some(shown) = self.rooms().get_mut(place.room())
            && shown.places.remove(place).is_some()
            && shown.places.is_empty()
        {
            shown.bell.notify_one();
        }
    }

    fn enter(&self, place: Place) -> Option<Arc<Notify>> {
        let mut rooms = self.rooms();
        let now = Instant::now();
        if let Some(shown) = rooms.get_mut(place.room()) {
            if shown.places.is_empty() {
                shown.bell.notify_one();
            }
            shown.places.insert(place, now);
            return None;
        }
        if rooms.len() >= ROOMS {
            return None;
        }
        let (room, bell) = (place.room().to_owned(), Arc::new(Notify::new()));
        let shown = Shown {
            places: HashMap::from([(place, now)]),
            bell: Arc::clone(&bell),
        };
        rooms.insert(room, shown);
        Some(bell)
    }

    /// A room with nothing more to show is forgotten in the same moment, so that what comes next begins anew.
    fn next(&self, room: &str, is_shown: bool) -> Step {
        let mut rooms = self.rooms();
        let Some(shown) = rooms.get_mut(room) else {
            return Step::End;
        };
        shown.places.retain(|_, since| since.elapsed() < LONGEST);
        match (shown.places.is_empty(), is_shown) {
            (false, _) => Step::Show,
            (true, true) => Step::Hide,
            (true, false) => {
                rooms.remove(room);
                Step::End
            }
        }
    }

    async fn run(&self, session: &Session, room: &str, bell: &Notify) {
        let ahead = async {
            if let Ok(id) = RoomId::parse(room)
                && let Some(known) = session.client.get_room(&id)
                && known.encryption_state().is_encrypted()
            {
                // the answer needs to know for whom it is encrypted: asked for now, it need not wait for that then
                let _ = known.sync_members().await;
            }
        };
        tokio::join!(ahead, self.shows(session, room, bell));
    }

    async fn shows(&self, session: &Session, room: &str, bell: &Notify) {
        let mut is_shown = false;
        loop {
            let step = self.next(room, is_shown);
            let state = match step {
                Step::Show => State::Yes(TypingInfo::new(SHOWN)),
                Step::Hide => State::No,
                Step::End => return,
            };
            if let Err(failure) = send(session, room, state).await {
                tracing::debug!(room, %failure, "typing was not shown");
                if matches!(failure, Failure::Answered { .. }) {
                    self.rooms().remove(room);
                    return;
                }
            }
            is_shown = step == Step::Show;
            if is_shown {
                let _ = timeout(RENEWED, bell.notified()).await;
            }
        }
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<String, Shown>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn send(session: &Session, room: &str, state: State) -> Result<(), Failure> {
    let room = RoomId::parse(room).map_err(|error| Failure::NotSent(error.to_string()))?;
    let request = Request::new(session.user.clone(), room, state);
    session.client.send(request).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(room: &str, thread: Option<&str>) -> Place {
        Place::new(room, thread.map(str::to_owned)).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_room_is_shown_it_as_long_as_any_of_its_threads_waits() {
        let typing = Typing::default();
        let (main, thread) = (place("!r:h", None), place("!r:h", Some("$t")));
        assert!(typing.enter(main.clone()).is_some());
        assert!(typing.enter(thread.clone()).is_none());
        assert_eq!((typing.places(), typing.next("!r:h", false)), (2, Step::Show));
        typing.end(&main);
        assert_eq!(typing.next("!r:h", true), Step::Show);
        typing.end(&thread);
        typing.end(&thread);
        assert_eq!(typing.next("!r:h", true), Step::Hide);
        // begun again while it is being hidden: the same task goes on
        assert!(typing.enter(main.clone()).is_none());
        assert_eq!(typing.next("!r:h", false), Step::Show);
        typing.end(&main);
        assert_eq!(typing.next("!r:h", false), Step::End);
        assert_eq!(typing.places(), 0);
        assert!(typing.enter(main).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_never_ended_ends() {
        let typing = Typing::default();
        assert!(typing.enter(place("!r:h", None)).is_some());
        tokio::time::advance(LONGEST).await;
        assert_eq!(typing.next("!r:h", true), Step::Hide);
    }

    #[test]
    fn there_are_not_too_many_rooms() {
        let typing = Typing::default();
        for nth in 0..ROOMS {
            assert!(typing.enter(place(&format!("!{nth}:h"), None)).is_some());
        }
        assert!(typing.enter(place("!more:h", None)).is_none());
        assert_eq!(typing.places(), ROOMS);
    }
}
