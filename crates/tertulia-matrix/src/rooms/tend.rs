//! Looks after the rooms beside the intake: encryption, upgrades, invitations, rooms that were left.

use std::convert::Infallible;
use std::time::Duration;

use tertulia_interface::Inlet;

use crate::matrix::Matrix;
use crate::session::Session;

/// How often the rooms are looked at although nothing has come.
const EVERY: Duration = Duration::from_mins(1);

/// Looks at the rooms at start, after [`changed`](super::Rooms::changed), and once a minute. Runs beside the intake, since a
/// join may take long; whoever drops it stops it.
pub(crate) async fn tend(matrix: &Matrix, _inlet: &Inlet, session: &Session) -> Infallible {
    let rooms = &matrix.rooms;
    loop {
        for room in session.client.joined_rooms() {
            rooms.note_encryption(room.room_id().as_str(), &room.encryption_state());
        }
        for room in session.client.invited_rooms() {
            if let Err(error) = session.client.join_room_by_id(room.room_id()).await {
                tracing::warn!(%error, "an invitation could not be accepted");
            }
        }
        rooms.looked_at.notify_waiters();
        let _ = tokio::time::timeout(EVERY, rooms.changed.notified()).await;
    }
}
