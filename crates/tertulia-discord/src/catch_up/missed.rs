//! What is left out of what was missed, told once.

use crate::config::CatchUp;

/// What was left out in one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Missed {
    /// True if there is something older than is answered.
    pub has_older: bool,
    /// How many were left out because there were too many; of those that were not even read one is counted.
    pub more: usize,
}

/// One notice about all conversations; none if nothing was left out.
#[must_use]
pub fn summary(all: &[Missed], bounds: CatchUp) -> Option<String> {
    let older = all.iter().filter(|missed| missed.has_older).count();
    let crowded = all.iter().filter(|missed| missed.more > 0).count();
    let more: usize = all.iter().map(|missed| missed.more).sum();
    let mut parts = Vec::new();
    if older > 0 {
        let hours = bounds.age.as_secs().div_ceil(3600);
        parts.push(format!(
            "in {older} conversations there may be messages older than {hours} hours"
        ));
    }
    if crowded > 0 {
        let number = bounds.number;
        parts.push(format!(
            "in {crowded} there were more than {number} messages, at least {more} of which were left out"
        ));
    }
    (!parts.is_empty()).then(|| {
        format!(
            "While I was away from Discord: {}. They are not answered.",
            parts.join("; ")
        )
    })
}
