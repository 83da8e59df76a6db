//! Pictures and sound made or understood by a provider: what is asked for, and what comes back.

use std::sync::Arc;

/// What a provider can do beside answering, with the models that its configuration names for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MediaAbilities {
    /// It makes pictures.
    pub imagine: bool,
    /// It writes down what is said.
    pub transcribe: bool,
    /// It says what is written.
    pub speak: bool,
}

/// A picture that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PictureOrder {
    /// What it shows.
    pub prompt: String,
    /// The model; the provider's own for pictures if empty.
    pub model: String,
    /// Width and height in pixels; the provider's choice if absent. Providers take the nearest size that they have.
    pub size: Option<(u32, u32)>,
}

/// Something said that is to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenWords {
    /// The sound.
    pub sound: Sound,
    /// The model; the provider's own for this if empty.
    pub model: String,
    /// The language as an ISO 639-1 code, where known.
    pub language: Option<String>,
}

/// A text that is to be said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpeechOrder {
    /// The text.
    pub text: String,
    /// The model; the provider's own for speech if empty.
    pub model: String,
    /// The voice, by the provider's own name; its usual one if empty.
    pub voice: String,
    /// The format that is wanted; a provider that does not have it gives another one.
    pub format: SoundFormat,
}

/// A format of sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SoundFormat {
    /// Opus in Ogg, as chat platforms want it for voice messages.
    #[default]
    Opus,
    /// MP3.
    Mp3,
    /// WAV.
    Wav,
}

/// Sound with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// Its type, e.g. `audio/ogg`.
    pub mime: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}
