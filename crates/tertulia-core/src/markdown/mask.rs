//! Reads a source again with some of its bytes hidden from the parser, and every place kept.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use super::{Located, read};

/// Bytes that the parser shall take for letters.
#[derive(Clone)]
pub(super) struct Mask<'a> {
    pub(super) range: Range<usize>,
    /// What is there instead of text.
    pub(super) shown: Option<Event<'a>>,
}

/// The events of a source behind masks, which are in its order and do not overlap; `None` if something else than
/// running text lies behind one of them.
pub(super) fn read_masked<'a>(source: &'a str, masks: &[Mask<'a>]) -> Option<Vec<Located<'a>>> {
    let mut bytes = source.as_bytes().to_vec();
    for mask in masks {
        bytes.get_mut(mask.range.clone())?.fill(b'x');
    }
    let hidden = String::from_utf8(bytes).ok()?;
    let mut events = Vec::new();
    for (event, range) in read(&hidden) {
        let behind = masks_in(masks, &range);
        match event {
            Event::Text(text) if hidden.get(range.clone()) == Some(&*text) => {
                unmask(source, range, behind, &mut events);
            }
            event if has_content(&event) && !behind.is_empty() => return None,
            event => events.push((event.into_static(), range)),
        }
    }
    Some(events)
}

/// The masks that hide a part of the range.
fn masks_in<'m, 'a>(masks: &'m [Mask<'a>], range: &Range<usize>) -> &'m [Mask<'a>] {
    let first = masks.partition_point(|mask| mask.range.end <= range.start);
    let end = masks.partition_point(|mask| mask.range.start < range.end);
    masks.get(first..end).unwrap_or_default()
}

/// True if a part of the source is in the event itself.
fn has_content(event: &Event<'_>) -> bool {
    match event {
        Event::Start(tag) => matches!(tag, Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_)),
        Event::End(_) | Event::SoftBreak | Event::HardBreak | Event::Rule | Event::TaskListMarker(_) => false,
        _ => true,
    }
}

fn unmask<'a>(source: &'a str, range: Range<usize>, masks: &[Mask<'a>], events: &mut Vec<Located<'a>>) {
    let text = |range: Range<usize>| {
        let text = source.get(range.clone()).unwrap_or_default();
        (!text.is_empty()).then(|| (Event::Text(text.into()), range))
    };
    let mut at = range.start;
    for mask in masks {
        if let Some(shown) = &mask.shown {
            events.extend(text(at..mask.range.start));
            events.push((shown.clone(), mask.range.clone()));
            at = mask.range.end;
        }
    }
    events.extend(text(at..range.end));
}
