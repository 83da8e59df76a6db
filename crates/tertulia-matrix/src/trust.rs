//! Why other people's clients may trust the bot: cross-signing, the recovery key, the backup of the keys.

mod backup;
mod identity;
mod vault;

use std::time::Duration;

use matrix_sdk::encryption::recovery::RecoveryError;
use matrix_sdk::encryption::secret_storage::SecretStorageError;

use crate::call::Failure;
use crate::config::Encryption;
use crate::matrix::Matrix;
use crate::session::Session;
use crate::session::folder::{Folder, FolderError};
use tertulia_interface::backoff::Backoff;

use vault::Vault;

/// Longest pause between tries.
const LONGEST_PAUSE: Duration = Duration::from_mins(30);

/// Sets everything up, and tries it again until it is. To be run once per session, beside the intake.
pub(crate) async fn keep(matrix: &Matrix, session: &Session) {
    let mut backoff = Backoff::up_to(LONGEST_PAUSE);
    while let Err(failure) = set_up(matrix, session).await {
        // the intake tells what becomes of a dead token
        if failure.is_dead_token() {
            return;
        }
        tracing::warn!(interface = matrix.name, %failure, "cross-signing and backup are not set up yet");
        match failure.wait() {
            Some(wait) => tokio::time::sleep(wait).await,
            None => backoff.wait().await,
        }
    }
}

/// Brings the account to where others can trust it, as far as that is possible without a person; what is missing is said in the
/// log. Every step looks first whether it is done, so it may be called after any failure, and at every start.
///
/// # Errors
/// A call failed, and a later try may go further.
async fn set_up(matrix: &Matrix, session: &Session) -> Result<(), Failure> {
    if matrix.config.encryption == Encryption::Off {
        return Ok(());
    }
    let steps = Steps {
        matrix,
        session,
        folder: Folder::new(&matrix.config.state),
    };
    session.client.encryption().wait_for_e2ee_initialization_tasks().await;
    let vault = vault::open(&steps).await?;
    let has_identity = identity::set_up(&steps, &vault).await?;
    let vault = match vault {
        Vault::None if has_identity => vault::make(&steps).await?,
        vault => vault,
    };
    match vault {
        Vault::Open(store) => backup::set_up(&steps, &store).await,
        Vault::None | Vault::Locked => Ok(()),
    }
}

/// What every step needs.
struct Steps<'a> {
    matrix: &'a Matrix,
    session: &'a Session,
    folder: Folder,
}

impl Steps<'_> {
    /// Tells the operator what keeps others from trusting the bot.
    fn warn(&self, what: &str) {
        tracing::warn!(interface = self.matrix.name, user = %self.session.user, "{what}");
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        Self::NotSent(error.to_string())
    }
}

impl From<SecretStorageError> for Failure {
    fn from(error: SecretStorageError) -> Self {
        match error {
            SecretStorageError::Sdk(error) => Self::from(error),
            other => Self::NotSent(crate::call::told(&other)),
        }
    }
}

impl From<RecoveryError> for Failure {
    fn from(error: RecoveryError) -> Self {
        match error {
            RecoveryError::Sdk(error) => Self::from(error),
            RecoveryError::SecretStorage(error) => Self::from(error),
            other @ RecoveryError::BackupExistsOnServer => Self::NotSent(other.to_string()),
        }
    }
}
