//! What people read while they verify the bot.

use matrix_sdk::encryption::verification::Emoji;
use matrix_sdk::ruma::events::key::verification::cancel::CancelCode;

pub(super) const NOT_YOU: &str = "Only those who govern me may verify me.";
pub(super) const OFF: &str = "Encryption is switched off here, so there is nothing to verify.";
pub(super) const ASKED: &str = "I have asked your app to verify me. Accept it there; then compare the pictures that it shows with those that I post here.";
pub(super) const NO_DEVICES: &str =
    "None of your devices has keys, so there is nothing to verify me with: use an app that encrypts.";
pub(super) const NOBODY: &str = "Nobody answered in ten minutes, so the verification is over.";
pub(super) const DONE: &str = "Verified: your app trusts me from now on.";
pub(super) const LATER: &str = "This verification is over, since you have begun another.";
pub(super) const FAILED: &str = "The verification failed at the homeserver; please try it again.";

/// The seven pictures with their names.
pub(super) fn emoji(seven: &[Emoji]) -> String {
    let shown: Vec<String> = seven
        .iter()
        .map(|one| format!("{} {}", one.symbol, one.description))
        .collect();
    format!(
        "Your app should show these, in this order: {}. If it does, confirm it there within a minute; if not, decline it: then \
         somebody stands between us.",
        shown.join(" · ")
    )
}

/// The seven pictures where the app can show numbers only.
pub(super) fn numbers((first, second, third): (u16, u16, u16)) -> String {
    format!(
        "Your app should show these numbers: {first} {second} {third}. If it does, confirm it there; if not, decline it."
    )
}

/// Why it came to nothing.
pub(super) fn cancelled(code: &CancelCode, reason: &str, is_by_us: bool) -> String {
    match code {
        CancelCode::Timeout if !is_by_us => NOBODY.to_owned(),
        CancelCode::Timeout => "The verification took too long, so it is over; please begin again.".to_owned(),
        CancelCode::MismatchedSas => {
            "Not verified: you say that the pictures differ. Then somebody may stand between us.".to_owned()
        }
        CancelCode::User => "Not verified: it was declined.".to_owned(),
        CancelCode::Accepted => "Not verified here: another device took it over.".to_owned(),
        _ => format!("Not verified: {}", reason.trim_end_matches('.').to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pictures_are_told_in_order_and_by_name() {
        let emoji_of = |symbol, description| Emoji { symbol, description };
        let text = emoji(&[emoji_of("🐶", "Dog"), emoji_of("🔑", "Key")]);
        assert!(text.contains("in this order: 🐶 Dog · 🔑 Key."), "{text}");
        assert!(numbers((1234, 5678, 9012)).contains("1234 5678 9012"));
    }

    #[test]
    fn every_end_has_one_line() {
        let codes = [
            CancelCode::Timeout,
            CancelCode::User,
            CancelCode::MismatchedSas,
            CancelCode::KeyMismatch,
        ];
        let lines: Vec<String> = codes.iter().map(|code| cancelled(code, "The reason.", true)).collect();
        assert_eq!(lines.last().map(String::as_str), Some("Not verified: the reason"));
        assert!(lines.iter().all(|line| !line.contains('\n')), "{lines:?}");
    }
}
