//! The text in the making, with the styles of its runs.

use std::mem;
use std::ops::Range;

use super::chars::{self, RING};
use super::entities::{self, Piece};
use super::links::Target;

pub(super) const BOLD: u8 = 1;
pub(super) const ITALIC: u8 = 2;
pub(super) const STRIKE: u8 = 4;
pub(super) const SPOILER: u8 = 8;

/// How a run of text is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Style {
    /// Emphases, which may overlap.
    pub(super) emphasis: u8,
    /// The atom that the run is a part of.
    pub(super) atom: Option<usize>,
}

impl Style {
    /// The same with one more emphasis.
    pub(super) fn with(self, emphasis: u8) -> Self {
        Self {
            emphasis: self.emphasis | emphasis,
            ..self
        }
    }

    pub(super) fn has(self, emphasis: u8) -> bool {
        self.emphasis & emphasis != 0
    }
}

/// What does not overlap with its like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Atom {
    /// Code in running text.
    Code,
    /// A block of code, with its language.
    Pre(Option<String>),
    /// A link or a mention.
    Link(Target),
}

/// A piece of text with one style; ranges are in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) range: Range<usize>,
    pub(super) style: Style,
}

/// The text in the making.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    /// Line breaks that are written when something follows.
    breaks: usize,
    /// True if the prefix is written on the current line.
    is_begun: bool,
    /// How each line begins: the indentation of a list, the marks of a quotation.
    pub(super) prefix: String,
    /// How many quotations are open.
    pub(super) quoted: usize,
    /// The runs that have a style.
    runs: Vec<Run>,
    atoms: Vec<Atom>,
    quotes: Vec<Range<usize>>,
}

impl Writer {
    pub(super) fn atom(&mut self, atom: Atom) -> usize {
        self.atoms.push(atom);
        self.atoms.len() - 1
    }

    /// How much is written, in bytes.
    pub(super) fn length(&self) -> usize {
        self.text.len()
    }

    /// Asks for at least this many line breaks before what follows.
    pub(super) fn gap(&mut self, breaks: usize) {
        self.breaks = self.breaks.max(breaks);
    }

    /// Adds running text.
    pub(super) fn write(&mut self, text: &str, style: Style) {
        let mut start = None;
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let plain = rest.find(chars::needs_care).unwrap_or(rest.len());
            let (plain, after) = rest.split_at_checked(plain).unwrap_or((rest, ""));
            // blanks at the start of a text are not kept by Telegram
            let shown = if self.text.is_empty() {
                plain.trim_start_matches(' ')
            } else {
                plain
            };
            if !shown.is_empty() {
                self.start_line();
                start.get_or_insert(self.text.len());
                self.text.push_str(shown);
            }
            rest = after;
            if plain.is_empty() {
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
                self.write_one(next, &mut start);
            }
        }
        if let Some(start) = start {
            self.run(start, style);
        }
    }

    /// Adds a character that Telegram does not take as it is.
    fn write_one(&mut self, c: char, start: &mut Option<usize>) {
        match chars::clean(c) {
            None if c == RING && start.is_some() => {
                if let Some(letter) = self.text.chars().next_back().and_then(chars::with_ring) {
                    self.text.pop();
                    self.text.push(letter);
                }
            }
            None => {}
            Some('\n') => self.breaks += 1,
            Some(' ') if self.text.is_empty() => {}
            Some(c) => {
                self.start_line();
                start.get_or_insert(self.text.len());
                self.text.push(c);
            }
        }
    }

    /// Adds lines of code in an entity of their own, without the prefix.
    pub(super) fn pre(&mut self, language: Option<String>, text: &str) {
        let text = chars::code(text);
        let text: String = text.chars().filter_map(chars::clean).collect();
        let body = text.trim_end();
        let blank = body.len() - body.trim_start().len();
        let first = body.get(..blank).and_then(|before| before.rfind('\n'));
        let body = body.get(first.map_or(0, |end| end + 1)..).unwrap_or(body);
        if body.is_empty() {
            return;
        }
        let prefix = mem::take(&mut self.prefix);
        self.start_line();
        self.prefix = prefix;
        let start = self.text.len();
        self.text.push_str(body);
        let atom = self.atom(Atom::Pre(language));
        let style = Style {
            atom: Some(atom),
            ..Style::default()
        };
        self.run(start, style);
    }

    /// Has something written inside of a quotation; what needs a line of its own must have asked for it.
    pub(super) fn quotation(&mut self, write: impl FnOnce(&mut Self)) {
        let before = (self.text.len(), self.breaks, self.is_begun);
        let prefix = mem::take(&mut self.prefix);
        self.break_lines();
        let start = self.text.len();
        write(self);
        if self.text.len() > start {
            self.quotes.push(start..self.text.len());
        } else {
            self.text.truncate(before.0);
            (self.breaks, self.is_begun) = (before.1, before.2);
        }
        self.prefix = prefix;
    }

    /// The finished text with its entities.
    pub(super) fn finish(self) -> (String, Vec<Piece>) {
        let mut text = self.text;
        text.truncate(text.trim_end_matches([' ', '\n']).len());
        let entities = entities::all(&text, &self.runs, &self.atoms, &self.quotes);
        (text, entities)
    }

    fn run(&mut self, start: usize, style: Style) {
        let end = self.text.len();
        if style == Style::default() {
            return;
        }
        match self.runs.last_mut() {
            Some(last) if last.range.end == start && last.style == style => last.range.end = end,
            _ => self.runs.push(Run {
                range: start..end,
                style,
            }),
        }
    }

    fn break_lines(&mut self) {
        let breaks = mem::take(&mut self.breaks);
        if breaks > 0 && !self.text.is_empty() {
            self.text.extend(std::iter::repeat_n('\n', breaks));
            self.is_begun = false;
        }
    }

    /// Writes what has to stand before the next character.
    pub(super) fn start_line(&mut self) {
        self.break_lines();
        if !mem::replace(&mut self.is_begun, true) {
            self.text.push_str(&self.prefix);
        }
    }
}
