//! What an operator reads when a session cannot be had: what is wrong, what to do, and what is lost by it.

use crate::config::{Config, Login};

use super::folder::{Folder, Kept, SESSION};
use super::plan::Obstacle;

/// The server knows the kept session no longer.
pub(super) fn dead(config: &Config, kept: &Kept) -> String {
    let whose = format!(
        "the homeserver knows the token of device {} of {} no longer",
        kept.device, kept.user
    );
    let folder = Folder::new(&config.state);
    let anew = anew(&folder);
    match config.login {
        Login::Password { .. } => format!("{whose}: somebody has ended its session. {anew}"),
        Login::Token(_) => {
            format!("{whose}. Configure a new token of the same device; or, for a token of another device: {anew}")
        }
    }
}

/// How to begin as a new device.
fn anew(folder: &Folder) -> String {
    format!(
        "To log in anew, as another device, move session.json and matrix-sdk-* out of {folder}, leave recovery-key there, and start \
         again. What was said to the bot in encrypted rooms meanwhile stays unread",
        folder = folder.path().display()
    )
}

pub(super) fn obstacle(obstacle: &Obstacle, folder: &Folder) -> String {
    let place = folder.path().display();
    match obstacle {
        Obstacle::KeysOfNobody => format!(
            "there are keys in {place}, and no {SESSION} that tells whose: put the backup of the whole directory in its place, or \
             move matrix-sdk-* away to begin anew, as another device"
        ),
        Obstacle::OtherUser { kept, configured } => format!(
            "{place} belongs to {kept}, and the configuration says {configured}: one directory is for one account for ever"
        ),
    }
}

/// A token of somebody, or something, else.
pub(super) fn other_token(kept: &Kept, user: &str, device: &str, folder: &Folder) -> String {
    format!(
        "the token is of device {device} of {user}, and {place} belongs to device {kept_device} of {kept_user}: configure a token of \
         that device. {anew}",
        place = folder.path().display(),
        kept_device = kept.device,
        kept_user = kept.user,
        anew = anew(folder),
    )
}

pub(super) fn no_device() -> String {
    "the token belongs to no device, so nothing could be encrypted: make one by logging in as the bot".to_owned()
}

pub(super) fn odd_user(user: &str) -> String {
    format!("the homeserver says that the account is {user:?}, which is no user's id")
}

/// The server knows keys of this device, and we have none.
pub(super) fn keys_are_missing(folder: &Folder, device: &impl std::fmt::Display) -> String {
    format!(
        "the keys of device {device} were here, and are gone: put the backup of {place} in its place. {anew}",
        place = folder.path().display(),
        anew = anew(folder)
    )
}

/// The server knows other keys of this device than we have.
pub(super) fn keys_are_others(folder: &Folder, device: &impl std::fmt::Display) -> String {
    format!(
        "the keys in {place} are not those that the homeserver knows of device {device}: put the right backup of the whole directory \
         in its place. {anew}",
        place = folder.path().display(),
        anew = anew(folder)
    )
}

/// The keys in the directory are of another device or account than its session.
pub(super) fn keys_of_another(folder: &Folder, why: &str) -> String {
    format!(
        "the keys in {place} cannot be used with its session ({why}): put the backup of the whole directory in its place. {anew}",
        place = folder.path().display(),
        anew = anew(folder)
    )
}

/// The server does not log us in.
pub(super) fn no_login(user: &str, told: &str) -> String {
    format!("the homeserver does not log {user} in: {told}")
}

/// The server takes no passwords.
pub(super) fn no_passwords(told: &str) -> String {
    format!("the homeserver takes no logins by password ({told}): configure an access token instead")
}
