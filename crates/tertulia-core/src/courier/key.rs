//! Idempotency keys: the same for every try of one act, different for every other.

use tertulia_message::SlotKind;

use crate::record::Slot;

/// The key of a post: made from the account's identity, the message answered, kind and part.
///
/// What is said elsewhere answers a message of another account, perhaps: ids of accounts may be equal, so the row's number
/// is added.
pub(super) fn of_post(slot: &Slot) -> String {
    let account = &slot.account;
    let mut parts = vec![account.interface.as_str(), &account.identity, &slot.re];
    let row = slot.id.trigger.to_string();
    if slot.id.kind == SlotKind::Say {
        parts.push(&row);
    }
    let digest = fnv128(&parts);
    format!("{}-{}-{digest:032x}", slot.id.kind.as_str(), slot.id.part)
}

/// The key of an edit or a deletion: a platform that swallows repeated keys must not swallow a later edit.
pub(super) fn of_change(slot: &Slot, boot: &str, serial: u64) -> String {
    format!("{}-{}-{:032x}-{serial}", of_post(slot), slot.wish.rev, fnv128(&[boot]))
}

/// FNV-1a, 128 bits: stable for ever, which a key in a database has to be. Not for secrets.
fn fnv128(parts: &[&str]) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut hash = OFFSET;
    for part in parts {
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_frozen() {
        // FNV-1a of "a" followed by the separator; stored keys depend on it.
        assert_eq!(fnv128(&[]), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_ne!(fnv128(&["ab", "c"]), fnv128(&["a", "bc"]));
    }
}
