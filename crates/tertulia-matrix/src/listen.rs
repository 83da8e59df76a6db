//! Receives: what the server gives is on disk before the next call asks for more.

use std::time::Duration;

use matrix_sdk::config::SyncSettings;
use tertulia_interface::{Batch, Inlet, ListenError};

use crate::backoff::Backoff;
use crate::call::Failure;
use crate::inbound::{Read, Reader};
use crate::matrix::Matrix;
use crate::session::{self, OpenError, Session};

/// How long the server may hold a call when nothing happens.
const LONG_POLL: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Runs until the server refuses us; whoever drops it stops it.
pub(crate) async fn listen(matrix: &Matrix, inlet: &Inlet) -> ListenError {
    let session = match matrix.session.get_or_try_init(|| session::open(&matrix.config)).await {
        Ok(session) => session,
        Err(OpenError::Refused(why)) => return ListenError::Refused(why),
        Err(OpenError::Failed(failure)) => return ListenError::Broken(failure.to_string()),
    };
    let mut backoff = Backoff::up_to(LONGEST_PAUSE);
    loop {
        match round(matrix, inlet, session).await {
            Ok(()) => {
                inlet.reached(&matrix.name, true);
                backoff.reset();
            }
            Err(failure) if failure.is_dead_token() => {
                return ListenError::Refused("the token is no longer one".to_owned());
            }
            Err(failure) => {
                tracing::warn!(interface = matrix.name, %failure, "the homeserver is not reached");
                inlet.reached(&matrix.name, false);
                backoff.wait().await;
            }
        }
    }
}

async fn round(matrix: &Matrix, inlet: &Inlet, session: &Session) -> Result<(), Failure> {
    let synced = session
        .client
        .sync_once(SyncSettings::default().timeout(LONG_POLL))
        .await?;
    let account = matrix.account(session);
    let reader = Reader {
        account: &account,
        user: session.user.as_str(),
        config: &matrix.config,
        commands: inlet.commands(),
    };
    let mut events = Vec::new();
    for (id, room) in &synced.rooms.joined {
        let Some(known) = session.client.get_room(id) else {
            continue;
        };
        for event in &room.timeline.events {
            let json = event.raw().json().get();
            let surroundings = matrix.rooms.surroundings(&known, json).await;
            if let Read::Event(event) = reader.read(json, &surroundings.around()) {
                events.push(*event);
            }
        }
    }
    for id in synced.rooms.invited.keys() {
        let _ = session.client.join_room_by_id(id).await;
    }
    let batch = Batch {
        account: account.clone(),
        events,
        marks: Vec::new(),
    };
    let _ = inlet.accept(batch).await;
    Ok(())
}
