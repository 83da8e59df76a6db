//! Tables: as code in columns while they are narrow, else one record per row.

use tertulia_message::Inline;
use unicode_width::UnicodeWidthStr;

use super::blocks::BOLD;
use super::chars;
use super::runs::{Style, plain};
use super::writer::Writer;

/// The widest table that is shown in columns, in columns of a terminal: what a client shows without breaking lines.
const WIDEST: usize = 64;
/// Between two columns.
const BORDER: &str = " | ";
/// Stands for an empty cell of a record.
const NOTHING: &str = "–";

type Row = Vec<Vec<Inline>>;

impl Writer {
    pub(super) fn table(&mut self, rows: &[Row]) {
        match columns(rows) {
            Some(text) => self.code("", &text),
            None => self.records(rows),
        }
    }

    fn records(&mut self, rows: &[Row]) {
        let Some((head, rows)) = rows.split_first() else { return };
        if rows.is_empty() {
            self.head(head);
        }
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                self.gap(2);
            }
            for nth in 0..head.len().max(row.len()) {
                self.gap(usize::from(nth > 0));
                self.field(head.get(nth), row.get(nth));
            }
        }
    }

    /// A table without rows.
    fn head(&mut self, head: &Row) {
        for (nth, cell) in head.iter().enumerate() {
            if nth > 0 {
                self.sign(" \\| ");
            }
            self.one_line(cell, BOLD);
        }
    }

    fn field(&mut self, name: Option<&Vec<Inline>>, value: Option<&Vec<Inline>>) {
        let value = value.filter(|value| !cell(value).is_empty());
        if let Some(name) = name.filter(|name| !cell(name).is_empty()) {
            self.one_line(name, BOLD);
            self.sign(": ");
            if value.is_none() {
                self.sign(NOTHING);
            }
        }
        if let Some(value) = value {
            self.one_line(value, Style::default());
        }
    }
}

/// The whole table in columns; none if it is too wide, or holds what would not work there.
fn columns(rows: &[Row]) -> Option<String> {
    if !rows.iter().flatten().flatten().all(is_columnar) {
        return None;
    }
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|one| cell(one)).collect())
        .collect();
    let count = cells.iter().map(Vec::len).max()?;
    let width = |nth: usize| {
        cells
            .iter()
            .filter_map(|row| row.get(nth))
            .map(|cell| cell.width())
            .max()
    };
    let widths: Vec<usize> = (0..count).map(|nth| width(nth).unwrap_or_default()).collect();
    if widths.iter().sum::<usize>() + BORDER.len() * count.saturating_sub(1) > WIDEST {
        return None;
    }
    let mut lines: Vec<String> = cells.iter().map(|row| line(row, &widths)).collect();
    if lines.len() > 1 {
        let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        lines.insert(1, dashes.join("-+-"));
    }
    Some(lines.join("\n"))
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cell = |(nth, width): (usize, &usize)| {
        let text = row.get(nth).map_or("", String::as_str);
        format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
    };
    let cells: Vec<String> = widths.iter().enumerate().map(cell).collect();
    cells.join(BORDER).trim_end().to_owned()
}

/// False for what has to be tapped or hidden.
fn is_columnar(inline: &Inline) -> bool {
    match inline {
        Inline::Text(_) | Inline::Code(_) => true,
        Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) => inner.iter().all(is_columnar),
        Inline::Link { .. } | Inline::Mention { .. } | Inline::Spoiler(_) => false,
    }
}

/// A cell in one line.
fn cell(inlines: &[Inline]) -> String {
    let text: String = plain(inlines).chars().filter_map(chars::clean).collect();
    text.replace('\n', " ").trim().to_owned()
}
