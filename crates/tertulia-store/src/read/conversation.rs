//! Paths as they lie in columns.

use tertulia_message::path::InterfacePath;

use crate::fault::Fault;

pub(super) fn path(text: &str) -> Result<InterfacePath, Fault> {
    Ok(InterfacePath::parse(text)?)
}
