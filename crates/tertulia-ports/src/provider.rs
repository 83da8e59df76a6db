//! A language-model provider.

use std::pin::Pin;

use async_trait::async_trait;
use futures_util::Stream;
use tertulia_core::provider::{Capabilities, Delta, ModelRequest, ProviderError};

use crate::media::Media;

/// The pieces of one answer. Dropping it closes the connection.
///
/// After an error nothing follows. A stream that ends without [`Delta::End`] has failed;
/// implementations report that themselves, as an error of kind `Broken`.
pub type DeltaStream = Pin<Box<dyn Stream<Item = Result<Delta, ProviderError>> + Send>>;

/// A language-model provider. Every method may be called from many tasks at once.
#[async_trait]
pub trait Provider: Send + Sync {
    /// What the model can do. From configuration and what is known; never blocks.
    fn capabilities(&self, model: &str) -> Capabilities;

    /// The setting that is missing, if one is: then every call fails with `NotConfigured` and names it.
    fn missing_setting(&self) -> Option<&str>;

    /// Makes sure that the provider can be asked, without making the model work: what has to be learnt about the model from
    /// the server is learnt, and kept for [`Provider::capabilities`].
    ///
    /// Called before every turn with `fresh: false`: returns at once where nothing is to be learnt, or was learnt already.
    /// With `fresh: true` the server is really asked (is it there, does it take the key, does it know the model).
    /// Has no deadline of its own but the connect time-out.
    async fn probe(&self, model: &str, fresh: bool) -> Result<(), ProviderError>;

    /// One line for operators, without secrets: kind, address, model.
    fn describe(&self) -> String;

    /// Pictures and sound, where its kind has them.
    fn media(&self) -> Option<&dyn Media> {
        None
    }

    /// Asks, and streams the answer. Has no deadlines of its own but the connect time-out: the caller watches.
    ///
    /// Never retries: the caller decides by the error's kind.
    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError>;
}
