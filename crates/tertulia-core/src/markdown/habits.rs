//! Reads what models write by habit as they mean it, where `CommonMark` reads it otherwise.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

use super::{Located, is_wrapper};

/// The events of a source with its habits understood.
///
/// A line of dashes below a text is a rule and makes no heading, a single tilde strikes nothing out, and the
/// line break of HTML is one.
pub(super) fn understand<'a>(source: &'a str, events: Vec<Located<'a>>) -> Vec<Located<'a>> {
    let mut reader = Reader {
        source,
        understood: Vec::with_capacity(events.len()),
        is_in_cell: false,
        is_after_break: false,
    };
    let mut events = events.into_iter().peekable();
    while let Some((event, range)) = events.next() {
        let is_before_break = matches!(events.peek(), Some((Event::SoftBreak | Event::HardBreak, _)));
        reader.read(event, range, is_before_break);
    }
    reader.understood
}

struct Reader<'a> {
    source: &'a str,
    understood: Vec<Located<'a>>,
    is_in_cell: bool,
    is_after_break: bool,
}

impl<'a> Reader<'a> {
    fn read(&mut self, event: Event<'a>, range: Range<usize>, is_before_break: bool) {
        let is_after_break = std::mem::take(&mut self.is_after_break);
        match event {
            Event::Start(Tag::Heading {
                level: HeadingLevel::H2,
                ..
            }) if let Some(dashes) = self.dashes(&range) => {
                self.push(Event::Start(Tag::Paragraph), range.start..dashes.start);
            }
            Event::End(TagEnd::Heading(HeadingLevel::H2)) if let Some(dashes) = self.dashes(&range) => {
                self.underline(range.start, dashes);
            }
            Event::Start(Tag::Strikethrough) if self.is_single(&range) => {
                self.text(range.start..range.start.saturating_add(1));
            }
            Event::End(TagEnd::Strikethrough) if self.is_single(&range) => {
                self.text(range.end.saturating_sub(1)..range.end);
            }
            Event::InlineHtml(html) if is_break(&html) => self.line_break(range, is_before_break),
            Event::Html(html) if is_break(&html) => {}
            Event::Text(text) if is_after_break && self.at(&range) == &*text => {
                let blanks = text.len() - text.trim_start_matches([' ', '\t']).len();
                self.text(range.start + blanks..range.end);
            }
            event => {
                match event {
                    Event::Start(Tag::TableCell) => self.is_in_cell = true,
                    Event::End(TagEnd::TableCell) => self.is_in_cell = false,
                    _ => {}
                }
                self.push(event, range);
            }
        }
    }

    /// The line of dashes below a text, if that is what makes this a heading.
    fn dashes(&self, heading: &Range<usize>) -> Option<Range<usize>> {
        let whole = self.at(heading).trim_end();
        let text = whole.trim_end_matches('-');
        let is_below = text.len() < whole.len() && text.contains('\n');
        is_below.then(|| heading.start + text.len()..heading.start + whole.len())
    }

    /// Ends the paragraph above a line of dashes. Fewer than three are no rule; a list may begin there.
    fn underline(&mut self, start: usize, dashes: Range<usize>) {
        let paragraph = start..dashes.start;
        if dashes.len() < 3 {
            let above = self.at(&paragraph).trim_end().len();
            self.push(Event::SoftBreak, start + above..dashes.start);
            self.text(dashes);
            self.push(Event::End(TagEnd::Paragraph), paragraph);
        } else {
            self.push(Event::End(TagEnd::Paragraph), paragraph);
            self.push(Event::Rule, dashes);
        }
    }

    fn is_single(&self, strike: &Range<usize>) -> bool {
        !self.at(strike).starts_with("~~")
    }

    /// A line break; a cell of a table has but one line, so that it gets a sign there.
    fn line_break(&mut self, range: Range<usize>, is_before_break: bool) {
        if self.is_in_cell {
            let before = self.source.get(..range.start).unwrap_or_default();
            let is_in_words = before.trim_end().ends_with(char::is_alphanumeric);
            self.push(Event::Text(if is_in_words { "; " } else { " " }.into()), range);
        } else if !is_before_break && !self.is_at_start() {
            self.push(Event::HardBreak, range);
        }
        self.is_after_break = true;
    }

    /// True if nothing was said yet in the paragraph.
    fn is_at_start(&self) -> bool {
        matches!(self.understood.last(), Some((Event::Start(tag), _)) if !is_wrapper(tag))
    }

    fn text(&mut self, range: Range<usize>) {
        let text = self.source.get(range.clone()).unwrap_or_default();
        if !text.is_empty() {
            self.push(Event::Text(text.into()), range);
        }
    }

    fn push(&mut self, event: Event<'a>, range: Range<usize>) {
        self.understood.push((event, range));
    }

    fn at(&self, range: &Range<usize>) -> &'a str {
        self.source.get(range.clone()).unwrap_or_default()
    }
}

/// True for the tag of a line break, however it is written.
fn is_break(html: &str) -> bool {
    let name = html
        .trim()
        .strip_prefix('<')
        .and_then(|tag| tag.strip_suffix('>'))
        .map(|tag| tag.trim_matches(['/', ' ', '\t']));
    name.is_some_and(|name| name.eq_ignore_ascii_case("br"))
}
