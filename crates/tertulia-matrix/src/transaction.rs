//! The ids of what is sent: the same for every try, so that the server takes a second try for the first.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Which of the events that one act can need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
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
pub fn id(key: &str, piece: Piece) -> String {
    let place = match piece {
        Piece::Text => "text".to_owned(),
        Piece::File(nth) => format!("file.{nth}"),
    };
    URL_SAFE_NO_PAD.encode(Sha256::digest(format!("tertulia/{key}/{place}")))
}

#[cfg(test)]
mod tests {
    use super::*;

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
