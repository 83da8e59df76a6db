//! Finds the borders of a Markdown source.

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::markdown::{self, Cut, Located};

use super::Window;
use super::border::{Border, Kind};
use super::open::Stack;
use super::text_borders;

/// All borders of a window in the order of the text: none before anything of the part, none after which nothing
/// would be left.
pub(super) fn borders(window: &Window<'_>) -> Vec<Border> {
    let mut finder = Finder {
        window,
        stack: Stack::default(),
        found: Vec::new(),
        pending: None,
    };
    for (index, located) in window.events.iter().enumerate() {
        finder.visit(index, located);
        finder.stack.pass(index, located);
    }
    let lead = window.lead.len();
    let first = lead + window.rest.len() - window.rest.trim_start().len();
    let last = lead + window.rest.trim_end().len();
    let mut found = finder.found;
    found.retain(|border| border.cut.at > first && border.cut.at < last);
    found.sort_by_key(|border| (border.cut.at, border.kind));
    found.dedup_by_key(|border| border.cut.at);
    found
}

struct Finder<'a> {
    window: &'a Window<'a>,
    stack: Stack<'a>,
    found: Vec<Border>,
    /// A border whose place is where the next content begins: after the markers of an item or a line.
    pending: Option<Pending>,
}

/// A border whose place is not known yet.
#[derive(Clone, Copy)]
struct Pending {
    /// The event before which the part ends.
    stop: usize,
    /// True between the lines of running text; what comes next was no block only because a line stood before it.
    is_in_text: bool,
}

impl<'a> Finder<'a> {
    fn visit(&mut self, index: usize, located: &'a Located<'a>) {
        let (event, range) = located;
        if matches!(event, Event::End(_)) {
            self.pending = None;
            return;
        }
        match event {
            Event::Start(Tag::Item) => {
                let is_first = self.stack.top().is_some_and(|list| list.held == 0);
                if !is_first {
                    self.pend(index, false);
                }
                return;
            }
            Event::SoftBreak | Event::HardBreak => {
                if !self.stack.is_locked() {
                    self.pend(index, true);
                }
                return;
            }
            _ => {}
        }
        if let Some(Pending { stop, is_in_text }) = self.pending.take() {
            let rest = self.window.source.get(range.start..).unwrap_or_default();
            let is_risky = is_in_text && text_borders::begins_block(rest);
            self.push(Border {
                cut: Cut { stop, at: range.start },
                kind: if is_risky { Kind::Risky } else { Kind::Line },
                resume: index,
            });
        }
        match event {
            Event::Start(tag) => self.start(index, tag, range.start),
            Event::Rule => self.block(index, range.start),
            Event::Html(_) => self.push(line(index, range.start)),
            Event::Text(text) if !self.stack.is_locked() => {
                text_borders::find(self.window, &self.stack, index, text, &mut self.found);
            }
            _ => {}
        }
    }

    fn start(&mut self, index: usize, tag: &Tag<'_>, at: usize) {
        match tag {
            Tag::TableRow => {
                // a head without rows is no table
                let is_first = self.stack.top().is_some_and(|table| table.held <= 1);
                if !is_first {
                    self.push(line(index, at));
                }
            }
            Tag::TableHead | Tag::TableCell => {}
            wrapper if markdown::is_wrapper(wrapper) => {}
            _ => self.block(index, at),
        }
    }

    /// A border before a block.
    fn block(&mut self, index: usize, at: usize) {
        if !self.stack.0.is_empty() {
            self.push(line(index, at));
            return;
        }
        let before = index.checked_sub(1).and_then(|before| self.window.events.get(before));
        let is_headed = matches!(before, Some((Event::End(TagEnd::Heading(_)), _)));
        let kind = if is_headed { Kind::Space } else { Kind::Block };
        let at = line_start(self.window.source, at);
        self.push(Border {
            cut: Cut { stop: index, at },
            kind,
            resume: index,
        });
    }

    fn pend(&mut self, stop: usize, is_in_text: bool) {
        self.pending.get_or_insert(Pending { stop, is_in_text });
    }

    fn push(&mut self, border: Border) {
        self.found.push(border);
    }
}

fn line(index: usize, at: usize) -> Border {
    Border {
        cut: Cut { stop: index, at },
        kind: Kind::Line,
        resume: index,
    }
}

/// The start of the line if there are only blanks before `at`.
fn line_start(source: &str, at: usize) -> usize {
    source
        .get(..at)
        .map_or(at, |before| before.trim_end_matches([' ', '\t']).len())
        .max(
            source
                .get(..at)
                .and_then(|before| before.rfind('\n'))
                .map_or(0, |end| end + 1),
        )
}
