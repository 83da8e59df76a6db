//! Looks for what was sent, where the server may have forgotten the transaction.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use matrix_sdk::deserialized_responses::TimelineEvent;
use matrix_sdk::room::{IncludeRelations, MessagesOptions, RelationsOptions};
use matrix_sdk::ruma::events::relation::RelationType;
use matrix_sdk::ruma::{OwnedEventId, UInt};
use tertulia_message::{Found, Outbound};
use tokio::time::Instant;

use crate::call::Failure;
use crate::deliver::Way;
use crate::fields::Fields;
use crate::matrix::Matrix;
use crate::place::Place;
use crate::transaction::{self, Piece};

/// How many events are looked at in one call.
const PAGE: u32 = 100;
/// How many calls one look-up makes at most.
const PAGES: usize = 5;
/// The server knows transactions for a day; a little less, since it counts by its own clock.
const DAY: Duration = Duration::from_hours(23);
/// How many accepted events are remembered.
const REMEMBERED: usize = 4_096;

/// What a look-up gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Looked {
    /// It is there.
    Found(Sent),
    /// It surely is not.
    Absent,
    /// There is too much to look through.
    TooMuch,
}

/// A message of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Its id.
    pub(crate) id: String,
    /// What it said when it was sent.
    pub(crate) body: String,
}

/// The events that this process has handed in within a day: what answers them was not sent by any process before, and the server
/// knows its transactions.
#[derive(Debug, Default)]
pub(crate) struct Heard(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    order: VecDeque<String>,
    since: HashMap<String, Instant>,
}

impl Heard {
    /// The daemon has accepted the event with this id.
    pub(crate) fn note(&self, id: &str) {
        let mut memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.since.contains_key(id) {
            return;
        }
        memory.since.insert(id.to_owned(), Instant::now());
        memory.order.push_back(id.to_owned());
        if memory.order.len() > REMEMBERED
            && let Some(oldest) = memory.order.pop_front()
        {
            memory.since.remove(&oldest);
        }
    }

    /// True if what answers this event need not be looked for.
    pub(crate) fn is_recent(&self, id: &str) -> bool {
        let memory = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memory.since.get(id).is_some_and(|since| since.elapsed() < DAY)
    }
}

/// Looks for a post of unknown outcome.
pub(crate) async fn find(matrix: &Matrix, outbound: &Outbound) -> Found {
    let Some(place) = matrix.place(&outbound.path) else {
        return Found::CannotTell;
    };
    let Ok(way) = Way::open(matrix, &place).await else {
        return Found::CannotTell;
    };
    let piece = if outbound.files.is_empty() {
        Piece::Text
    } else {
        Piece::File(0)
    };
    let transaction = transaction::id(&outbound.key, piece);
    let re = outbound.re.as_ref().map(|re| re.id.as_str());
    match look(&way, &place, re, &transaction).await {
        Ok(Looked::Found(sent)) => Found::Found(sent.id),
        Ok(Looked::Absent) => Found::Absent,
        Ok(Looked::TooMuch) | Err(_) => Found::CannotTell,
    }
}

/// Looks for a message of ours with this transaction id, from the newest to the oldest, but not behind what it answers.
///
/// # Errors
/// The server did not give what there is.
pub(crate) async fn look(way: &Way<'_>, place: &Place, re: Option<&str>, transaction: &str) -> Result<Looked, Failure> {
    let user = way.session.user.as_str();
    let mut from = None;
    for _ in 0..PAGES {
        let (events, next) = page(way, place, from).await?;
        for event in &events {
            let json = event.raw().json().get();
            if let Some(id) = transaction::sent(json, user, transaction) {
                return Ok(Looked::Found(Sent { id, body: body(json) }));
            }
            if re.is_some() && Fields::read(json).and_then(|event| event.text("event_id")).as_deref() == re {
                return Ok(Looked::Absent);
            }
        }
        if next.is_none() || events.is_empty() {
            return Ok(Looked::Absent);
        }
        from = next;
    }
    Ok(Looked::TooMuch)
}

/// The events before `from`, newest first, decrypted where that is possible, and where to go on.
async fn page(
    way: &Way<'_>,
    place: &Place,
    from: Option<String>,
) -> Result<(Vec<TimelineEvent>, Option<String>), Failure> {
    let root = place.thread().and_then(|root| OwnedEventId::try_from(root).ok());
    let Some(root) = root else {
        let mut options = MessagesOptions::backward().from(from.as_deref());
        options.limit = UInt::from(PAGE);
        let page = way.room.messages(options).await?;
        return Ok((page.chunk, page.end));
    };
    let options = RelationsOptions {
        from,
        limit: Some(UInt::from(PAGE)),
        include_relations: IncludeRelations::RelationsOfType(RelationType::Thread),
        ..RelationsOptions::default()
    };
    let page = way.room.relations(root, options).await?;
    Ok((page.chunk, page.next_batch_token))
}

fn body(event: &str) -> String {
    let content = Fields::read(event).map(|event| event.object("content"));
    content.and_then(|content| content.text("body")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_was_heard_is_remembered_for_a_day() {
        let heard = Heard::default();
        assert!(!heard.is_recent("$a"));
        heard.note("$a");
        heard.note("$a");
        assert!(heard.is_recent("$a"));
        for nth in 1..REMEMBERED {
            heard.note(&format!("${nth}"));
        }
        assert!(heard.is_recent("$a"));
        heard.note("$b");
        assert!(!heard.is_recent("$a") && heard.is_recent("$b"));
        tokio::time::advance(DAY).await;
        assert!(!heard.is_recent("$b"));
    }
}
