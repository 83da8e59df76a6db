//! Reads rooms on that are behind, beside the sync: oldest first, each at its own pace, until nothing of it is missing.

use std::collections::HashSet;
use std::convert::Infallible;
use std::pin::pin;
use std::time::Duration;

use futures_util::stream::{self, FuturesUnordered};
use futures_util::{Stream, StreamExt};
use matrix_sdk::Room;
use matrix_sdk::deserialized_responses::TimelineEvent;
use matrix_sdk::room::{Messages, MessagesOptions};
use matrix_sdk::ruma::uint;
use tokio::sync::Semaphore;

use super::gaps::{Gap, closed};
use super::intake::{Intake, now};
use crate::call::Failure;
use crate::fields::Fields;
use tertulia_interface::backoff::Backoff;

/// Rooms that are read at once.
const AT_ONCE: usize = 4;
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// Where a room cannot be read on, its end is looked at: so many events, and none older than this, in milliseconds.
const LOOKED_BACK: usize = 1000;
const LOOKED_BACK_FOR: i64 = 24 * 3600 * 1000;

/// What to do after a page that could not be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Nothing of the room is to be had any more.
    End,
    /// The server no longer knows the place in the room.
    Lost,
    /// The server says how long to wait.
    Wait(Duration),
    /// Again later.
    Again,
}

/// Runs as long as the intake does; whoever drops it stops it.
pub(super) async fn run(intake: &Intake<'_>) -> Infallible {
    let places = Semaphore::new(AT_ONCE);
    let mut at_work: HashSet<String> = HashSet::new();
    let mut work = FuturesUnordered::new();
    let mut looks = pin!(looks(intake));
    loop {
        // whoever is at work may hold what a look waits for, so both are driven at once
        tokio::select! {
            Some(behind) = looks.next() => for room in behind {
                if at_work.insert(room.clone()) {
                    work.push(Filling::new(intake, &places, room).run());
                }
            },
            Some(room) = work.next(), if !work.is_empty() => {
                at_work.remove(&room);
                // it may be behind again
                intake.fell_behind.notify_one();
            }
        }
    }
}

/// The rooms that are behind, at first and whenever some may have fallen behind.
fn looks<'a>(intake: &'a Intake<'_>) -> impl Stream<Item = Vec<String>> + 'a {
    stream::unfold(true, async move |is_first| {
        if !is_first {
            intake.fell_behind.notified().await;
        }
        let progress = intake.progress().await;
        let behind = progress.gaps.rooms().map(str::to_owned).collect();
        Some((behind, false))
    })
}

/// A room that is being read on.
struct Filling<'a> {
    intake: &'a Intake<'a>,
    places: &'a Semaphore,
    room: String,
    backoff: Backoff,
    handed_in: usize,
}

impl<'a> Filling<'a> {
    fn new(intake: &'a Intake<'a>, places: &'a Semaphore, room: String) -> Self {
        Self {
            intake,
            places,
            room,
            backoff: Backoff::up_to(LONGEST_PAUSE),
            handed_in: 0,
        }
    }

    /// Until nothing is missing; gives the room back.
    async fn run(mut self) -> String {
        loop {
            let gap = self.intake.progress().await.gaps.of(&self.room).cloned();
            let Some(gap) = gap else { break };
            let Some(room) = self.intake.room(&self.room) else {
                self.end().await;
                break;
            };
            let place = self.places.acquire().await;
            let failure = match page(&room, &gap.from).await {
                Ok(page) => {
                    self.backoff.reset();
                    self.take(&room, gap, page).await;
                    continue;
                }
                Err(failure) => failure,
            };
            drop(place);
            self.failed(&room, &failure).await;
        }
        if self.handed_in > 0 {
            tracing::info!(
                room = self.room,
                events = self.handed_in,
                "what was missed of a room is in the inbox"
            );
        }
        self.room
    }

    /// One page, with the place where the next one begins.
    async fn take(&mut self, room: &Room, gap: Gap, page: Messages) {
        let end = page.end.filter(|end| !page.chunk.is_empty() || *end != gap.from);
        let is_last = end.is_none();
        if !page.chunk.is_empty() || !is_last {
            let stretch = self.intake.read(room, &page.chunk, gap.is_outside).await;
            self.handed_in += stretch.events.len();
            let gap = Gap {
                from: end.unwrap_or(gap.from),
                then: gap.then,
                is_outside: stretch.is_outside,
            };
            let marks = vec![gap.mark(&self.room)];
            self.intake.hand_in(vec![(room, stretch)], marks, true).await;
            self.intake.progress().await.gaps.paged(&self.room, gap);
        }
        if is_last {
            self.close().await;
        }
    }

    /// The end of the room: it is live again, if nothing can have been missed. Nothing of the sync is looked at meanwhile.
    async fn close(&self) {
        let mut progress = self.intake.progress().await;
        if progress.is_whole(&self.room) {
            self.intake.mark(vec![closed(&self.room)]).await;
            progress.gaps.close(&self.room);
        }
    }

    async fn end(&self) {
        let mut progress = self.intake.progress().await;
        self.intake.mark(vec![closed(&self.room)]).await;
        progress.gaps.close(&self.room);
    }

    async fn failed(&mut self, room: &Room, failure: &Failure) {
        tracing::debug!(room = self.room, %failure, "a room that is behind cannot be read on now");
        match next(failure) {
            Next::End => {
                tracing::info!(room = self.room, %failure, "what was missed of a room is not to be had any more");
                self.end().await;
            }
            Next::Wait(after) => tokio::time::sleep(after).await,
            Next::Again => self.backoff.wait().await,
            Next::Lost => {
                tracing::warn!(room = self.room, %failure, "the homeserver no longer knows where a room was read up to");
                if let Err(failure) = self.look_back(room).await {
                    tracing::debug!(room = self.room, %failure, "the end of a room cannot be read now");
                }
                self.backoff.wait().await;
            }
        }
    }

    /// Hands in the end of the room. What is known already is not taken twice; nobody is told again that they may not.
    async fn look_back(&mut self, room: &Room) -> Result<(), Failure> {
        let cursor = self.intake.progress().await.cursor();
        let events = last(room).await?;
        tracing::warn!(
            room = self.room,
            events = events.len(),
            "the end of a room is read; what is older may be missing"
        );
        let stretch = self.intake.read(room, &events, false).await;
        self.handed_in += stretch.events.len();
        let gap = Gap {
            from: cursor.clone(),
            then: cursor.clone(),
            is_outside: false,
        };
        self.intake
            .store(vec![(room, stretch)], vec![gap.mark(&self.room)], true)
            .await;
        self.intake.progress().await.gaps.reopen(&self.room, &cursor);
        Ok(())
    }
}

async fn page(room: &Room, from: &str) -> Result<Messages, Failure> {
    let mut options = MessagesOptions::forward().from(from);
    options.limit = uint!(250);
    Ok(room.messages(options).await?)
}

/// The last events of a room, oldest first.
async fn last(room: &Room) -> Result<Vec<TimelineEvent>, Failure> {
    let (mut events, mut from) = (Vec::new(), None);
    let earliest = now().saturating_sub(LOOKED_BACK_FOR);
    while events.len() < LOOKED_BACK {
        let mut options = MessagesOptions::backward().from(from.as_deref());
        options.limit = uint!(250);
        let page = room.messages(options).await?;
        let is_recent = |event: &TimelineEvent| sent_at(event).is_some_and(|at| at >= earliest);
        let has_all = page.chunk.iter().all(is_recent);
        events.extend(page.chunk.into_iter().filter(is_recent));
        from = page.end;
        if from.is_none() || !has_all {
            break;
        }
    }
    events.reverse();
    Ok(events)
}

fn sent_at(event: &TimelineEvent) -> Option<i64> {
    Fields::read(event.raw().json().get())?.number("origin_server_ts")
}

fn next(failure: &Failure) -> Next {
    if failure.is_dead_token() {
        // the sync ends everything
        return Next::Again;
    }
    if failure.is_status(403) || failure.is_status(404) {
        return Next::End;
    }
    if failure.is_status(400) {
        return Next::Lost;
    }
    failure.wait().map_or(Next::Again, Next::Wait)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Answer;

    #[track_caller]
    fn check(status: u16, code: &str, expected: Next) {
        let answer = Answer {
            status,
            retry_after: None,
            body: &format!(r#"{{"errcode":"{code}","retry_after_ms":700}}"#),
        };
        let failure = Failure::Answered {
            status,
            code: code.to_owned(),
            words: String::new(),
            refusal: Box::new(answer.refusal()),
        };
        assert_eq!(next(&failure), expected, "{status} {code}");
    }

    #[test]
    fn only_the_server_s_own_words_give_a_room_up() {
        check(403, "M_FORBIDDEN", Next::End);
        check(404, "M_NOT_FOUND", Next::End);
        check(403, "", Next::Again);
        check(404, "", Next::Again);
        check(400, "M_UNKNOWN", Next::Lost);
        check(400, "", Next::Again);
        check(401, "M_UNKNOWN_TOKEN", Next::Again);
        check(429, "M_LIMIT_EXCEEDED", Next::Wait(Duration::from_millis(700)));
        check(502, "", Next::Again);
        assert_eq!(next(&Failure::Unknown("reset".into())), Next::Again);
    }
}
