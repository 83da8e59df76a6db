//! The backup of the room keys on the server, and its key among the account's secrets.

use matrix_sdk::encryption::secret_storage::SecretStore;
use matrix_sdk::ruma::api::client::backup::get_latest_backup_info;
use matrix_sdk::ruma::events::secret::request::SecretName;
use matrix_sdk::ruma::uint;

use crate::call::Failure;

use super::Steps;

const SECRETS: [SecretName; 4] = [
    SecretName::CrossSigningMasterKey,
    SecretName::CrossSigningSelfSigningKey,
    SecretName::CrossSigningUserSigningKey,
    SecretName::RecoveryKey,
];

/// Switches the backup on, and sees to it that the recovery key leads to its key.
pub(super) async fn set_up(steps: &Steps<'_>, store: &SecretStore) -> Result<(), Failure> {
    let backups = steps.session.client.encryption().backups();
    if !backups.are_enabled().await {
        go_on(steps, store).await?;
    }
    if backups.are_enabled().await && is_anything_missing(store).await? {
        store.export_secrets().await?;
    }
    Ok(())
}

async fn go_on(steps: &Steps<'_>, store: &SecretStore) -> Result<(), Failure> {
    let encryption = steps.session.client.encryption();
    let backups = encryption.backups();
    let Some(keys) = keys_in_backup(steps).await? else {
        return Ok(encryption.recovery().enable_backup().await?);
    };
    if store
        .get_secret(SecretName::RecoveryKey)
        .await?
        .is_some_and(|key| !key.is_empty())
    {
        if let Err(error) = store.import_secrets().await {
            let failure = Failure::from(error);
            if !matches!(failure, Failure::NotSent(_)) {
                return Err(failure);
            }
        }
        if backups.are_enabled().await {
            return Ok(());
        }
    }
    // made, and its key lost before it was written down: nothing is in it that could be lost with it
    if keys == uint!(0) {
        backups.disable_and_delete().await?;
        return Ok(encryption.recovery().enable_backup().await?);
    }
    steps.warn(
        "there is a backup of room keys whose key nobody has told the bot, so nothing of the bot's is backed up: reset the account's \
         recovery in a client that has the key, or delete the backup there",
    );
    Ok(())
}

/// How many keys the server's newest backup holds, if there is one.
async fn keys_in_backup(steps: &Steps<'_>) -> Result<Option<matrix_sdk::ruma::UInt>, Failure> {
    let asked = steps
        .session
        .client
        .send(get_latest_backup_info::v3::Request::new())
        .await;
    match asked.map_err(Failure::from) {
        Ok(latest) => Ok(Some(latest.count)),
        Err(failure) if failure.is_status(404) => Ok(None),
        Err(failure) => Err(failure),
    }
}

async fn is_anything_missing(store: &SecretStore) -> Result<bool, Failure> {
    for name in SECRETS {
        if store.get_secret(name).await?.is_none_or(|secret| secret.is_empty()) {
            return Ok(true);
        }
    }
    Ok(false)
}
