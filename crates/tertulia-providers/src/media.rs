//! What the kinds share that make and understand pictures and sound: which models, what came back, and where it may lie.

mod abroad;
mod size;
mod wav;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use reqwest::header::{ACCEPT, HeaderValue};
use tertulia_core::media::{MediaAbilities, Sound};
use tertulia_core::provider::{ProviderError, ProviderFault};
use tertulia_message::Picture;

use crate::connection::{Connection, chain, not_set};

pub(crate) use size::{Size, nearest};
pub(crate) use wav::wav;

/// The most that is read of one answer, in bytes.
pub(crate) const LONGEST: usize = 32 << 20;

/// The models of a provider for pictures and sound; what is absent it cannot do, unless its kind has a usual model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MediaModels {
    /// Makes pictures.
    pub picture: Option<String>,
    /// Writes down what is said.
    pub transcription: Option<String>,
    /// Says what is written.
    pub speech: Option<String>,
    /// The usual voice, by the provider's own name.
    pub voice: Option<String>,
}

impl MediaModels {
    /// What can be done with them.
    pub(crate) fn abilities(&self) -> MediaAbilities {
        MediaAbilities {
            imagine: self.picture.is_some(),
            transcribe: self.transcription.is_some(),
            speak: self.speech.is_some(),
        }
    }

    /// These, with usual ones where none is named.
    pub(crate) fn or(self, usual: Self) -> Self {
        let named = |name: Option<String>| name.filter(|name| !name.trim().is_empty());
        Self {
            picture: named(self.picture).or(usual.picture),
            transcription: named(self.transcription).or(usual.transcription),
            speech: named(self.speech).or(usual.speech),
            voice: named(self.voice).or(usual.voice),
        }
    }
}

/// The model that an order means: the one that it names, else the provider's own, whose setting is
/// `providers.<name>.media.<which>`.
pub(crate) fn meant<'a>(
    named: &'a str,
    usual: Option<&'a String>,
    provider: &str,
    which: &str,
) -> Result<&'a str, ProviderError> {
    match (named, usual) {
        ("", Some(usual)) => Ok(usual),
        ("", None) => Err(not_set(&format!("providers.{provider}.media.{which}"))),
        (named, _) => Ok(named),
    }
}

/// A picture, whose type its first bytes tell, whatever was said about it.
pub(crate) fn picture(bytes: Vec<u8>) -> Result<Picture, ProviderError> {
    match picture_type(&bytes) {
        Some(mime) => Ok(Picture {
            mime: mime.to_owned(),
            bytes: bytes.into(),
        }),
        None => Err(ProviderError::new(
            ProviderFault::Broken,
            "what came as a picture is none: neither PNG, JPEG, WebP nor GIF",
        )),
    }
}

fn picture_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// The bytes of a text in base64, or of a `data:` address of one.
pub(crate) fn from_base64(text: &str) -> Result<Vec<u8>, ProviderError> {
    let text = match text.strip_prefix("data:").and_then(|rest| rest.split_once(',')) {
        Some((kind, data)) if kind.ends_with(";base64") => data,
        _ => text,
    };
    STANDARD
        .decode(text.trim())
        .map_err(|error| ProviderError::new(ProviderFault::Broken, format!("what came is not base64: {error}")))
}

/// Fetches what a provider says lies at an address, without the key, at most 32 MiB.
///
/// # Errors
/// When the address is none to fetch from (see [`may_fetch`]), nothing answers, or the answer is no success.
pub(crate) async fn fetched(connection: &Connection, own: &Url, address: &str) -> Result<Vec<u8>, ProviderError> {
    let address = Url::parse(address).ok().filter(|address| may_fetch(address, own));
    let Some(address) = address else {
        return Err(ProviderError::new(
            ProviderFault::Broken,
            "the answer lies at an address that is not fetched from: neither the provider's own, nor https with a name",
        ));
    };
    let asking = if address.origin() == own.origin() {
        connection.get(&address)
    } else {
        let client = abroad::client().map_err(|error| connection.error(ProviderFault::Unreachable, &chain(&error)))?;
        client.get(address)
    };
    let asking = asking.header(ACCEPT, HeaderValue::from_static("*/*"));
    let response = connection.send_without_key(asking).await?;
    if !response.status().is_success() {
        // what a foreign server says is nobody's to read
        let detail = format!("what was made cannot be fetched: {}", response.status());
        return Err(ProviderError::new(ProviderFault::Broken, detail));
    }
    connection.body(response, LONGEST).await
}

/// An address that a provider names may be any: it may lie at the provider itself, else it must be https at a host with a
/// name. Where that leads is looked at when it is followed.
fn may_fetch(address: &Url, own: &Url) -> bool {
    let named = || {
        address
            .domain()
            .is_some_and(|name| name.contains('.') && !name.ends_with(".localhost"))
    };
    address.origin() == own.origin() || (address.scheme() == "https" && named())
}

/// A sound, whose type its first bytes tell, whatever was said about it.
pub(crate) fn sound(bytes: Vec<u8>) -> Result<Sound, ProviderError> {
    match told_sound_type(&bytes) {
        Some(mime) => Ok(Sound {
            mime: mime.to_owned(),
            bytes: bytes.into(),
        }),
        None => Err(ProviderError::new(
            ProviderFault::Broken,
            "what came as sound is none that is known",
        )),
    }
}

/// The type of a sound: as its first bytes tell, else as was said.
pub(crate) fn sound_type(sound: &Sound) -> String {
    told_sound_type(&sound.bytes).map_or_else(|| essence(&sound.mime), str::to_owned)
}

fn told_sound_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [b'O', b'g', b'g', b'S', ..] => Some("audio/ogg"),
        [b'I', b'D', b'3', ..] | [0xff, 0xfa | 0xfb | 0xf2 | 0xf3, ..] => Some("audio/mpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Some("audio/wav"),
        [b'f', b'L', b'a', b'C', ..] => Some("audio/flac"),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some("audio/mp4"),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Some("audio/webm"),
        _ => None,
    }
}

/// Says clearly that a sound is too long, before it is sent.
pub(crate) fn demand_short(sound: &Sound, longest: usize) -> Result<(), ProviderError> {
    let length = sound.bytes.len();
    if length <= longest {
        return Ok(());
    }
    let megabytes = |bytes: usize| bytes.div_ceil(1_000_000);
    let detail = format!(
        "the sound has {} MB, and at most {} MB are taken",
        megabytes(length),
        megabytes(longest)
    );
    Err(ProviderError::new(ProviderFault::Rejected, detail))
}

/// The name for a file of a type, for servers that tell types by names.
pub(crate) fn file_name(mime: &str) -> String {
    let kind = essence(mime);
    let ending = match kind.as_str() {
        "audio/ogg" | "audio/opus" | "application/ogg" | "video/ogg" => "ogg",
        "audio/mpeg" | "audio/mp3" | "audio/mpga" => "mp3",
        "audio/mp4" | "audio/m4a" | "audio/x-m4a" | "audio/aac" => "m4a",
        "audio/wav" | "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "wav",
        "audio/flac" | "audio/x-flac" => "flac",
        "audio/webm" | "video/webm" => "webm",
        "video/mp4" => "mp4",
        _ => "bin",
    };
    format!("sound.{ending}")
}

/// A type without its parameters, in lower case.
pub(crate) fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_lowercase()
}

#[cfg(test)]
mod tests;
