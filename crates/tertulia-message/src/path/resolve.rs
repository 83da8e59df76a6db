//! Chooses the path that a message goes to.

use super::{InterfacePath, PathError};

/// The path to deliver to, given the one that was asked for and the interfaces that are registered.
///
/// A path of a registered interface is kept. For one of an unknown interface the context's path
/// stands in, else the message's, whichever is registered first; none if neither is. A missing
/// (or empty) path gives none. While nothing is registered, the path is kept.
///
/// # Errors
/// A path that was given and is malformed: a fault of the turn that made it.
pub fn resolve(
    path: Option<&str>,
    registered: &[impl AsRef<str>],
    context: Option<&InterfacePath>,
    message: Option<&InterfacePath>,
) -> Result<Option<InterfacePath>, PathError> {
    let Some(path) = path.filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let path = InterfacePath::parse(path)?;
    let is_registered = |path: &&InterfacePath| registered.iter().any(|name| name.as_ref() == path.interface());
    if registered.is_empty() || is_registered(&&path) {
        return Ok(Some(path));
    }
    Ok([context, message].into_iter().flatten().find(is_registered).cloned())
}
