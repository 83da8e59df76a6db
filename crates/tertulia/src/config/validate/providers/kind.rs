//! The kinds of provider: their keys, and how their sections are read.

use super::section::Section;
use super::{anthropic, deepseek, demo, google, huggingface, ollama, openai, openrouter, replicate};
use crate::config::ProviderKind;
use crate::config::error::ConfigError;
use crate::config::secrets::Known;

/// A kind of provider.
pub(super) struct Kind {
    /// The word for it in `bot.toml`.
    pub(super) name: &'static str,
    /// It asks a server.
    pub(super) has_server: bool,
    /// The keys that it has beside those of every kind.
    pub(super) keys: &'static [&'static str],
    /// Which models for pictures and sound it can have.
    pub(super) media: &'static [&'static str],
    /// The keys that a model of it has beside those of every kind.
    pub(super) model_keys: &'static [&'static str],
    /// Reads what only this kind has.
    pub(super) read: fn(&Section<'_>, &mut Known) -> Result<ProviderKind, ConfigError>,
    /// The service on the internet that it was made for, if there is one that wants a key.
    pub(super) service: Option<Service>,
}

/// A service that wants a key, and the variables that its own clients read.
#[derive(Clone, Copy)]
pub(crate) struct Service {
    /// Those with the key; the first that is set counts.
    pub(crate) key_variables: &'static [&'static str],
    /// The one that names a model.
    pub(crate) model_variable: &'static str,
    /// The model where none is named.
    pub(crate) usual_model: &'static str,
}

/// The kinds, in the order in which a found one is taken.
pub(super) const KINDS: [&Kind; 9] = [
    &openai::KIND,
    &anthropic::KIND,
    &google::KIND,
    &deepseek::KIND,
    &openrouter::KIND,
    &ollama::KIND,
    &huggingface::KIND,
    &replicate::KIND,
    &demo::KIND,
];

/// Every kind with the service that it was made for, in the order in which what is found is taken.
pub(crate) fn kinds() -> impl Iterator<Item = (&'static str, Option<Service>)> {
    KINDS.iter().map(|kind| (kind.name, kind.service))
}
