//! What is wrong with a configuration, in one sentence.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The program itself.
    Default,
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
    /// An option of the command line.
    Option(&'static str),
}

impl Origin {
    /// What relative paths are relative to: a file's own directory, else the working directory.
    pub(crate) fn base(&self) -> &Path {
        match self {
            Self::File(file) => file.parent().unwrap_or(Path::new("")),
            Self::Default | Self::Variable(_) | Self::Option(_) => Path::new(""),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File(file) => file.display().fmt(formatter),
            Self::Variable(name) => formatter.write_str(name),
            Self::Option(name) => formatter.write_str(name),
        }
    }
}

/// What is wrong with a configuration. The problem names the key, and never a secret.
#[derive(Debug, thiserror::Error)]
pub(crate) struct ConfigError {
    origin: Origin,
    problem: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.origin {
            // nobody wrote it anywhere: the problem says all there is to say
            Origin::Default => formatter.write_str(&self.problem),
            _ => write!(formatter, "{}: {}", self.origin, self.problem),
        }
    }
}

impl ConfigError {
    pub(crate) fn new(origin: Origin, problem: impl Into<String>) -> Self {
        Self {
            origin,
            problem: problem.into(),
        }
    }
}
