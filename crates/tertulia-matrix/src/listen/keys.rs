//! Tries messages again whose keys were missing, when keys come and from time to time, and has their senders told.

use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use matrix_sdk::Room;
use matrix_sdk::deserialized_responses::TimelineEvent;
use matrix_sdk::ruma::events::room::member::MembershipState;
use matrix_sdk::ruma::{EventId, UserId};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Level, PersonId};

use super::errands::Errand;
use super::intake::{Intake, now};
use super::stretch::Stretch;
use super::waiting::Waiter;
use crate::call::Failure;

/// The longest time between two looks at what waits.
const LOOK: Duration = Duration::from_mins(10);
/// The shortest.
const REST: Duration = Duration::from_millis(20);

/// What came of a try.
enum Opened {
    /// It can be read; whoever reads it finds what it says, or nothing that matters any more.
    Read(Box<Stretch>),
    /// Its key is still missing, or the server did not give it.
    Sealed,
    /// Nobody will ever read it.
    Gone(&'static str),
}

/// The rooms and sessions whose keys have come; nothing if some were missed.
type Came = Option<Vec<(String, String)>>;
type Keys = Pin<Box<dyn Stream<Item = Came> + Send>>;

/// Runs as long as the intake does; whoever drops it stops it.
pub(super) async fn run(intake: &Intake<'_>) -> Infallible {
    let mut keys = keys(intake).await;
    loop {
        open_due(intake).await;
        hint_due(intake);
        tokio::select! {
            () = intake.more_wait.notified() => {}
            Some(came) = keys.next() => note(intake, came),
            () = tokio::time::sleep(pause(intake.waiting().next(), now())) => {}
        }
    }
}

async fn keys(intake: &Intake<'_>) -> Keys {
    let stream = intake.session.client.encryption().room_keys_received_stream().await;
    let Some(stream) = stream else {
        return Box::pin(futures_util::stream::pending());
    };
    let came = stream.map(|keys| {
        let keys = keys.ok()?.into_iter();
        Some(keys.map(|key| (key.room_id.to_string(), key.session_id)).collect())
    });
    // the client library lives as long as we do
    Box::pin(came.chain(futures_util::stream::pending()))
}

fn note(intake: &Intake<'_>, came: Came) {
    let mut waiting = intake.waiting();
    match came {
        Some(keys) => keys
            .iter()
            .for_each(|(room, session)| waiting.keys(Some((room, session)))),
        None => waiting.keys(None),
    }
}

fn pause(next: Option<i64>, now: i64) -> Duration {
    let until = next.map_or(i64::MAX, |next| next.saturating_sub(now));
    Duration::from_millis(u64::try_from(until).unwrap_or(0)).clamp(REST, LOOK)
}

async fn open_due(intake: &Intake<'_>) {
    let due = intake.waiting().due(now());
    for (id, waiter) in due {
        let opened = open(intake, &id, &waiter).await;
        settle(intake, &id, &waiter, opened).await;
    }
}

async fn open(intake: &Intake<'_>, id: &str, waiter: &Waiter) -> Opened {
    let (Some(room), Ok(event)) = (intake.room(&waiter.room), EventId::parse(id)) else {
        return Opened::Gone("the bot is not in its room");
    };
    let event: TimelineEvent = match room.event(&event, None).await.map_err(Failure::from) {
        Ok(event) => event,
        Err(failure) if failure.is_status(403) || failure.is_status(404) => return Opened::Gone("it is not there"),
        Err(failure) => {
            tracing::debug!(event = id, %failure, "a message whose key was missing could not be fetched");
            return Opened::Sealed;
        }
    };
    let stretch = intake.read(&room, &[event], false).await;
    if !stretch.sealed.is_empty() {
        return Opened::Sealed;
    }
    if has_left(&room, &waiter.sender).await {
        return Opened::Gone("its sender has left");
    }
    Opened::Read(Box::new(stretch))
}

/// Known from what the server has told anyway.
async fn has_left(room: &Room, sender: &str) -> bool {
    let Ok(sender) = UserId::parse(sender) else { return true };
    let member = room.get_member_no_sync(&sender).await.ok().flatten();
    member.is_some_and(|member| matches!(member.membership(), MembershipState::Leave | MembershipState::Ban))
}

async fn settle(intake: &Intake<'_>, id: &str, waiter: &Waiter, opened: Opened) {
    match opened {
        Opened::Sealed => {
            if intake.waiting().tried(id, now()) {
                tracing::warn!(
                    event = id,
                    path = waiter.path,
                    "the key of a message never came; it is given up"
                );
                let mark = intake.waiting().remove(id);
                intake.mark(vec![mark]).await;
            }
        }
        Opened::Gone(why) => {
            tracing::info!(
                event = id,
                path = waiter.path,
                why,
                "a message whose key was missing is left out"
            );
            let mark = intake.waiting().remove(id);
            intake.mark(vec![mark]).await;
        }
        Opened::Read(stretch) => {
            tracing::info!(event = id, path = waiter.path, "the key of a message has come");
            let mut marks = vec![intake.waiting().remove(id)];
            marks.extend(intake.waiting().opened(&waiter.path));
            if let Some(room) = intake.room(&waiter.room) {
                intake.hand_in(vec![(&room, *stretch)], marks, true).await;
            }
        }
    }
}

/// Only people who may talk to the bot are told.
fn hint_due(intake: &Intake<'_>) {
    let due = intake.waiting().hints(now());
    for (id, waiter) in due {
        let Ok(path) = waiter.path.parse::<InterfacePath>() else {
            continue;
        };
        let sender = PersonId::new(&intake.matrix.name, &waiter.sender);
        if intake.inlet.standing(&sender, &path).level < Level::User {
            continue;
        }
        let is_sent = intake.send(Errand::Hint { path, id: id.clone() });
        if !is_sent {
            intake.waiting().hint_later(&id, now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_neither_too_rare_nor_too_often() {
        assert_eq!(pause(None, 5), LOOK);
        assert_eq!(pause(Some(i64::MIN), 5), REST);
        assert_eq!(pause(Some(1_005), 5), Duration::from_secs(1));
        assert_eq!(pause(Some(i64::MAX), 5), LOOK);
    }
}
