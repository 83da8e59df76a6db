//! Writes what has to stand before the rest of a cut source, so that the rest is read as it was.

use pulldown_cmark::{CodeBlockKind, Event, Tag};
use tertulia_message::Markup;

use crate::markdown;

use super::border::Border;
use super::open::{Open, Stack};
use super::text_borders::fence;
use super::{Weigh, Window};

/// A lead longer than this (a fence of thousands of signs) is not worth repeating; in bytes.
const LONGEST: usize = 1024;

/// The lead of the part after a border; empty if it would take more than half of the part.
pub(super) fn lead(window: &Window<'_>, border: &Border, limit: usize, weigh: Weigh<'_>) -> String {
    let stack = Stack::before(window.events, border.resume);
    let mut writer = Writer {
        window,
        line: String::new(),
        next: String::new(),
        done: String::new(),
    };
    for (index, open) in stack.0.iter().enumerate() {
        writer.open(open, index.checked_sub(1).and_then(|parent| stack.0.get(parent)));
    }
    if begins_block(window, border) {
        writer.indent(border.cut.at);
    }
    let lead = writer.done + &writer.line;
    let bare = weigh(&Markup::text("x"));
    let cost = weigh(&markdown::parse(&format!("{lead}x"))).saturating_sub(bare);
    if lead.len() > LONGEST.max(limit) || cost > limit / 2 {
        String::new()
    } else {
        lead
    }
}

/// True if the part begins with a block, whose column in its line matters.
fn begins_block(window: &Window<'_>, border: &Border) -> bool {
    let Some((Event::Start(tag), _)) = window.events.get(border.resume) else {
        return false;
    };
    matches!(
        tag,
        Tag::Paragraph | Tag::List(_) | Tag::CodeBlock(_) | Tag::BlockQuote(_)
    )
}

/// The lead in the making: lines that are finished, the current line, and how a next line would begin.
struct Writer<'a> {
    window: &'a Window<'a>,
    line: String,
    next: String,
    done: String,
}

impl Writer<'_> {
    fn open(&mut self, open: &Open<'_>, parent: Option<&Open<'_>>) {
        // the range of a nested item begins with its indentation
        let written = self.at(open.at);
        let blanks = written.len() - written.trim_start_matches([' ', '\t']).len();
        let open = &Open {
            at: open.at + blanks,
            ..*open
        };
        match open.tag {
            Tag::BlockQuote(_) => {
                self.indent(open.at);
                self.line.push_str("> ");
                self.next.push_str("> ");
            }
            Tag::Item => self.item(open, parent),
            Tag::Heading { level, .. } if self.at(open.at).starts_with('#') => {
                self.line.push_str(&"#".repeat(*level as usize));
                self.line.push(' ');
            }
            Tag::CodeBlock(kind) => self.code(open, kind),
            Tag::Table(_) => self.table(open),
            Tag::Emphasis => self.copy(open.at, 1),
            // the latter is a spoiler
            Tag::Strong | Tag::Superscript => self.copy(open.at, 2),
            Tag::Strikethrough => {
                let length = self.at(open.at).chars().take_while(|c| *c == '~').count();
                self.copy(open.at, length);
            }
            _ => {}
        }
    }

    fn item(&mut self, open: &Open<'_>, list: Option<&Open<'_>>) {
        self.indent(open.at);
        let written = self.at(open.at).split(char::is_whitespace).next().unwrap_or_default();
        let marker = match list {
            Some(Open {
                tag: Tag::List(Some(first)),
                held,
                ..
            }) => {
                let nth = u64::try_from(held.saturating_sub(1)).unwrap_or_default();
                let sign = written.chars().next_back().unwrap_or('.');
                format!("{}{sign}", first.saturating_add(nth))
            }
            _ => written.chars().take(1).collect(),
        };
        self.line.push_str(&marker);
        self.line.push(' ');
        let content = self
            .window
            .events
            .get(open.event + 1)
            .map_or(open.at, |(_, range)| range.start);
        if content < open.at + marker.len() + 5 {
            self.indent(content);
        }
        self.next
            .push_str(&" ".repeat(self.line.len().saturating_sub(self.next.len())));
    }

    fn code(&mut self, open: &Open<'_>, kind: &CodeBlockKind<'_>) {
        self.indent(open.at);
        if let Some((sign, length)) = fence(open.tag, self.window.source, open.at) {
            let indent = " ".repeat(self.line.len().saturating_sub(self.next.len()));
            self.next.push_str(&indent);
            self.line.extend(std::iter::repeat_n(sign, length));
            self.line.push_str(markdown::language(kind));
            self.end_line();
        }
    }

    fn table(&mut self, open: &Open<'_>) {
        let head = self.at(open.at);
        let end = head.match_indices('\n').nth(1).map_or(head.len(), |(end, _)| end);
        let head = head.get(..end).unwrap_or_default().to_owned();
        self.line.push_str(&head);
        self.end_line();
    }

    fn end_line(&mut self) {
        self.line.push('\n');
        self.done.push_str(&self.line);
        self.line.clone_from(&self.next);
    }

    /// Fills the line up to the column that a place has in its own line, by no more than leaves its meaning.
    fn indent(&mut self, place: usize) {
        let before = self.window.source.get(..place).unwrap_or_default();
        let column = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
        let missing = column.saturating_sub(self.line.len());
        if missing <= 3 {
            self.line.push_str(&" ".repeat(missing));
        }
    }

    fn copy(&mut self, at: usize, length: usize) {
        let delimiter: String = self.at(at).chars().take(length).collect();
        self.line.push_str(&delimiter);
    }

    fn at(&self, at: usize) -> &str {
        self.window.source.get(at..).unwrap_or_default()
    }
}
