//! Receives: what the server gives is on disk before the next call asks for more.

use std::convert::Infallible;
use std::time::Duration;

use matrix_sdk::config::SyncSettings;
use tertulia_interface::{Batch, Inlet, ListenError};

use crate::backoff::Backoff;
use crate::call::Failure;
use crate::inbound::{Read, Reader};
use crate::matrix::Matrix;
use crate::rooms;
use crate::session::{self, OpenError, Session};
use crate::{trust, verify};

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
    tokio::select! {
        ended = receive(matrix, inlet, session) => ended,
        never = beside(matrix, inlet, session) => match never {},
    }
}

/// What the sync does not wait for.
async fn beside(matrix: &Matrix, inlet: &Inlet, session: &Session) -> Infallible {
    let (_, never, _) = tokio::join!(
        trust::keep(matrix, session),
        verify::run(matrix, inlet, session),
        rooms::tend(matrix, inlet, session),
    );
    never
}

async fn receive(matrix: &Matrix, inlet: &Inlet, session: &Session) -> ListenError {
    let mut backoff = Backoff::up_to(LONGEST_PAUSE);
    loop {
        match round(matrix, inlet, session).await {
            Ok(()) => {
                inlet.reached(&matrix.name, true);
                backoff.reset();
            }
            Err(failure) if failure.is_dead_token() => {
                return ListenError::Refused(session::dead_token(&matrix.config, session));
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
            let surroundings = matrix.rooms.surroundings(&reader, &known, json).await;
            match reader.read(json, &surroundings.around()) {
                Read::Event(event) if verify::is_asked(&event.what, &matrix.config) => verify::ask(matrix, &event),
                Read::Event(event) => events.push(*event),
                Read::Encrypted => matrix.rooms.encrypted(id.as_str()),
                _ => {}
            }
        }
    }
    let batch = Batch {
        account: account.clone(),
        events,
        marks: Vec::new(),
    };
    let _ = inlet.accept(batch).await;
    matrix.rooms.changed();
    Ok(())
}
