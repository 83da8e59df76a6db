//! The account's cross-signing keys, and the own device signed with them.

use matrix_sdk::encryption::CrossSigningStatus;
use matrix_sdk::encryption::identities::ManualVerifyError;
use matrix_sdk::ruma::api::client::uiaa::{AuthData, MatrixUserIdentifier, Password, UserIdentifier};

use crate::call::Failure;
use crate::config::Login;

use super::Steps;
use super::vault::Vault;

/// Makes the keys where the account has none, fetches them where it has, and signs the own device. True if we have them all.
pub(super) async fn set_up(steps: &Steps<'_>, vault: &Vault) -> Result<bool, Failure> {
    let encryption = steps.session.client.encryption();
    let known = encryption.request_user_identity(&steps.session.user).await?;
    if known.is_none() {
        make(steps).await?;
        // what the server has is what counts
        encryption.request_user_identity(&steps.session.user).await?;
    }
    if !is_complete(encryption.cross_signing_status().await.as_ref()) {
        fetch(steps, vault).await?;
    }
    if !is_complete(encryption.cross_signing_status().await.as_ref()) {
        return Ok(false);
    }
    sign(steps).await?;
    Ok(true)
}

fn is_complete(status: Option<&CrossSigningStatus>) -> bool {
    status.is_some_and(CrossSigningStatus::is_complete)
}

/// A fresh account takes its first keys without a password; where the server wants one, it gets it.
async fn make(steps: &Steps<'_>) -> Result<(), Failure> {
    let encryption = steps.session.client.encryption();
    let Err(error) = encryption.bootstrap_cross_signing(None).await else {
        return Ok(());
    };
    let Some(asked) = error.as_uiaa_response() else {
        return Err(error.into());
    };
    let Login::Password { password, .. } = &steps.matrix.config.login else {
        let told = "the homeserver wants the account's password for cross-signing, and a token is configured: configure user and \
                    password for one start";
        steps.warn(told);
        return Ok(());
    };
    let user = MatrixUserIdentifier::new(steps.session.user.to_string());
    let mut proof = Password::new(UserIdentifier::Matrix(user), password.expose().to_owned());
    proof.session.clone_from(&asked.session);
    encryption
        .bootstrap_cross_signing(Some(AuthData::Password(proof)))
        .await?;
    Ok(())
}

/// The keys that somebody made before lie among the account's secrets.
async fn fetch(steps: &Steps<'_>, vault: &Vault) -> Result<(), Failure> {
    if let Vault::Open(store) = vault {
        // also signs the device, and goes on with the backup
        let fetched = store.import_secrets().await;
        if let Err(error) = fetched {
            let failure = Failure::from(error);
            if matches!(failure, Failure::NotSent(_)) {
                steps.warn(&format!("the account's secrets do not hold together: {failure}"));
                return Ok(());
            }
            return Err(failure);
        }
    }
    let status = steps.session.client.encryption().cross_signing_status().await;
    if !is_complete(status.as_ref()) {
        steps.warn(
            "the account has cross-signing keys that the bot has not: clients that exclude unverified devices will not let it read. \
             Configure the recovery key of the account, or reset its cryptographic identity in another client",
        );
    }
    Ok(())
}

async fn sign(steps: &Steps<'_>) -> Result<(), Failure> {
    let encryption = steps.session.client.encryption();
    let device = encryption
        .get_own_device()
        .await
        .map_err(|error| Failure::NotSent(error.to_string()))?;
    let Some(device) = device.filter(|device| !device.is_cross_signed_by_owner()) else {
        return Ok(());
    };
    device.verify().await.map_err(|error| match error {
        ManualVerifyError::Http(error) => Failure::from(error),
        other @ ManualVerifyError::Signature(_) => Failure::NotSent(other.to_string()),
    })?;
    encryption.request_user_identity(&steps.session.user).await?;
    Ok(())
}
