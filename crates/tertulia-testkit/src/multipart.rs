//! Bodies of several parts, as browsers and HTTP clients write them.

use percent_encoding::percent_decode_str;

/// One part: a text, or a file.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) file: Option<Upload>,
}

/// A file that came with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upload {
    pub(crate) name: String,
    pub(crate) mime: String,
    pub(crate) bytes: Vec<u8>,
}

/// The parts of a body; nothing if it is not well-formed.
pub(crate) fn parts(content_type: &str, body: &[u8]) -> Option<Vec<Part>> {
    let boundary = attribute(content_type, "boundary")?;
    let separator = format!("\r\n--{boundary}").into_bytes();
    let mut rest = body.strip_prefix(format!("--{boundary}").as_bytes())?;
    let mut parts = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Some(parts);
        }
        rest = rest.strip_prefix(b"\r\n")?;
        let (whole, behind) = split(rest, &separator)?;
        parts.push(part(whole)?);
        rest = behind;
    }
}

fn part(whole: &[u8]) -> Option<Part> {
    let (head, body) = split(whole, b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(head);
    let field = |wanted: &str| {
        head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.trim()
                .eq_ignore_ascii_case(wanted)
                .then(|| value.trim().to_owned())
        })
    };
    let disposition = field("content-disposition")?;
    let file = attribute(&disposition, "filename").map(|name| Upload {
        name,
        mime: field("content-type").unwrap_or_default(),
        bytes: body.to_vec(),
    });
    Some(Part {
        name: attribute(&disposition, "name")?,
        text: String::from_utf8_lossy(body).into_owned(),
        file,
    })
}

/// `; name="value"`, with or without quotation marks, or `; name*=utf-8''value` with percent signs.
fn attribute(header: &str, name: &str) -> Option<String> {
    header.split(';').skip(1).find_map(|attribute| {
        let (key, value) = attribute.split_once('=')?;
        let (key, value) = (key.trim(), value.trim());
        if let Some(encoded) = value.strip_prefix("utf-8''") {
            let is_it = key.trim_end_matches('*').eq_ignore_ascii_case(name);
            return is_it.then(|| percent_decode_str(encoded).decode_utf8_lossy().into_owned());
        }
        let is_it = key.eq_ignore_ascii_case(name);
        is_it.then(|| value.trim_matches('"').to_owned())
    })
}

fn split<'a>(bytes: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let place = bytes.windows(at.len()).position(|window| window == at)?;
    let (before, behind) = bytes.split_at(place);
    Some((before, behind.get(at.len()..)?))
}
