//! Pictures in a request: base64, bare or as a data address.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;
use tertulia_message::Picture;

use super::fields::Fields;
use crate::refusal::Refusal;

/// Padding is optional: clients differ.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The pictures in the field `images`.
pub(super) fn read(fields: &Fields<'_>) -> Result<Vec<Picture>, Refusal> {
    let images = fields.list("images", "[]api.ImageData")?;
    let text = |image: &Value| match image {
        Value::String(text) => picture(text),
        other => Err(fields.wrong("images", other, "api.ImageData")),
    };
    images.iter().map(text).collect()
}

fn picture(text: &str) -> Result<Picture, Refusal> {
    let data = match text.strip_prefix("data:") {
        Some(address) => address.split_once(";base64,").map(|(_, data)| data),
        None => Some(text),
    };
    let data = data.ok_or_else(|| Refusal::bad("an image's data address must be base64"))?;
    let data: Vec<u8> = data.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let bytes = LENIENT
        .decode(data)
        .map_err(|_| Refusal::bad("illegal base64 data in an image"))?;
    let mime = mime(&bytes).ok_or_else(|| Refusal::bad("an image is of no known type"))?;
    Ok(Picture {
        mime: mime.to_owned(),
        bytes: bytes.into(),
    })
}

/// The type by the first bytes: what a client says about it is not needed.
fn mime(bytes: &[u8]) -> Option<&'static str> {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    let signatures: [(&[u8], &str); 6] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"BM", "image/bmp"),
        (b"II*\0", "image/tiff"),
    ];
    let known = signatures
        .iter()
        .find(|(start, _)| bytes.starts_with(start))
        .map(|(_, mime)| *mime);
    known.or_else(|| is_webp.then_some("image/webp"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(
            picture(text).ok().map(|picture| picture.mime).as_deref(),
            expected,
            "{text}"
        );
    }

    #[test]
    fn the_type_is_in_the_bytes() {
        check("iVBORw0KGgo=", Some("image/png"));
        check("iVBORw0KGgo", Some("image/png"));
        check("iVBO\r\nRw0KGgo=", Some("image/png"));
        check("data:image/jpeg;base64,iVBORw0KGgo=", Some("image/png"));
        check("/9j/4AAQ", Some("image/jpeg"));
        check("R0lGODlhAQ==", Some("image/gif"));
        check("UklGRgAAAABXRUJQ", Some("image/webp"));
        for wrong in ["", "aGVsbG8=", "no base64!", "data:image/png,x", "http://x/y.png"] {
            check(wrong, None);
        }
    }
}
