//! Counts what is skipped, and says the first of each kind.

use std::collections::HashMap;

use crate::inbound::Skipped;
use crate::wire::Odd;

/// More kinds are counted as one, so that nobody fills the memory by making up kinds.
const MOST_KINDS: usize = 64;

/// How many updates of which kind were skipped.
#[derive(Debug, Default)]
pub(super) struct Counts {
    kinds: HashMap<String, u64>,
}

impl Counts {
    pub(super) fn note(&mut self, interface: &str, update: i64, skipped: &Skipped) {
        let kind = kind(skipped);
        let count = self.count(kind.clone());
        if count == 1 && matches!(skipped, Skipped::Odd(_)) {
            tracing::info!(interface, update, kind, "updates of this kind are skipped");
        } else {
            tracing::debug!(interface, update, kind, count, "an update was skipped");
        }
    }

    fn count(&mut self, kind: String) -> u64 {
        let is_known = self.kinds.contains_key(&kind) || self.kinds.len() < MOST_KINDS;
        let count = self
            .kinds
            .entry(if is_known { kind } else { "others".to_owned() })
            .or_default();
        *count += 1;
        *count
    }
}

fn kind(skipped: &Skipped) -> String {
    match skipped {
        Skipped::Odd(Odd::Unknown(kind)) => short(kind),
        Skipped::Odd(Odd::Unreadable(kind)) => format!("unreadable {}", short(kind)),
        Skipped::Nothing => "says nothing".to_owned(),
        Skipped::Bot => "said by a bot".to_owned(),
    }
}

fn short(kind: &str) -> String {
    kind.chars().filter(|c| !c.is_control()).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_each_and_bounded() {
        let mut counts = Counts::default();
        assert_eq!((counts.count("a".into()), counts.count("a".into())), (1, 2));
        for nth in 0..1000 {
            counts.count(format!("made up {nth}"));
        }
        assert!(counts.kinds.len() <= MOST_KINDS + 1);
        assert_eq!(counts.count("a".into()), 3);
    }
}
