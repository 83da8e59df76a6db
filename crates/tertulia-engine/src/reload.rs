//! Takes in the configuration anew, while everything runs.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

use crate::hub::Shared;

/// Reads the configuration again and lets it hold from now on. What runs goes on as it began. Gives what only a restart can
/// bring about, in sentences.
///
/// One at a time; who comes second waits, and reads anew: the file may have changed since.
///
/// # Errors
/// One sentence for the operator; then everything stays as it was.
pub(crate) async fn reload(shared: &Shared) -> Result<Vec<String>, String> {
    let _alone = shared.reloading.lock().await;
    let done = take_in(shared).await;
    match &done {
        Ok(notes) => tracing::info!(?notes, "the configuration was read again"),
        Err(error) => tracing::error!(error, "the configuration is wrong; the old one stays"),
    }
    done
}

async fn take_in(shared: &Shared) -> Result<Vec<String>, String> {
    let Some(reload) = &shared.reload else {
        return Err("there is no configuration that could be read again".to_owned());
    };
    let reading = AssertUnwindSafe(reload.reload()).catch_unwind();
    let read = reading
        .await
        .unwrap_or_else(|_| Err("reading the configuration failed; the log says more".to_owned()))?;
    read.live.check().map_err(|error| error.to_string())?;
    shared.governed.replace(read.live);
    Ok(read.notes)
}
