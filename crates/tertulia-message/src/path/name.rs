//! The configured name of an interface.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::PathError;

/// A name such as `telegram_bot`: path prefix, configuration key and action suffix alike.
///
/// It is a lower-case ASCII letter, then lower-case ASCII letters, digits and underscores.
/// Cloning is cheap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceName(Arc<str>);

impl InterfaceName {
    /// Reads a name.
    ///
    /// # Errors
    /// [`PathError::Interface`] for anything else than a name.
    pub fn parse(name: &str) -> Result<Self, PathError> {
        Self::check(name)?;
        Ok(Self(name.into()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn check(name: &str) -> Result<(), PathError> {
        let starts_well = name.starts_with(|first: char| first.is_ascii_lowercase());
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if starts_well && name.chars().all(is_plain) {
            Ok(())
        } else {
            Err(PathError::Interface)
        }
    }
}

impl FromStr for InterfaceName {
    type Err = PathError;

    fn from_str(name: &str) -> Result<Self, PathError> {
        Self::parse(name)
    }
}

impl TryFrom<&str> for InterfaceName {
    type Error = PathError;

    fn try_from(name: &str) -> Result<Self, PathError> {
        Self::parse(name)
    }
}

impl AsRef<str> for InterfaceName {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for InterfaceName {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for InterfaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for InterfaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
