//! Running text.

use tertulia_message::Inline;

use super::links::{self, Target};
use super::writer::{Atom, BOLD, ITALIC, SPOILER, STRIKE, Style, Writer};

impl Writer {
    pub(super) fn inlines(&mut self, inlines: &[Inline], style: Style) {
        for inline in inlines {
            self.inline(inline, style);
        }
    }

    fn inline(&mut self, inline: &Inline, style: Style) {
        match inline {
            Inline::Text(text) => self.write(text, style),
            Inline::Strong(inner) => self.inlines(inner, style.with(BOLD)),
            Inline::Emphasis(inner) => self.inlines(inner, style.with(ITALIC)),
            Inline::Strike(inner) => self.inlines(inner, style.with(STRIKE)),
            Inline::Spoiler(inner) => self.inlines(inner, style.with(SPOILER)),
            // code would show what is hidden, and a link whose text is code is rather a link
            Inline::Code(code) if style.has(SPOILER) => self.write(code, style),
            Inline::Code(code) => self.atomic(Atom::Code, style, |writer, style| writer.write(code, style)),
            Inline::Link { url, text } => self.link(url, text, style),
            Inline::Mention { id, name } => {
                let name = if name.trim().is_empty() { id } else { name };
                match links::person(id) {
                    Some(target) => self.target(target, style, |writer, style| writer.write(name, style)),
                    None => self.write(name, style),
                }
            }
        }
    }

    fn link(&mut self, url: &str, text: &[Inline], style: Style) {
        let shown = label(text);
        let bare = links::mail(url);
        if shown.trim().is_empty() || shown == url || shown == bare {
            // made a link by the clients
            return self.write(bare, style);
        }
        if let Some(target) = links::target(url) {
            self.target(target, style, |writer, style| writer.inlines(text, style));
        } else {
            self.inlines(text, style);
            self.write(&format!(" ({bare})"), style);
        }
    }

    fn target(&mut self, target: Target, style: Style, write: impl FnOnce(&mut Self, Style)) {
        self.atomic(Atom::Link(target), style, write);
    }

    /// Writes inside of an atom; one inside of another counts for nothing.
    fn atomic(&mut self, atom: Atom, style: Style, write: impl FnOnce(&mut Self, Style)) {
        let style = match style.atom {
            Some(_) => style,
            None => Style {
                atom: Some(self.atom(atom)),
                ..style
            },
        };
        write(self, style);
    }
}

/// What a link shows, without any style.
fn label(text: &[Inline]) -> String {
    if let [Inline::Text(text)] = text {
        return text.clone();
    }
    let mut writer = Writer::default();
    writer.inlines(text, Style::default());
    writer.finish().0
}
