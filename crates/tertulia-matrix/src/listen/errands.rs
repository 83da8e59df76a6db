//! What is said beside the intake: refusals, and hints at keys that are missing.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use tertulia_message::DeliverError;
use tertulia_message::path::InterfacePath;
use tokio::sync::{Mutex, mpsc};

use super::intake::{Intake, now};
use crate::deliver;

/// Tries of a refusal that the server has no time for.
const TRIES: u32 = 3;
/// Nobody waits longer for a refusal.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// What the sender of a message reads whose key is missing.
const HINT: &str = "I cannot read this message: its key has not reached me. I will answer it when the key comes. It helps to open \
                    this room in the app that sent it, or to send it again.";

/// Something to be done soon.
#[derive(Debug)]
pub(super) enum Errand {
    /// Says that somebody may not.
    Refuse {
        path: InterfacePath,
        /// The event that is answered.
        id: String,
        text: String,
    },
    /// Tells the sender of this event that its key is missing.
    Hint { path: InterfacePath, id: String },
}

/// Gives an errand to whoever does it. False if there is too much to do.
pub(super) fn send(errands: &mpsc::Sender<Errand>, errand: Errand) -> bool {
    let is_sent = errands.try_send(errand).is_ok();
    if !is_sent {
        tracing::debug!("too much to do beside the intake; something was left out");
    }
    is_sent
}

/// Does errands, one after the other, until nobody gives any.
pub(super) async fn work(intake: &Intake<'_>, queue: &Mutex<mpsc::Receiver<Errand>>) {
    loop {
        let errand = queue.lock().await.recv().await;
        match errand {
            Some(Errand::Refuse { path, id, text }) => refuse(intake, &path, &id, &text).await,
            Some(Errand::Hint { path, id }) => hint(intake, &path, &id).await,
            None => return,
        }
    }
}

async fn refuse(intake: &Intake<'_>, path: &InterfacePath, id: &str, text: &str) {
    let key = key("refusal", id);
    for _ in 0..TRIES {
        match deliver::say(intake.matrix, path, Some(id), text, &key).await {
            Ok(_) => return,
            Err(DeliverError::RateLimited { after, .. }) if after <= LONGEST_WAIT => tokio::time::sleep(after).await,
            Err(error) => {
                tracing::debug!(%path, %error, "a refusal could not be told");
                return;
            }
        }
    }
}

/// Told once: a new try has the same key, and a place that takes nothing is left alone.
async fn hint(intake: &Intake<'_>, path: &InterfacePath, id: &str) {
    match deliver::say(intake.matrix, path, Some(id), HINT, &key("hint", id)).await {
        Err(error @ (DeliverError::RateLimited { .. } | DeliverError::Lost(_) | DeliverError::Unsure(_))) => {
            tracing::debug!(%path, %error, "the hint at a missing key could not be given yet");
            intake.waiting().hint_later(id, now());
            intake.more_wait.notify_one();
            return;
        }
        Err(error) => tracing::debug!(%path, %error, "the hint at a missing key cannot be given"),
        Ok(_) => tracing::info!(%path, "a sender was told that a key is missing"),
    }
    let mark = intake.waiting().hinted(path.as_str(), now());
    intake.mark(vec![mark]).await;
}

/// The same for every try, and different for every event.
fn key(kind: &str, id: &str) -> String {
    format!("{kind}.{}", URL_SAFE_NO_PAD.encode(Sha256::digest(id)))
}
