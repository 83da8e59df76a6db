//! Reading, each at one moment.

mod conversation;
mod entries;
mod history;
mod inbox;
mod marks;
mod restore;
mod slots;
mod work;

pub(crate) use history::history;
pub(crate) use marks::marks;
pub(crate) use restore::restore;
pub(crate) use work::next_work;

/// How long a reply token is good.
pub(crate) const TOKEN_LIFE_MS: i64 = 15 * 60 * 1000;

#[cfg(test)]
mod tests;
