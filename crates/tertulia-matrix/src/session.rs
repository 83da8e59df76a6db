//! The session: one account on one device, kept in the state directory for ever together with its keys.

use std::time::Duration;

use matrix_sdk::Client;
use matrix_sdk::config::RequestConfig;
use matrix_sdk::ruma::{OwnedDeviceId, OwnedUserId};

use crate::call::Failure;
use crate::config::{Config, Login};

/// How long one call may take, besides a long poll.
const DEADLINE: Duration = Duration::from_secs(30);

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

/// Opens the session that is kept, or logs in.
///
/// # Errors
/// See [`OpenError`].
pub(crate) async fn open(config: &Config) -> Result<Session, OpenError> {
    let client = client(config).await?;
    match &config.login {
        Login::Token(_) => return Err(OpenError::Refused("not yet".to_owned())),
        Login::Password { user, password } => {
            let login = client.matrix_auth().login_username(user, password.expose());
            login.send().await.map_err(|error| OpenError::Failed(error.into()))?;
        }
    }
    let user = client.user_id().map(ToOwned::to_owned);
    let device = client.device_id().map(ToOwned::to_owned);
    match user.zip(device) {
        Some((user, device)) => Ok(Session { client, user, device }),
        None => Err(OpenError::Refused("the server names no user".to_owned())),
    }
}

async fn client(config: &Config) -> Result<Client, OpenError> {
    // whoever calls knows best whether, and when, to try again
    let calls = RequestConfig::new().disable_retry().timeout(DEADLINE);
    Client::builder()
        .homeserver_url(&config.homeserver)
        .sqlite_store(&config.state, None)
        .request_config(calls)
        .build()
        .await
        .map_err(|error| OpenError::Failed(Failure::NotSent(error.to_string())))
}
