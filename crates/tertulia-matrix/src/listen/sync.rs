//! The long poll.

use std::sync::atomic::Ordering;
use std::time::Duration;

use matrix_sdk::Client;
use matrix_sdk::config::{SyncSettings, SyncToken};
use matrix_sdk::ruma::api::client::filter::{Filter, FilterDefinition, RoomEventFilter};
use matrix_sdk::ruma::api::client::sync::sync_events::v3::Filter as SyncFilter;
use matrix_sdk::ruma::uint;
use matrix_sdk::store::{StateStoreDataKey, StateStoreDataValue};
use tertulia_interface::ListenError;
use tokio::time::Instant;

use super::intake::Intake;
use super::line::Line;
use crate::call::Failure;
use crate::session;
use tertulia_interface::backoff::dice;

/// How long the server may hold a call when nothing happens; somewhat less, in fact, by chance: it answers what looks like the
/// same call from a memory of two minutes.
const LONG_POLL: Duration = Duration::from_secs(30);
const LESS_BY_CHANCE: u64 = 3000;
/// The same, for a call that only asks what is there, in milliseconds.
const SHORT_POLL: u64 = 100;
/// A server that answers sooner than this, again and again with nothing, is given a rest.
const TOO_SOON: Duration = Duration::from_millis(500);
const REST: Duration = Duration::from_secs(1);

/// Runs until the server refuses us.
pub(super) async fn run(intake: &Intake<'_>, mut line: Line<'_>) -> ListenError {
    let client = &intake.session.client;
    let (mut poll, mut is_lost) = (short(), false);
    loop {
        let asked = Instant::now();
        let (since, answer) = ask(client, poll, is_lost).await;
        match answer {
            Ok(response) => {
                line.answered();
                intake.take(since.as_deref(), &response).await;
                let is_empty = since.is_some_and(|since| since == response.next_batch);
                if is_empty && poll > TOO_SOON && asked.elapsed() < TOO_SOON {
                    tokio::time::sleep(REST).await;
                }
                (poll, is_lost) = (long(), false);
            }
            Err(failure) if failure.is_dead_token() => {
                let why = session::dead_token(&intake.matrix.config, intake.session);
                return ListenError::Refused(why);
            }
            Err(failure) => {
                intake.was_away.store(true, Ordering::Relaxed);
                if since.is_some() && failure.is_status(400) {
                    tracing::warn!(
                        interface = intake.matrix.name,
                        %failure,
                        "the homeserver no longer knows how far it was asked; everything is asked for anew"
                    );
                    is_lost = true;
                }
                if let Err(refused) = line.failed(&failure).await {
                    return refused;
                }
                poll = short();
            }
        }
    }
}

type Asked = (Option<String>, Result<matrix_sdk::sync::SyncResponse, Failure>);

/// Asks from where the client library is, or from the beginning.
async fn ask(client: &Client, poll: Duration, is_lost: bool) -> Asked {
    let since = match client.state_store().get_kv_data(StateStoreDataKey::SyncToken).await {
        _ if is_lost => None,
        Ok(token) => token.and_then(StateStoreDataValue::into_sync_token),
        Err(error) => return (None, Err(Failure::NotSent(error.to_string()))),
    };
    let token = since.clone().map_or(SyncToken::NoToken, SyncToken::Specific);
    let settings = SyncSettings::new().filter(filter()).timeout(poll).token(token);
    let answer = Box::pin(client.sync_once(settings)).await;
    (since, answer.map_err(Failure::from))
}

/// As many events as a server gives, and nothing of who is online, reads or types.
fn filter() -> SyncFilter {
    let mut filter = FilterDefinition::with_lazy_loading();
    filter.presence = Filter::ignore_all();
    filter.room.ephemeral = RoomEventFilter::ignore_all();
    filter.room.timeline.limit = Some(uint!(100));
    SyncFilter::FilterDefinition(filter)
}

fn short() -> Duration {
    Duration::from_millis(1 + dice() % SHORT_POLL)
}

fn long() -> Duration {
    LONG_POLL.saturating_sub(Duration::from_millis(dice() % LESS_BY_CHANCE))
}
