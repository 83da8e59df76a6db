//! Messages that are no text, told as text.

use super::event::Event;
use super::people::clean;
use crate::fields::Fields;

/// The most options of a poll that are told.
const MOST_OPTIONS: usize = 20;

/// A place on the map.
pub(super) fn of_location(content: &Fields<'_>) -> Option<String> {
    let place = content
        .text("geo_uri")
        .map(|place| clean(&place))
        .filter(|place| !place.is_empty());
    let words = content.text("body").map(|body| clean(&body)).unwrap_or_default();
    Some(match (place, words.is_empty()) {
        (Some(place), true) => format!("[location: {place}]"),
        (Some(place), false) => format!("[location: {place}, {words}]"),
        (None, false) => format!("[location: {words}]"),
        (None, true) => return None,
    })
}

/// A question with answers to choose from.
pub(super) fn of_poll(event: &Event<'_>) -> Option<String> {
    let stable = event.content.object("m.poll");
    let poll = if stable.is_empty() {
        event.content.object("org.matrix.msc3381.poll.start")
    } else {
        stable
    };
    let question = words(&poll.object("question"))?;
    let options = poll.objects("answers");
    let options: Vec<String> = options.iter().take(MOST_OPTIONS).filter_map(words).collect();
    Some(format!("[poll: {question} ({})]", options.join(" / ")))
}

/// A text in one of the forms that extensible events have had.
fn words(fields: &Fields<'_>) -> Option<String> {
    let blocks = fields.objects("m.text");
    let block = blocks.iter().find_map(|block| block.text("body"));
    let plain = || fields.text("m.text").or_else(|| fields.text("org.matrix.msc1767.text"));
    let text = block.or_else(plain).or_else(|| fields.text("body"))?;
    Some(clean(&text)).filter(|text| !text.is_empty())
}
