//! What systemd is told about us.

use sd_notify::NotifyState;

/// Tells the supervisor, if there is one.
pub(super) fn tell(state: &[NotifyState]) {
    // an empty variable is as good as none, and no address to write to
    if std::env::var_os("NOTIFY_SOCKET").is_none_or(|socket| socket.is_empty()) {
        return;
    }
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the supervisor could not be told");
    }
}
