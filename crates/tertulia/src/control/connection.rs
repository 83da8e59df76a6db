//! One connection, from its first line to its last.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio_util::sync::CancellationToken;

use super::hall::{Hall, Visit};
use super::line::{Came, Lines};
use super::wire::{Reply, Request};

/// How long the first request may take: a client has it ready.
const FIRST_LINE: Duration = Duration::from_secs(5);

/// How long the next request may take.
const NEXT_LINE: Duration = Duration::from_mins(1);

/// How long a client may take to read an answer.
const WRITE_TIME: Duration = Duration::from_secs(10);

/// Answers the requests of a connection until it ends.
pub(super) async fn serve(hall: Arc<Hall>, stream: UnixStream, stop: CancellationToken) {
    let user = match stream.peer_cred() {
        Ok(peer) => peer.uid(),
        Err(error) => return tracing::warn!(%error, "the console cannot tell who is there"),
    };
    let (read, mut write) = stream.into_split();
    if user != 0 && user != hall.owner {
        tracing::warn!(user, "a user without the right to was turned away at the console");
        let text = format!("user {user} may not govern this daemon: its own user and root may");
        return refuse(&mut write, &text).await;
    }
    let Ok(_room) = hall.room.try_acquire() else {
        let text = "too many connections are open; try again";
        return refuse(&mut write, text).await;
    };
    let visit = Visit::new(&hall, user);
    let mut lines = Lines::new(read);
    let mut patience = FIRST_LINE;
    loop {
        let line = tokio::select! {
            () = stop.cancelled() => return,
            line = next(&mut lines, patience) => line,
        };
        let request = match line.map(|line| line.and_then(|line| Request::read(&line))) {
            None => return,
            Some(Err(problem)) => return refuse(&mut write, &problem).await,
            Some(Ok(request)) => request,
        };
        if !answer(&visit, request, &mut lines, &mut write).await {
            return;
        }
        patience = NEXT_LINE;
    }
}

/// The next line; none at the end, an error is for the client.
async fn next<R: AsyncRead + Unpin>(lines: &mut Lines<R>, patience: Duration) -> Option<Result<Vec<u8>, String>> {
    match tokio::time::timeout(patience, lines.next()).await {
        Ok(Came::Line(line)) => Some(Ok(line)),
        Ok(Came::End) => None,
        Ok(Came::TooLong) => Some(Err("the line is too long".to_owned())),
        Err(_) => Some(Err(format!("no request came within {} s", patience.as_secs()))),
    }
}

/// Answers one request; false if the client has gone.
async fn answer<R: AsyncRead + Unpin>(
    visit: &Visit<'_>,
    request: Request,
    lines: &mut Lines<R>,
    write: &mut OwnedWriteHalf,
) -> bool {
    let id = uuid::Uuid::new_v4().to_string();
    tokio::select! {
        reply = visit.answer(&id, request) => send(write, &reply).await,
        () = lines.gone() => {
            visit.hang_up(&id).await;
            false
        }
    }
}

/// The last word, for whoever still reads.
async fn refuse(write: &mut OwnedWriteHalf, why: &str) {
    let _ = send(write, &Reply::error(why)).await;
}

/// Writes lines; false if the client does not take them.
async fn send(write: &mut OwnedWriteHalf, lines: &[u8]) -> bool {
    matches!(
        tokio::time::timeout(WRITE_TIME, write.write_all(lines)).await,
        Ok(Ok(()))
    )
}
