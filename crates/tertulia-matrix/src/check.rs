//! Whether an account can do its work, for an operator who asks; nothing is changed by asking, and nobody is logged in.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::call::Failure;
use crate::config::Login;
use crate::matrix::Matrix;
use crate::session;
use crate::session::folder::{Folder, FolderError};
use crate::session::wire::{No, Wire};

/// What a homeserver says about the bot. No field holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The newest version of the specification that the server names, e.g. `v1.12`.
    pub newest_version: Option<String>,
    /// Whose session it is; none before the first login, which only the daemon does, since a server takes few of them.
    pub session: Option<SessionReport>,
}

/// What a homeserver says about a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionReport {
    /// The bot's id.
    pub user: String,
    /// Its device.
    pub device: String,
    /// True if the account has cross-signing keys.
    pub has_identity: bool,
    /// True if the device is signed with them: clients that shut out unverified devices let it read.
    pub is_signed: bool,
    /// How many room keys the account's backup holds; none if there is no backup.
    pub backed_up: Option<u64>,
    /// Invitations that wait.
    pub invitations: usize,
}

/// Why the account could not be asked about. No text holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The server, or what is kept of the session, refuses us; the text tells the operator what to do.
    #[error("{0}")]
    Refused(String),
    /// No homeserver answers there, or it does not answer now.
    #[error("{0}")]
    Unreachable(String),
}

/// A sync that gives invitations and nothing else.
const INVITATIONS: &str = concat!(
    r#"{"room":{"timeline":{"limit":0},"state":{"types":[]},"ephemeral":{"types":[]},"account_data":{"types":[]}},"#,
    r#""presence":{"types":[]},"account_data":{"types":[]}}"#
);

impl Matrix {
    /// Asks the homeserver about the account, by five calls; each gives up after thirty seconds.
    ///
    /// # Errors
    /// See [`CheckError`].
    pub async fn check(&self) -> Result<Report, CheckError> {
        let wire = Wire::new(&self.config.homeserver)?;
        let versions = wire.get("versions", None).await?;
        let newest_version = texts(versions.get("versions")).last().cloned();
        let folder = Folder::new(&self.config.state);
        let token = match &self.config.login {
            Login::Token(token) => Some(token.expose().to_owned()),
            Login::Password { .. } => session::kept_token(&folder).await?,
        };
        let session = match token {
            Some(token) => Some(self.ask_about(&wire, &token, &folder).await?),
            None => None,
        };
        Ok(Report {
            newest_version,
            session,
        })
    }

    async fn ask_about(&self, wire: &Wire, token: &str, folder: &Folder) -> Result<SessionReport, CheckError> {
        let (user, device) = session::whose(&self.config, folder, wire, token).await?;
        let keys = wire.keys(token, &user).await?;
        let filter = utf8_percent_encode(INVITATIONS, NON_ALPHANUMERIC);
        let sync = format!("v3/sync?timeout=0&filter={filter}");
        let (has_identity, is_signed) = signed(&keys, &user, &device);
        Ok(SessionReport {
            backed_up: backed_up(wire, token).await?,
            invitations: invitations(&wire.get(&sync, Some(token)).await?),
            user,
            device,
            has_identity,
            is_signed,
        })
    }
}

async fn backed_up(wire: &Wire, token: &str) -> Result<Option<u64>, CheckError> {
    match wire.get("v3/room_keys/version", Some(token)).await {
        Ok(told) => Ok(told.get("count").and_then(Value::as_u64)),
        Err(no) if no.failure.is_status(404) => Ok(None),
        Err(no) => Err(no.into()),
    }
}

/// Whether there are cross-signing keys, and whether one of them has signed the device. Servers refuse signatures that do not hold.
fn signed(keys: &Value, user: &str, device: &str) -> (bool, bool) {
    let own = |part: &str| keys.get(part).and_then(|users| users.get(user));
    let signing = own("self_signing_keys").and_then(|key| key.get("keys")?.as_object()?.keys().next());
    let signatures = own("device_keys").and_then(|devices| devices.get(device)?.get("signatures")?.get(user));
    let is_signed = signing
        .zip(signatures)
        .is_some_and(|(signing, signatures)| signatures.get(signing).is_some());
    (own("master_keys").is_some(), is_signed)
}

fn invitations(synced: &Value) -> usize {
    let invited = synced.get("rooms").and_then(|rooms| rooms.get("invite")?.as_object());
    invited.map_or(0, serde_json::Map::len)
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter()
        .filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

impl From<No> for CheckError {
    fn from(no: No) -> Self {
        Self::from(no.failure)
    }
}

impl From<Failure> for CheckError {
    fn from(failure: Failure) -> Self {
        if failure.is_dead_token() {
            Self::Refused(format!("the homeserver does not know the token: {failure}"))
        } else {
            Self::Unreachable(failure.to_string())
        }
    }
}

impl From<FolderError> for CheckError {
    fn from(error: FolderError) -> Self {
        Self::Refused(error.to_string())
    }
}

impl From<session::OpenError> for CheckError {
    fn from(error: session::OpenError) -> Self {
        match error {
            session::OpenError::Refused(told) => Self::Refused(told),
            session::OpenError::Failed(failure) => Self::from(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_device_is_signed_by_the_account_s_own_key_only() {
        let device =
            |signer: &str| json!({"@bot:h": {"DEV": {"signatures": {"@bot:h": {"ed25519:DEV": "s", signer: "s"}}}}});
        let keys = |signer: &str| {
            json!({
                "device_keys": device(signer),
                "master_keys": {"@bot:h": {"keys": {"ed25519:m": "m"}}},
                "self_signing_keys": {"@bot:h": {"keys": {"ed25519:ssk": "ssk"}}},
            })
        };
        assert_eq!(signed(&keys("ed25519:ssk"), "@bot:h", "DEV"), (true, true));
        assert_eq!(signed(&keys("ed25519:old"), "@bot:h", "DEV"), (true, false));
        assert_eq!(signed(&keys("ed25519:ssk"), "@bot:h", "OTHER"), (true, false));
        assert_eq!(
            signed(&json!({"device_keys": device("ed25519:ssk")}), "@bot:h", "DEV"),
            (false, false)
        );
        assert_eq!(signed(&json!({}), "@bot:h", "DEV"), (false, false));
    }

    #[test]
    fn invitations_are_counted() {
        assert_eq!(invitations(&json!({"rooms": {"invite": {"!a:h": {}, "!b:h": {}}}})), 2);
        assert_eq!(invitations(&json!({"rooms": {}})), 0);
    }
}
