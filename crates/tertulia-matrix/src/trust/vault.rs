//! The account's own encrypted secrets on the server, and the recovery key that opens them.

use matrix_sdk::encryption::secret_storage::{SecretStorageError, SecretStore};
use matrix_sdk::ruma::events::secret_storage::default_key::SecretStorageDefaultKeyEventContent;
use matrix_sdk_crypto::secret_storage::SecretStorageKey;

use crate::call::Failure;
use crate::session::folder::RECOVERY_KEY;

use super::Steps;

/// Whether we can read the secrets.
pub(super) enum Vault {
    /// There are none yet.
    None,
    /// There are some, and no key that we have opens them.
    Locked,
    Open(SecretStore),
}

/// Opens what there is, with the configured key or with the one that we made.
pub(super) async fn open(steps: &Steps<'_>) -> Result<Vault, Failure> {
    let storage = steps.session.client.encryption().secret_storage();
    if !storage.is_enabled().await? {
        return Ok(Vault::None);
    }
    for key in keys(steps).await? {
        match storage.open_secret_store(&key).await {
            Ok(store) => return Ok(Vault::Open(store)),
            Err(SecretStorageError::Sdk(error)) => return Err(error.into()),
            // not the key of this one
            Err(_) => {}
        }
    }
    steps.warn(match steps.matrix.config.recovery_key {
        Some(_) => "the configured recovery key does not open the account's secrets: configure the newest one",
        None => {
            "the account's secrets were set up in another client: configure its recovery key (recovery_key_file), or reset the \
             account's recovery there"
        }
    });
    Ok(Vault::Locked)
}

async fn keys(steps: &Steps<'_>) -> Result<Vec<String>, Failure> {
    let configured = steps.matrix.config.recovery_key.as_ref();
    let configured = configured.map(|key| key.expose().to_owned());
    let made = steps.folder.read(RECOVERY_KEY).await?;
    Ok([configured, made].into_iter().flatten().collect())
}

/// Makes it: the key is in a file of ours before the server hears of anything that it opens.
pub(super) async fn make(steps: &Steps<'_>) -> Result<Vault, Failure> {
    let (key, text) = {
        let key = SecretStorageKey::new();
        let text = key.to_base58();
        (key, text)
    };
    // one that opened earlier secrets is still worth something
    if let Some(earlier) = steps.folder.read(RECOVERY_KEY).await? {
        steps.folder.write(&format!("{RECOVERY_KEY}.earlier"), &earlier).await?;
    }
    steps.folder.write(RECOVERY_KEY, &format!("{text}\n")).await?;
    let account = steps.session.client.account();
    account.set_account_data(key.event_content().clone()).await?;
    let name = SecretStorageDefaultKeyEventContent::new(key.key_id().to_owned());
    account.set_account_data(name).await?;
    tracing::info!(
        interface = steps.matrix.name,
        file = %steps.folder.file(RECOVERY_KEY).display(),
        "made a recovery key: keep a copy of the file where the keys of the house are kept"
    );
    open(steps).await
}
