//! What a provider may be able to do beside answering.

use async_trait::async_trait;
use tertulia_core::media::{MediaAbilities, PictureOrder, Sound, SpeechOrder, SpokenWords};
use tertulia_core::provider::ProviderError;
use tertulia_message::Picture;

/// Pictures and sound. Every method may be called from many tasks at once, has no deadline of its own but the connect
/// time-out, and never retries. What comes back is at most 32 MiB.
#[async_trait]
pub trait Media: Send + Sync {
    /// What it can do; every other call fails with `NotConfigured` and names the setting that is missing, or with `Rejected`
    /// where its kind cannot do it at all.
    fn abilities(&self) -> MediaAbilities;

    /// Makes a picture.
    async fn imagine(&self, order: &PictureOrder) -> Result<Picture, ProviderError>;

    /// Writes down what is said.
    async fn transcribe(&self, spoken: &SpokenWords) -> Result<String, ProviderError>;

    /// Says what is written.
    async fn speak(&self, order: &SpeechOrder) -> Result<Sound, ProviderError>;
}
