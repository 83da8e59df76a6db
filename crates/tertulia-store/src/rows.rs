//! How things are written into columns: types of their own, so that the core's types may change without the tables.
//!
//! Reading is tolerant: a field that an older version did not write has its default, one that a newer version wrote is
//! passed over.

pub(crate) mod body;
pub(crate) mod entry;
pub(crate) mod inline;
pub(crate) mod markup;
pub(crate) mod post;
pub(crate) mod request;
pub(crate) mod settings;
pub(crate) mod words;

use serde::Serialize;

use crate::fault::Fault;

/// Writes a JSON column.
pub(crate) fn json(row: &impl Serialize) -> Result<String, Fault> {
    Ok(serde_json::to_string(row)?)
}
