//! How wide and high a picture is, read from its first bytes: clients leave room for it before they have it.

/// Larger numbers are a mistake.
const LARGEST: u32 = 1 << 16;

/// Width and height in pixels; none for what is no picture of a known kind.
#[must_use]
pub(super) fn size(mime: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    if !mime.starts_with("image/") {
        return None;
    }
    let (width, height) = png(bytes)
        .or_else(|| gif(bytes))
        .or_else(|| webp(bytes))
        .or_else(|| jpeg(bytes))?;
    let is_one = |length: u32| (1..=LARGEST).contains(&length);
    (is_one(width) && is_one(height)).then_some((width, height))
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let size = |at| Some(u32::from_be_bytes(array(rest, at)?));
    Some((size(8)?, size(12)?))
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    let rest = bytes
        .strip_prefix(b"GIF87a")
        .or_else(|| bytes.strip_prefix(b"GIF89a"))?;
    let size = |at| Some(u32::from(u16::from_le_bytes(array(rest, at)?)));
    Some((size(0)?, size(2)?))
}

/// The three kinds of WebP have their size at different places.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let [riff, webp, kind] = [0, 8, 12].map(|at| array::<4>(bytes, at));
    if riff? != *b"RIFF" || webp? != *b"WEBP" {
        return None;
    }
    let short = |at| Some(u32::from(u16::from_le_bytes(array(bytes, at)?)));
    match &kind? {
        b"VP8 " => Some((short(26)? & 0x3fff, short(28)? & 0x3fff)),
        b"VP8L" => {
            let packed = u32::from_le_bytes(array(bytes, 21)?);
            Some(((packed & 0x3fff) + 1, (packed >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => {
            let three = |at| {
                let [a, b, c] = array(bytes, at)?;
                Some(u32::from_le_bytes([a, b, c, 0]) + 1)
            };
            Some((three(24)?, three(27)?))
        }
        _ => None,
    }
}

/// A JPEG is a row of segments, of which one has the size.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        let [mark, kind] = array(rest, 0)?;
        if mark != 0xff {
            return None;
        }
        let is_frame = matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc);
        if is_frame {
            let size = |at| Some(u32::from(u16::from_be_bytes(array(rest, at)?)));
            return Some((size(7)?, size(5)?));
        }
        let length = match kind {
            0xff => 0,
            _ => usize::from(u16::from_be_bytes(array(rest, 2)?)),
        };
        let next = if kind == 0xff { 1 } else { length.max(2) + 2 };
        rest = rest.get(next..)?;
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pictures_tell_their_size() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x02\0\0\0\x07\x08\x06";
        assert_eq!(size("image/png", png), Some((258, 7)));
        assert_eq!(size("image/gif", b"GIF89a\x03\0\x02\x01\0"), Some((3, 258)));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xdb\0\x03x\xff\xc2\0\x0b\x08\0\x05\x01\0\x03";
        assert_eq!(size("image/jpeg", jpeg), Some((256, 5)));
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x10\0\x20\0";
        assert_eq!(size("image/webp", lossy), Some((16, 32)));
        let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x0f\xc0\x07\0";
        assert_eq!(size("image/webp", lossless), Some((16, 32)));
        let extended = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x0f\0\0\x1f\0\0";
        assert_eq!(size("image/webp", extended), Some((16, 32)));
    }

    #[test]
    fn what_is_none_has_no_size() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\x07";
        assert_eq!(size("image/png", png), None);
        assert_eq!(size("text/plain", b"GIF89a\x03\0\x02\0"), None);
        assert_eq!(size("image/svg+xml", b"<svg/>"), None);
    }

    proptest! {
        #[test]
        fn nothing_breaks_it(start in prop_oneof![Just(&b"\xff\xd8"[..]), Just(&b"RIFF\0\0\0\0WEBPVP8 "[..]),
            Just(&b"\x89PNG\r\n\x1a\n"[..]), Just(&b""[..])], rest in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = size("image/x", &[start, &rest].concat());
        }
    }
}
