//! The long poll for updates.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::Shared;
use super::params::Params;
use super::refusal::Refusal;
use super::world::World;

/// The longest that a poll may last.
const LONGEST_POLL: u64 = 50;
const WEBHOOK: &str =
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
const TERMINATED: &str =
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";

/// Whoever asks for the same again within this time gets one update.
const HASTE: Duration = Duration::from_millis(500);
/// Whoever asks for the same again within this time waits at least as long for something to come.
const HURRY: Duration = Duration::from_secs(3);

/// How much a poll gets at most, and how long it waits.
#[derive(Debug, Clone, Copy)]
struct Terms {
    limit: usize,
    wait: Duration,
}

/// Confirms what the offset says, ends an older poll, and waits for something to hand out.
pub(super) async fn updates(shared: &Arc<Shared>, params: &Params) -> Result<Value, Refusal> {
    let (poll, Terms { limit, wait }) = begin(shared, params)?;
    let until = Instant::now() + wait;
    shared.arrivals.notify_waiters();
    let _at_the_line = Waiting::new(shared);
    loop {
        let arrival = shared.arrivals.notified();
        tokio::pin!(arrival);
        arrival.as_mut().enable();
        let found = look(shared, poll, limit)?;
        if !found.is_empty() || Instant::now() >= until {
            return Ok(json!(found));
        }
        tokio::select! {
            () = arrival => {}
            () = sleep_until(until) => {}
            () = shared.weather.partition_begins() => return Ok(json!([])),
        }
    }
}

fn begin(shared: &Shared, params: &Params) -> Result<(u64, Terms), Refusal> {
    let (mut world, at) = (shared.world(), shared.now());
    if world.webhook.is_some() {
        return Err(Refusal::of(409, WEBHOOK));
    }
    if let Some(kinds) = params.list("allowed_updates")? {
        let kinds = kinds
            .iter()
            .filter_map(|kind| kind.as_str().map(str::to_owned))
            .collect();
        world.queue.allow(kinds);
    }
    let offset = params.number::<i64>("offset").unwrap_or_default();
    if world.queue.confirm(offset) {
        world.truth.violate(
            at,
            format!("offset {offset} confirms updates that were never handed out"),
        );
    }
    let terms = terms(&mut world, at, offset, params);
    world.poll += 1;
    world.truth.counts.polls += 1;
    world.truth.counts.conflicts += u64::from(shared.is_polled());
    Ok((world.poll, terms))
}

/// What was asked for, unless the same was asked for just before.
fn terms(world: &mut World, at: Duration, offset: i64, params: &Params) -> Terms {
    let limit = params.number::<i64>("limit").unwrap_or(100);
    let limit = usize::try_from(limit.clamp(1, 100)).unwrap_or(100);
    let wait = params.number::<u64>("timeout").unwrap_or_default().min(LONGEST_POLL);
    let wait = Duration::from_secs(wait);
    let before = world.polled.replace((offset, at));
    let since = before
        .filter(|(same, _)| *same == offset)
        .map(|(_, began)| at.saturating_sub(began));
    Terms {
        limit: if since.is_some_and(|since| since < HASTE) {
            1
        } else {
            limit
        },
        wait: if since.is_some_and(|since| since < HURRY) {
            wait.max(HURRY)
        } else {
            wait
        },
    }
}

fn look(shared: &Shared, poll: u64, limit: usize) -> Result<Vec<Value>, Refusal> {
    let mut world = shared.world();
    if world.poll != poll {
        return Err(Refusal::of(409, TERMINATED));
    }
    Ok(world.queue.hand_out(limit))
}

/// A poll that is under way.
struct Waiting(Arc<Shared>);

impl Waiting {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.polls(1);
        Self(Arc::clone(shared))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.polls(-1);
    }
}
