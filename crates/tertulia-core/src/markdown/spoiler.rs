//! Finds text between double bars, which is hidden until it is asked for.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::Located;
use super::prose::{Place, Prose, is_escaped, walk};

/// The tag that stands for a spoiler, of which the parser knows nothing; it is never asked for superscript.
pub(super) const TAG: Tag<'static> = Tag::Superscript;
const TAG_END: TagEnd = TagEnd::Superscript;

/// Puts the tags of spoilers into the events of a source.
pub(super) fn mark<'a>(source: &'a str, events: Vec<Located<'a>>) -> Vec<Located<'a>> {
    if !source.contains("||") {
        return events;
    }
    let tags = pairs(&bars(source, &events));
    if tags.is_empty() {
        return events;
    }
    let mut tags = tags.into_iter().peekable();
    let mut marked = Vec::with_capacity(events.len() + 2);
    for (index, (event, range)) in events.into_iter().enumerate() {
        let mut at = range.start;
        while let Some(tag) = tags.next_if(|tag| tag.event == index) {
            marked.extend(text(source, at..tag.at));
            at = tag.at + 2;
            marked.push((tag.tag, tag.spoiler));
        }
        if at == range.start {
            marked.push((event, range));
        } else {
            marked.extend(text(source, at..range.end));
        }
    }
    marked
}

fn text(source: &str, range: Range<usize>) -> Option<Located<'_>> {
    let text = source.get(range.clone())?;
    (!text.is_empty()).then(|| (Event::Text(text.into()), range))
}

/// Two bars.
struct Bars {
    event: usize,
    at: usize,
    place: Place,
    opens: bool,
    closes: bool,
}

fn bars<'a>(source: &'a str, events: &[Located<'a>]) -> Vec<Bars> {
    let mut all = Vec::new();
    walk(source, events, |prose, place, event, range| {
        let Prose::Text(text) = prose else { return };
        let escaped = usize::from(is_escaped(source, range.start) && text.starts_with('|'));
        for (offset, _) in text.match_indices("||").filter(|(offset, _)| *offset >= escaped) {
            let at = range.start + offset;
            let before = source.get(..at).and_then(|before| before.chars().next_back());
            let after = source.get(at + 2..).and_then(|after| after.chars().next());
            let is_outside =
                |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric() && !matches!(c, '|' | '(' | ')'));
            let is_inside = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace() && c != '|');
            all.push(Bars {
                event,
                at,
                place,
                opens: is_outside(before) && is_inside(after),
                closes: is_inside(before) && is_outside(after),
            });
        }
    });
    all
}

/// A tag in the place of bars.
struct Found {
    event: usize,
    at: usize,
    tag: Event<'static>,
    spoiler: Range<usize>,
}

/// Pairs bars that are in one line and in the same emphasis.
fn pairs(bars: &[Bars]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut open: Option<&Bars> = None;
    for bars in bars {
        let is_beside = |open: &&Bars| open.place.line == bars.place.line && open.place.parent == bars.place.parent;
        if let Some(open) = open.take_if(|open| bars.closes && is_beside(open)) {
            let spoiler = open.at..bars.at + 2;
            for (bars, tag) in [(open, Event::Start(TAG)), (bars, Event::End(TAG_END))] {
                found.push(Found {
                    event: bars.event,
                    at: bars.at,
                    tag,
                    spoiler: spoiler.clone(),
                });
            }
        } else if bars.opens {
            open = Some(bars);
        }
    }
    found
}
