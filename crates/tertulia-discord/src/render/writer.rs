//! The text in the making.

use std::mem;

use tertulia_message::Inline;

use super::runs::{self, Piece, Run, Style};
use super::{chars, code, line};

/// The text in the making.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    /// Line breaks that are written when something follows.
    breaks: usize,
    /// How many bytes of marks the blank lines among them have: as many as all blocks around have in common.
    common: Option<usize>,
    /// True if the beginning of the current line is written.
    is_begun: bool,
    /// True if something stands on the current line behind its beginning.
    is_inside: bool,
    /// The marks of quotations before each line.
    pub(super) quotes: String,
    /// The indentation of a list behind those.
    pub(super) indent: String,
    /// How many lists are open.
    pub(super) lists: usize,
}

impl Writer {
    /// How much is written, in bytes.
    pub(super) fn length(&self) -> usize {
        self.text.len()
    }

    /// Asks for at least this many line breaks before what follows.
    pub(super) fn gap(&mut self, breaks: usize) {
        self.breaks = self.breaks.max(breaks);
        self.common = Some(
            self.common
                .map_or(self.quotes.len(), |common| common.min(self.quotes.len())),
        );
    }

    /// Adds running text.
    pub(super) fn inlines(&mut self, inlines: &[Inline], style: Style) {
        self.lines(&lines(inlines, style));
    }

    /// Adds running text on one line.
    pub(super) fn one_line(&mut self, inlines: &[Inline], style: Style) {
        let all = lines(inlines, style);
        let space = Run {
            style: Style::default(),
            piece: Piece::Text(" ".to_owned()),
        };
        self.lines(&[all.join(&space)]);
    }

    fn lines(&mut self, lines: &[Vec<Run>]) {
        for (nth, runs) in lines.iter().enumerate() {
            self.breaks += usize::from(nth > 0);
            let mut shown = String::new();
            let starts = !self.is_inside || self.breaks > 0;
            line::write(&mut shown, runs, starts);
            if !shown.is_empty() {
                self.start_line();
                self.text.push_str(&shown);
                self.is_inside = true;
            }
        }
    }

    /// Adds a sign of our own, as it is; what follows stands inside of the line unless it is a marker.
    pub(super) fn sign(&mut self, sign: &str) {
        self.start_line();
        self.text.push_str(sign);
        self.is_inside = true;
    }

    /// Adds the marker of an item: what follows can begin things that begin a line.
    pub(super) fn marker(&mut self, marker: &str) {
        self.sign(marker);
        self.is_inside = false;
    }

    /// Adds a block of code. In a list it stands without indentation, which would be a part of it.
    pub(super) fn code(&mut self, language: &str, text: &str) {
        let Some(body) = code::block(text) else { return };
        let indent = mem::take(&mut self.indent);
        self.sign(&format!("{}{}", code::FENCE, code::language(language)));
        for line in body.split('\n').chain([code::FENCE]) {
            self.breaks += 1;
            self.sign(line);
        }
        self.indent = indent;
    }

    /// The finished text.
    pub(super) fn finish(self) -> String {
        self.text.trim().to_owned()
    }

    fn start_line(&mut self) {
        self.break_lines();
        if !mem::replace(&mut self.is_begun, true) {
            self.text.push_str(&self.quotes);
            self.text.push_str(&self.indent);
        }
    }

    fn break_lines(&mut self) {
        let (breaks, common) = (mem::take(&mut self.breaks), mem::take(&mut self.common));
        if breaks == 0 || self.text.is_empty() {
            return;
        }
        for _ in 1..breaks {
            self.text.push('\n');
            // without its mark a blank line would end the quotation
            let marks = self.quotes.get(..common.unwrap_or(self.quotes.len()));
            self.text.push_str(marks.unwrap_or(&self.quotes));
        }
        self.text.push('\n');
        (self.is_begun, self.is_inside) = (false, false);
    }
}

/// The lines of running text, cleaned.
fn lines(inlines: &[Inline], style: Style) -> Vec<Vec<Run>> {
    let mut lines = vec![Vec::new()];
    for run in runs::runs(inlines, style) {
        let Piece::Text(text) = &run.piece else {
            push(&mut lines, run);
            continue;
        };
        let text: String = text.chars().filter_map(chars::clean).collect();
        for (nth, part) in text.split('\n').enumerate() {
            if nth > 0 {
                lines.push(Vec::new());
            }
            if !part.is_empty() {
                let piece = Piece::Text(part.to_owned());
                push(&mut lines, Run { piece, ..run });
            }
        }
    }
    lines
}

fn push(lines: &mut [Vec<Run>], run: Run) {
    if let Some(line) = lines.last_mut() {
        line.push(run);
    }
}
