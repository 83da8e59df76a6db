//! One line of running text, with the signs of its styles.

use super::chars::APART;
use super::runs::{Piece, Run, Style};
use super::{code, escape};

/// Writes a line. `starts` is true if nothing stands before it on its line.
pub(super) fn write(out: &mut String, runs: &[Run], starts: bool) {
    let mut line = Line {
        out,
        starts,
        is_hidden: false,
        sign: None,
    };
    for (nth, run) in runs.iter().enumerate() {
        line.run(run, runs.get(nth + 1..).unwrap_or_default());
    }
    line.close();
}

struct Line<'o> {
    out: &'o mut String,
    starts: bool,
    /// True inside of what is hidden.
    is_hidden: bool,
    /// The sign that was written last, if it was one of a style.
    sign: Option<char>,
}

impl Line<'_> {
    fn run(&mut self, run: &Run, behind: &[Run]) {
        if !run.style.hidden {
            self.close();
        } else if !self.is_hidden && shows(run, behind) {
            self.sign("||");
            self.is_hidden = true;
        }
        match &run.piece {
            Piece::Text(text) => self.words(text, run.style),
            Piece::Code(text) => self.code(text, run.style),
            Piece::Link(label, target) => {
                let label = label.replace(['[', '\n'], " ").replace(']', " ");
                let mut shown = String::new();
                escape::text(&mut shown, label.trim(), false);
                self.styled(&format!("[{shown}]({target})"), run.style);
            }
            Piece::Person(id) => self.plain(&format!("<@{id}>")),
        }
    }

    /// Words with blanks around them: those stay outside of the signs.
    fn words(&mut self, text: &str, style: Style) {
        let body = text.trim();
        if body.is_empty() || !(style.strong || style.emphasis || style.strike) {
            return self.text(text);
        }
        let start = text.len() - text.trim_start().len();
        self.text(text.get(..start).unwrap_or_default());
        let mut shown = String::new();
        escape::text(&mut shown, body, self.starts);
        self.styled(&shown, style);
        self.text(text.get(start + body.len()..).unwrap_or_default());
    }

    fn code(&mut self, text: &str, style: Style) {
        let Some(span) = code::span(text) else {
            return self.text(" ");
        };
        if style.hidden && span.contains("||") {
            return self.text(&code::one_line(text));
        }
        // Discord looks for the ends of styles in code as well
        let style = if span.contains(['*', '~', '\\']) {
            Style::default()
        } else {
            style
        };
        if style.strong || style.emphasis || style.strike {
            return self.styled(&span, style);
        }
        self.keep_apart('`');
        self.plain(&span);
        self.sign = Some('`');
    }

    fn styled(&mut self, text: &str, style: Style) {
        let strike = if style.strike { "~~" } else { "" };
        let stars = match (style.strong, style.emphasis) {
            (true, true) => "***",
            (true, false) => "**",
            (false, true) => "*",
            (false, false) => "",
        };
        self.sign(strike);
        self.sign(stars);
        if strike.is_empty() && stars.is_empty() && text.starts_with('`') {
            self.keep_apart('`');
        }
        self.plain(text);
        self.sign(stars);
        self.sign(strike);
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let start = self.out.len();
        escape::text(self.out, text, self.starts);
        let written = self.out.get(start..).unwrap_or_default();
        self.starts = self.starts && written.trim().is_empty();
        self.sign = None;
    }

    fn plain(&mut self, text: &str) {
        self.out.push_str(text);
        self.starts = false;
        self.sign = None;
    }

    /// Writes the sign of a style.
    fn sign(&mut self, sign: &str) {
        let Some(c) = sign.chars().next() else { return };
        self.keep_apart(c);
        self.out.push_str(sign);
        self.starts = false;
        self.sign = Some(c);
    }

    fn keep_apart(&mut self, sign: char) {
        if self.sign == Some(sign) {
            self.out.push(APART);
        }
    }

    fn close(&mut self) {
        if self.is_hidden {
            self.sign("||");
            self.is_hidden = false;
        }
    }
}

/// True if anything of what is hidden from here on shows something.
fn shows(run: &Run, behind: &[Run]) -> bool {
    let hidden = std::iter::once(run).chain(behind.iter().take_while(|run| run.style.hidden));
    hidden.into_iter().any(|run| match &run.piece {
        Piece::Text(text) => !text.trim().is_empty(),
        Piece::Code(text) => code::span(text).is_some(),
        Piece::Link(..) | Piece::Person(_) => true,
    })
}
