//! The session: one account on one device, kept in the state directory for ever together with its keys.

pub(crate) mod folder;
mod library;
mod login;
mod plan;
pub(crate) mod wire;
mod words;

use matrix_sdk::Client;
use matrix_sdk::ruma::{OwnedDeviceId, OwnedUserId};

use crate::call::Failure;
use crate::config::Config;

use folder::{Folder, FolderError, Kept};
use wire::Wire;

/// Logged in.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) client: Client,
    /// The bot's own id.
    pub(crate) user: OwnedUserId,
    /// Its device, which stays for ever: what was sent is known by it.
    pub(crate) device: OwnedDeviceId,
}

/// Why there is no session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OpenError {
    /// A new try would not help; the text tells the operator what to do.
    Refused(String),
    /// A new try may help.
    Failed(Failure),
}

/// A session that the server has just confirmed, with its token.
#[derive(Debug)]
struct Confirmed {
    user: OwnedUserId,
    device: OwnedDeviceId,
    token: String,
}

/// Opens the session that is kept, or logs in: once, and never again while the server knows the session.
///
/// # Errors
/// See [`OpenError`].
pub(crate) async fn open(config: &Config) -> Result<Session, OpenError> {
    let folder = Folder::new(&config.state);
    folder.make().await?;
    let wire = Wire::new(&config.homeserver)?;
    let confirmed = login::confirmed(config, &folder, &wire).await?;
    let published = wire
        .published_key(&confirmed.token, &confirmed.user, &confirmed.device)
        .await?;
    if published.is_some() && !folder.has_keys() {
        return Err(OpenError::Refused(words::keys_are_missing(&folder, &confirmed.device)));
    }
    let session = library::open(config, &folder, confirmed).await?;
    let own = session.client.encryption().ed25519_key().await;
    if published.is_some() && own != published {
        return Err(OpenError::Refused(words::keys_are_others(&folder, &session.device)));
    }
    Ok(session)
}

/// The token that is kept, if somebody has logged in here.
pub(crate) async fn kept_token(folder: &Folder) -> Result<Option<String>, OpenError> {
    Ok(folder.kept().await?.and_then(|kept| kept.token))
}

/// User and device of a token, which must be those that are kept, if any are.
pub(crate) async fn whose(
    config: &Config,
    folder: &Folder,
    wire: &Wire,
    token: &str,
) -> Result<(String, String), OpenError> {
    let kept = folder.kept().await?;
    let who = match (wire.who(token).await, &kept) {
        (Err(no), Some(kept)) if no.failure.is_dead_token() => {
            return Err(OpenError::Refused(words::dead(config, kept)));
        }
        (who, _) => who?,
    };
    let device = who.device.ok_or_else(|| OpenError::Refused(words::no_device()))?;
    match kept {
        Some(kept) if kept.user != who.user || kept.device != device => Err(OpenError::Refused(words::other_token(
            &kept, &who.user, &device, folder,
        ))),
        _ => Ok((who.user, device)),
    }
}

/// What the operator reads once the server knows the token no longer.
pub(crate) fn dead_token(config: &Config, session: &Session) -> String {
    let kept = Kept {
        user: session.user.to_string(),
        device: session.device.to_string(),
        token: None,
    };
    words::dead(config, &kept)
}

impl From<Failure> for OpenError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<FolderError> for OpenError {
    fn from(error: FolderError) -> Self {
        Self::Refused(error.to_string())
    }
}
