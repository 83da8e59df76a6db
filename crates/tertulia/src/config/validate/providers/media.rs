//! The models of a provider for pictures and sound: `[providers.<name>.media]`.

use tertulia_providers::MediaModels;

use super::section::Section;

/// What makes pictures.
pub(super) const PICTURE: &str = "picture";
/// What writes down what is said.
pub(super) const TRANSCRIPTION: &str = "transcription";
/// What says what is written.
pub(super) const SPEECH: &str = "speech";
/// Its voice.
pub(super) const VOICE: &str = "voice";
/// All of them.
pub(super) const ALL: &[&str] = &[PICTURE, TRANSCRIPTION, SPEECH, VOICE];

pub(super) fn read(section: &Section<'_>) -> MediaModels {
    let text = |key| {
        let path = ["providers", section.name, "media", key];
        section.settings.text(&path).map(str::to_owned)
    };
    MediaModels {
        picture: text(PICTURE),
        transcription: text(TRANSCRIPTION),
        speech: text(SPEECH),
        voice: text(VOICE),
    }
}
