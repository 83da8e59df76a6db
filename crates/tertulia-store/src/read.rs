//! Reading, each at one moment.

mod conversation;
mod entries;
mod facts;
mod governed;
mod history;
mod inbox;
mod letters;
mod marks;
mod restore;
mod slots;
mod turn;
mod usage;
mod work;

pub(crate) use facts::conversations;
pub(crate) use governed::{governed, permits, preferences};
pub(crate) use history::history;
pub(crate) use letters::letters;
pub(crate) use marks::marks;
pub(crate) use restore::restore;
pub(crate) use turn::turn;
pub(crate) use usage::usage;
pub(crate) use work::next_work;

/// How long a reply token is good.
pub(crate) const TOKEN_LIFE_MS: i64 = 15 * 60 * 1000;

#[cfg(test)]
mod tests;
