//! The HTML: every tag is ours, every text is escaped.

use tertulia_message::{Block, Inline, ListItem, Markup};

use super::{letters, links, plain};
use crate::ids;

/// How deep tags are nested; what is deeper is shown without tags of its own. The specification lets clients stop at 100.
const DEEPEST: usize = 30;
/// The longest name of a programming language, in characters.
const LONGEST_LANGUAGE: usize = 32;

/// The whole text, and whom it mentions.
pub(super) fn html(markup: &Markup) -> (String, Vec<String>) {
    let mut writer = Writer::default();
    match markup.blocks.as_slice() {
        [Block::Paragraph(text)] => writer.inlines(text),
        blocks => writer.blocks(blocks),
    }
    (writer.out, writer.mentions)
}

#[derive(Default)]
struct Writer {
    out: String,
    mentions: Vec<String>,
    /// How many tags are open.
    depth: usize,
    /// True inside of a link: there are no links in links.
    is_in_link: bool,
}

impl Writer {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph(text) => self.within("p", "", |writer| writer.inlines(text)),
            Block::Heading(level, text) => {
                let tag = format!("h{}", (*level).clamp(1, 6));
                self.within(&tag, "", |writer| writer.inlines(text));
            }
            Block::Code { language, text } => self.code_block(language, text),
            Block::Quote(blocks) => self.within("blockquote", "", |writer| writer.blocks(blocks)),
            Block::List { start, items } => self.list(*start, items),
            Block::Table(rows) => self.table(rows),
            Block::Rule => self.out.push_str("<hr>"),
        }
    }

    fn code_block(&mut self, language: &str, text: &str) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "+#-_.".contains(c);
        let is_known = !language.is_empty() && language.len() <= LONGEST_LANGUAGE && language.chars().all(is_name);
        let class = if is_known {
            format!(" class=\"language-{language}\"")
        } else {
            String::new()
        };
        self.within("pre", "", |writer| {
            writer.within("code", &class, |writer| writer.verbatim(text));
        });
    }

    fn list(&mut self, start: Option<u64>, items: &[ListItem]) {
        let (tag, attribute) = match start {
            None => ("ul", String::new()),
            Some(1) => ("ol", String::new()),
            Some(first) => ("ol", format!(" start=\"{first}\"")),
        };
        self.within(tag, &attribute, |writer| {
            for item in items {
                writer.within("li", "", |writer| writer.item(item));
            }
        });
    }

    /// An item that is one paragraph, perhaps with lists behind it, stands close to its neighbours.
    fn item(&mut self, item: &[Block]) {
        match item.split_first() {
            Some((Block::Paragraph(text), rest)) if rest.iter().all(|block| matches!(block, Block::List { .. })) => {
                self.inlines(text);
                self.blocks(rest);
            }
            _ => self.blocks(item),
        }
    }

    fn table(&mut self, rows: &[Vec<Vec<Inline>>]) {
        let Some((head, rows)) = rows.split_first() else { return };
        self.within("table", "", |writer| {
            writer.within("thead", "", |writer| writer.row("th", head));
            if rows.is_empty() {
                return;
            }
            writer.within("tbody", "", |writer| {
                for row in rows {
                    writer.row("td", row);
                }
            });
        });
    }

    fn row(&mut self, tag: &str, cells: &[Vec<Inline>]) {
        self.within("tr", "", |writer| {
            for cell in cells {
                writer.within(tag, "", |writer| writer.inlines(cell));
            }
        });
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        for inline in inlines {
            self.inline(inline);
        }
    }

    fn inline(&mut self, inline: &Inline) {
        match inline {
            Inline::Text(text) => self.text(text),
            Inline::Strong(inner) => self.within("strong", "", |writer| writer.inlines(inner)),
            Inline::Emphasis(inner) => self.within("em", "", |writer| writer.inlines(inner)),
            Inline::Strike(inner) => self.within("del", "", |writer| writer.inlines(inner)),
            Inline::Spoiler(inner) => self.hidden(inner),
            Inline::Code(code) => self.within("code", "", |writer| writer.verbatim(code)),
            Inline::Link { url, text } => self.link(url, text),
            Inline::Mention { id, name } => self.mention(id, name),
        }
    }

    fn link(&mut self, url: &str, text: &[Inline]) {
        let url = letters::clean(url);
        let words = plain::words(text);
        let has_words = !words.trim().is_empty() && words != url && words != links::shown(&url);
        let can_link = !self.is_in_link && links::is_link(&url);
        if can_link {
            let attribute = format!(" href=\"{}\"", escaped(&url));
            self.anchor(&attribute, |writer| {
                if has_words {
                    writer.inlines(text);
                } else {
                    writer.text(links::shown(&url));
                }
            });
        } else if has_words {
            self.inlines(text);
            let address = links::shown(&url);
            if !address.is_empty() {
                self.text(&format!(" ({address})"));
            }
        } else {
            self.text(links::shown(&url));
        }
    }

    fn mention(&mut self, id: &str, name: &str) {
        let name = plain::name(id, name);
        if !ids::is_user(id) {
            return self.text(name);
        }
        if !self.mentions.iter().any(|known| known == id) {
            self.mentions.push(id.to_owned());
        }
        if self.is_in_link {
            return self.text(name);
        }
        let attribute = format!(" href=\"{}\"", escaped(&ids::address_of_user(id)));
        self.anchor(&attribute, |writer| writer.text(name));
    }

    fn anchor(&mut self, attribute: &str, write: impl FnOnce(&mut Self)) {
        self.is_in_link = true;
        self.always("a", attribute, write);
        self.is_in_link = false;
    }

    /// What is hidden stays so at any depth.
    fn hidden(&mut self, inner: &[Inline]) {
        self.always("span", " data-mx-spoiler", |writer| writer.inlines(inner));
    }

    fn within(&mut self, tag: &str, attributes: &str, write: impl FnOnce(&mut Self)) {
        if self.depth >= DEEPEST {
            // a blank keeps apart what the tags would have
            self.space();
            return write(self);
        }
        self.always(tag, attributes, write);
    }

    fn always(&mut self, tag: &str, attributes: &str, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        for part in ["<", tag, attributes, ">"] {
            self.out.push_str(part);
        }
        write(self);
        for part in ["</", tag, ">"] {
            self.out.push_str(part);
        }
        self.depth -= 1;
    }

    fn space(&mut self) {
        if !self.out.ends_with(['>', ' ']) {
            self.out.push(' ');
        }
    }

    /// Running text: line breaks are kept, and so are blanks where HTML would drop them.
    fn text(&mut self, text: &str) {
        let mut before = if self.out.ends_with("<br>") { '\n' } else { 'x' };
        for c in text.chars().filter(|c| !letters::is_left_out(*c)) {
            match c {
                '\n' => self.out.push_str("<br>"),
                ' ' if matches!(before, ' ' | '\n') => self.out.push('\u{a0}'),
                c => push_escaped(&mut self.out, c),
            }
            before = c;
        }
    }

    /// Code: as it is.
    fn verbatim(&mut self, text: &str) {
        for c in letters::clean(text).chars() {
            push_escaped(&mut self.out, c);
        }
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        push_escaped(&mut out, c);
    }
    out
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        c => out.push(c),
    }
}
