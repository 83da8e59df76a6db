//! The library's client with a session in it: few connections, small caches, no retries of its own.

use std::error::Error as _;

use matrix_sdk::authentication::matrix::MatrixSession;
use matrix_sdk::config::{RequestConfig, StoreConfig};
use matrix_sdk::cross_process_lock::CrossProcessLockConfig;
use matrix_sdk::encryption::{BackupDownloadStrategy, EncryptionSettings};
use matrix_sdk::store::RoomLoadSettings;
use matrix_sdk::{Client, SessionMeta, SessionTokens, SqliteCryptoStore, SqliteStateStore, SqliteStoreConfig};

use crate::call::Failure;
use crate::config::Config;

use super::folder::Folder;
use super::wire::{AGENT, DEADLINE};
use super::{Confirmed, OpenError, Session, words};

/// One connection writes, one reads.
const CONNECTIONS: usize = 2;
/// What one connection may hold of a database, in bytes.
const CACHE: u32 = 200_000;

pub(super) async fn open(config: &Config, folder: &Folder, confirmed: Confirmed) -> Result<Session, OpenError> {
    let client = build(config, stores(folder).await?).await?;
    let Confirmed { user, device, token } = confirmed;
    let session = MatrixSession {
        meta: SessionMeta {
            user_id: user.clone(),
            device_id: device.clone(),
        },
        tokens: SessionTokens {
            access_token: token,
            refresh_token: None,
        },
    };
    let entrance = client.matrix_auth();
    let restored = entrance.restore_session(session, RoomLoadSettings::default()).await;
    // nothing is asked of the server here: what can go wrong is in the store
    restored.map_err(|error| unfit(folder, &error))?;
    folder.close().await?;
    Ok(Session { client, user, device })
}

/// State and keys on disk. What the library would cache of events and files stays in memory, where nothing of it is kept long.
async fn stores(folder: &Folder) -> Result<StoreConfig, OpenError> {
    let small = SqliteStoreConfig::with_low_memory_config(folder.path())
        .pool_max_size(CONNECTIONS)
        .cache_size(CACHE);
    let state = SqliteStateStore::open_with_config(&small).await;
    let keys = SqliteCryptoStore::open_with_config(&small).await;
    Ok(StoreConfig::new(CrossProcessLockConfig::SingleProcess)
        .state_store(state.map_err(|error| unfit(folder, &error))?)
        .crypto_store(keys.map_err(|error| unfit(folder, &error))?))
}

async fn build(config: &Config, stores: StoreConfig) -> Result<Client, OpenError> {
    let encryption = EncryptionSettings {
        auto_enable_cross_signing: false,
        auto_enable_backups: false,
        backup_download_strategy: BackupDownloadStrategy::AfterDecryptionFailure,
    };
    // whoever calls knows best whether, and when, to try again
    let calls = RequestConfig::new().disable_retry().timeout(DEADLINE);
    let built = Client::builder()
        .homeserver_url(&config.homeserver)
        .store_config(stores)
        .cross_process_store_config(CrossProcessLockConfig::SingleProcess)
        .request_config(calls)
        .user_agent(AGENT)
        .respect_login_well_known(false)
        .with_encryption_settings(encryption)
        .with_enable_share_history_on_invite(false)
        .build();
    built.await.map_err(|error| {
        let why = error.source().map_or_else(|| error.to_string(), crate::call::told);
        OpenError::Failed(Failure::NotSent(why))
    })
}

/// A full disk may have room again; keys of somebody else, or none at all, stay what they are.
fn unfit(folder: &Folder, error: &dyn std::error::Error) -> OpenError {
    let why = crate::call::told(error);
    let is_final = ["account", "malformed", "not a database", "crypt"];
    if is_final.iter().any(|sign| why.contains(sign)) {
        OpenError::Refused(words::keys_of_another(folder, &why))
    } else {
        OpenError::Failed(Failure::NotSent(format!("{}: {why}", folder.path().display())))
    }
}
