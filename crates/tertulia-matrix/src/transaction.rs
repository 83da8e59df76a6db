//! The ids of what is sent: the same for every try, so that the server takes a second try for the first.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::content::KEY;
use crate::fields::Fields;
use crate::ids;

/// Which of the events that one act can need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The message itself, an edit of it, or its end.
    Text,
    /// The file at this place of the post.
    File(usize),
}

/// The transaction id of one event of the act with this key: 43 characters that need no escape in an address.
///
/// The server knows it for about a day, from the same device and in the same room. After that the event is found by the same
/// text, which stands in its content.
#[must_use]
pub(crate) fn id(key: &str, piece: Piece) -> String {
    let place = match piece {
        Piece::Text => "text".to_owned(),
        Piece::File(nth) => format!("file.{nth}"),
    };
    URL_SAFE_NO_PAD.encode(Sha256::digest(format!("tertulia/{key}/{place}")))
}

/// The id of an event that we have sent with this transaction id, if it is this one: for looking through what a room holds.
#[must_use]
pub(crate) fn sent(event: &str, user: &str, transaction: &str) -> Option<String> {
    let event = Fields::read(event)?;
    let by_server = event.object("unsigned").text("transaction_id");
    let by_us = event.object("content").text(KEY);
    let is_it = [by_server, by_us].into_iter().flatten().any(|id| id == transaction);
    let is_ours = event.text("sender").is_some_and(|sender| sender == user);
    event
        .text("event_id")
        .filter(|id| is_it && is_ours && ids::is_event(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_found() {
        let event = |sender: &str, content: &str, unsigned: &str| {
            format!(r#"{{"event_id":"$e","sender":"{sender}","content":{content},"unsigned":{unsigned}}}"#)
        };
        let keyed = r#"{"org.tertulia.key":"t"}"#;
        let found = |event: &str| sent(event, "@me:h", "t");
        assert_eq!(found(&event("@me:h", keyed, "{}")).as_deref(), Some("$e"));
        assert_eq!(
            found(&event("@me:h", "{}", r#"{"transaction_id":"t"}"#)).as_deref(),
            Some("$e")
        );
        // anybody can write our key into their own event
        assert_eq!(found(&event("@eve:h", keyed, r#"{"transaction_id":"t"}"#)), None);
        assert_eq!(found(&event("@me:h", r#"{"org.tertulia.key":"u"}"#, "{}")), None);
        assert_eq!(found("{"), None);
    }

    #[test]
    fn the_ids_are_frozen() {
        // a change would let what was sent before a restart be sent again after it
        assert_eq!(
            id("a.1.answer.0", Piece::Text),
            "e2w45XDfzg_PKsBdSvecsKmfXG85nKSiagsSppAomZg"
        );
        assert_eq!(
            id("a.1.answer.0", Piece::File(1)),
            "Dck0Wl5sFS_7zIC8GA6wmO2pdRXi05NiDm8z5yxTDEk"
        );
    }

    #[test]
    fn each_act_and_each_piece_has_its_own() {
        let ids = [
            id("k", Piece::Text),
            id("k", Piece::File(0)),
            id("k", Piece::File(1)),
            id("k.file.0", Piece::Text),
            id("l", Piece::Text),
        ];
        let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
        let is_plain = |id: &String| {
            id.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        assert!(ids.iter().all(|id| id.len() == 43 && is_plain(id)));
    }
}
