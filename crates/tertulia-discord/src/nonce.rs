//! Our own word for a post, the same for every try: Discord takes a second try for the first, for a few minutes.

use sha2::{Digest, Sha256};

/// The longest that Discord takes, in characters.
const LONGEST: usize = 25;
/// Letters and digits that are hard to take for each other, of one case.
const SIGNS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The nonce of the post with this key: 25 characters, 125 bits.
///
/// After those minutes a post is found by the message that it answers, see [`crate::find`].
#[must_use]
pub fn nonce(key: &str) -> String {
    let digest = Sha256::digest(format!("tertulia/discord/{key}"));
    let bit = |at: usize| digest.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    let sign = |nth: usize| (0..5).fold(0, |number, within| number << 1 | usize::from(bit(5 * nth + within)));
    (0..LONGEST)
        .filter_map(|nth| SIGNS.get(sign(nth)))
        .map(|sign| char::from(*sign))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_nonces_are_frozen() {
        // a change would let what was sent before a restart be sent again after it
        assert_eq!(nonce("a.1.answer.0"), "exdat3h4mmkmu7lxh5ditdw3d");
        assert_eq!(nonce(""), "7iidfyqwgkhjnxviyiitsiwfm");
    }

    #[test]
    fn each_key_has_its_own() {
        let keys = (0..2000).map(|number| nonce(&format!("k.{number}")));
        let distinct: BTreeSet<String> = keys.collect();
        assert_eq!(distinct.len(), 2000);
        let is_one = |nonce: &String| nonce.len() == 25 && nonce.bytes().all(|byte| SIGNS.contains(&byte));
        assert!(distinct.iter().all(is_one));
    }
}
