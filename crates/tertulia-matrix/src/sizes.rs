//! How large a message may be: by the bytes of the event that holds it twice, as an edit does.

use std::time::Duration;

use tertulia_message::{Limits, Markup, Pace, Progress, Reach, TextLimit};

use crate::config::Stream;
use crate::render::{Rendered, render};

/// What a server takes at most of a whole event, in bytes of its JSON.
pub(crate) const LARGEST_EVENT: usize = 65_536;
/// What the server puts around a content, in bytes: sender, room, hashes, signatures, and the events before it.
const AROUND: usize = 2_500;
/// What is in a content besides its texts, in bytes: names of fields, ids, the relation at its longest.
const FIELDS: usize = 2_500;
/// What encryption puts around the content before it is made a third larger, in bytes: type and room, padding, signature.
const ENCRYPTED: usize = 2_000;
/// The most that is weighed for a message in a room without encryption.
const PLAIN: usize = LARGEST_EVENT - AROUND - FIELDS;
/// The most that is weighed for a message in an encrypted room: what the message relates to stands outside of the ciphertext too.
const SEALED: usize = (LARGEST_EVENT - AROUND - FIELDS) / 4 * 3 - ENCRYPTED - FIELDS;

/// The shortest time between two edits until the server has said that it takes fewer. Edits count as messages.
const PACE: Pace = Pace {
    every: Duration::from_secs(1),
    growth: 40,
};

/// The measure of Matrix: the bytes of the texts as they stand in the JSON of an edit, which holds each of them twice.
#[must_use]
pub(crate) fn weigh(markup: &Markup) -> usize {
    weight(&render(markup))
}

fn weight(rendered: &Rendered) -> usize {
    let texts = [Some(&rendered.body), rendered.html.as_ref()];
    let texts: usize = texts.into_iter().flatten().map(|text| written(text)).sum();
    let mentions: usize = rendered.mentions.iter().map(|id| written(id) + 3).sum();
    2 * texts + mentions
}

/// How many bytes a text has in JSON, without its quotation marks.
fn written(text: &str) -> usize {
    let bytes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\t' | b'\r' | 8 | 12 => 2,
        0..=31 => 6,
        _ => 1,
    });
    bytes.sum()
}

/// The limits of a conversation in a room; `every` is the pace that the server was found to take, if slower than ours.
#[must_use]
pub(crate) fn limits(is_encrypted: bool, stream: Stream, every: Duration) -> Limits {
    let most = if is_encrypted { SEALED } else { PLAIN };
    Limits {
        text: TextLimit::Bytes(most),
        weigh,
        // a file is an event of its own, so that the text behind it can be edited alone
        caption: 0,
        files: 1,
        progress: match stream {
            Stream::Edit => Progress::Edit,
            Stream::Off => Progress::Hidden,
        },
        pace: Pace {
            every: every.max(PACE.every),
            ..PACE
        },
        keyed: true,
        reach: Reach::Always,
        threads: true,
        buttons: false,
    }
}

#[cfg(test)]
mod tests;
