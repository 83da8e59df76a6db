//! The words for the core's enumerations that have none of their own.

use tertulia_core::transaction::DropReason;
use tertulia_message::PersonId;

pub(crate) fn drop_reason(why: DropReason) -> &'static str {
    match why {
        DropReason::Stopped => "stopped",
        DropReason::Flood => "flood",
        DropReason::Redacted => "redacted",
        DropReason::Ignored => "ignored",
        DropReason::NoKey => "no_key",
    }
}

/// Reads what `PersonId`'s `Display` wrote; also where a part is empty, which `PersonId::parse` refuses.
pub(crate) fn person(text: &str) -> PersonId {
    let (interface, id) = text.split_once('/').unwrap_or(("", text));
    PersonId::new(interface, id)
}

/// A position or a count as SQLite keeps it.
pub(crate) fn number(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}
