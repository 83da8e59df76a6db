//! Signs that are shown once: receipts, of which the newest at a place says all, and reactions.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use matrix_sdk::Room;
use matrix_sdk::ruma::api::client::receipt::create_receipt::v3::ReceiptType;
use matrix_sdk::ruma::events::receipt::ReceiptThread;
use matrix_sdk::ruma::{OwnedEventId, OwnedTransactionId, RoomId};
use serde_json::Value;
use tokio::time::sleep;

use crate::call::Failure;
use crate::content;
use crate::ids;
use crate::pace::Paces;
use crate::place::Place;
use crate::session::Session;
use crate::transaction::{self, Piece};

/// How many signs wait at most.
const WAITING: usize = 200;
/// How many of them are reactions.
const REACTIONS: usize = 20;
/// The shortest time behind a reaction.
const APART: Duration = Duration::from_millis(500);

/// What waits to be shown, in the order in which it came; one task shows it.
#[derive(Debug, Default)]
pub(super) struct Once(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    signs: VecDeque<Sign>,
    is_at_work: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Sign {
    Seen { place: Place, id: String },
    Reaction { place: Place, id: String, sign: String },
}

impl Once {
    /// A message was seen; true if somebody has to begin to work.
    pub(super) fn seen(&self, place: Place, id: &str) -> bool {
        let id = id.to_owned();
        self.add(Sign::Seen { place, id })
    }

    /// A message gets a reaction; true if somebody has to begin to work.
    pub(super) fn react(&self, place: Place, id: &str, sign: String) -> bool {
        let id = id.to_owned();
        self.add(Sign::Reaction { place, id, sign })
    }

    fn add(&self, sign: Sign) -> bool {
        if !ids::is_event(sign.id()) {
            return false;
        }
        let mut waiting = self.waiting();
        let signs = &mut waiting.signs;
        match &sign {
            // what is seen up to a later message is seen
            Sign::Seen { place: here, .. } => {
                signs.retain(|earlier| !matches!(earlier, Sign::Seen { place, .. } if place == here));
            }
            Sign::Reaction { .. } => {
                let reactions = signs.iter().filter(|sign| matches!(sign, Sign::Reaction { .. }));
                if reactions.count() >= REACTIONS {
                    return false;
                }
            }
        }
        if signs.len() >= WAITING {
            return false;
        }
        signs.push_back(sign);
        !std::mem::replace(&mut waiting.is_at_work, true)
    }

    /// Whoever finds nothing more to do is at work no more, in the same moment.
    fn next(&self) -> Option<Sign> {
        let mut waiting = self.waiting();
        let sign = waiting.signs.pop_front();
        waiting.is_at_work = sign.is_some();
        sign
    }

    /// Shows what waits, until nothing does.
    pub(super) async fn work(&self, session: &Session, paces: &Paces) {
        while let Some(sign) = self.next() {
            let room = RoomId::parse(sign.place().room()).ok();
            let Some(room) = room.and_then(|id| session.client.get_room(&id)) else {
                continue;
            };
            let is_reaction = matches!(sign, Sign::Reaction { .. });
            if is_reaction && !paces.admit_light() {
                continue;
            }
            if let Err(failure) = show(&room, &sign).await {
                tracing::debug!(room = sign.place().room(), %failure, "a sign was not shown");
                if let Some(after) = failure.wait().filter(|_| is_reaction) {
                    paces.refused(after);
                }
            }
            if is_reaction {
                sleep(APART).await;
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sign {
    fn id(&self) -> &str {
        match self {
            Self::Seen { id, .. } | Self::Reaction { id, .. } => id,
        }
    }

    fn place(&self) -> &Place {
        match self {
            Self::Seen { place, .. } | Self::Reaction { place, .. } => place,
        }
    }
}

async fn show(room: &Room, sign: &Sign) -> Result<(), Failure> {
    let unreadable = |_| Failure::NotSent("not an event".to_owned());
    let event = OwnedEventId::try_from(sign.id()).map_err(unreadable)?;
    match sign {
        Sign::Seen { place, id } => {
            let thread = thread(place, id);
            room.send_single_receipt(ReceiptType::Read, thread, event).await?;
        }
        Sign::Reaction { id, sign, .. } => {
            // never encrypted, by anybody: the server is to count them
            let key = format!("ack.{id}.{sign}");
            room.send_raw("m.reaction", Value::from(content::reaction(id, sign)))
                .with_transaction_id(&OwnedTransactionId::from(transaction::id(&key, Piece::Text)))
                .await?;
        }
    }
    Ok(())
}

/// A thread has a receipt of its own; the message that it began with stands in the room.
fn thread(place: &Place, id: &str) -> ReceiptThread {
    let root = place.thread().filter(|root| *root != id);
    match root.and_then(|root| OwnedEventId::try_from(root).ok()) {
        Some(root) => ReceiptThread::Thread(root),
        None => ReceiptThread::Main,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(thread: Option<&str>) -> Place {
        Place::new("!r:h", thread.map(str::to_owned)).unwrap()
    }

    #[test]
    fn the_newest_receipt_of_a_place_says_all() {
        let once = Once::default();
        assert!(once.seen(place(None), "$a"));
        assert!(!once.seen(place(Some("$a")), "$b"));
        assert!(!once.seen(place(None), "$c"));
        assert!(!once.seen(place(None), "press/7"));
        let seen = |thread, id: &str| {
            Some(Sign::Seen {
                place: place(thread),
                id: id.to_owned(),
            })
        };
        assert_eq!(once.next(), seen(Some("$a"), "$b"));
        assert_eq!(once.next(), seen(None, "$c"));
        assert_eq!(once.next(), None);
        assert!(once.seen(place(None), "$d"));
    }

    #[test]
    fn reactions_are_few() {
        let once = Once::default();
        for nth in 0..100 {
            once.react(place(None), &format!("${nth}"), "👀".to_owned());
        }
        assert_eq!(once.waiting().signs.len(), REACTIONS);
    }

    #[test]
    fn receipts_stand_where_their_message_does() {
        let root = OwnedEventId::try_from("$a").unwrap();
        assert_eq!(thread(&place(Some("$a")), "$b"), ReceiptThread::Thread(root));
        assert_eq!(thread(&place(Some("$a")), "$a"), ReceiptThread::Main);
        assert_eq!(thread(&place(None), "$a"), ReceiptThread::Main);
    }
}
