//! Folds the parser's events into a tree, without recursion and with bounded depth.

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Tag};
use tertulia_message::{Block, Inline, Markup};

use super::frame::{Frame, Holder, Run, push_text, trim_end};
use super::{is_wrapper, spoiler};

/// Containers beyond this depth are flattened into the one around them.
const CONTAINERS: usize = 32;
/// Emphasis and links beyond this depth are flattened; some room above the containers' bound.
const WRAPPERS: usize = 40;

/// A tree in the making.
pub(super) struct Builder {
    frames: Vec<Frame>,
    /// For each open tag, whether it has a frame.
    framed: Vec<bool>,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self {
            frames: vec![Frame::holder(Holder::Root)],
            framed: Vec::new(),
        }
    }

    pub(super) fn handle(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            // footnotes are not switched on
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(text),
            Event::Code(code) => self.inline(Inline::Code(code.to_string())),
            Event::SoftBreak | Event::HardBreak => self.text("\n"),
            Event::Rule => {
                self.close_loose();
                self.block(Block::Rule);
            }
            Event::TaskListMarker(done) => self.text(if *done { "☑ " } else { "☐ " }),
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.frames.last_mut() {
            Some(Frame::Inlines(_, inlines)) => push_text(inlines, text),
            Some(Frame::Code(_, code)) => code.push_str(text),
            Some(Frame::Html(html)) => html.push_str(text),
            _ => self.inline(Inline::Text(text.to_owned())),
        }
    }

    pub(super) fn finish(mut self) -> Markup {
        while self.frames.len() > 1 {
            self.close();
        }
        match self.frames.pop() {
            Some(Frame::Blocks(_, blocks)) => Markup { blocks },
            _ => Markup::default(),
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let is_wrapper = is_wrapper(tag);
        if !is_wrapper {
            self.close_loose();
        }
        let frame = if is_wrapper {
            self.wrapper(tag)
        } else {
            self.container(tag)
        };
        self.framed.push(frame.is_some());
        if let Some(frame) = frame {
            if is_wrapper {
                self.open_loose();
            }
            self.frames.push(frame);
        }
    }

    fn end(&mut self) {
        if self.framed.pop() == Some(true) {
            self.close_loose();
            self.close();
        }
    }

    fn container(&self, tag: &Tag<'_>) -> Option<Frame> {
        let room = CONTAINERS.saturating_sub(self.frames.len());
        let top = self.frames.last();
        match tag {
            Tag::Paragraph => Some(Frame::run(Run::Paragraph)),
            Tag::Heading { level, .. } => Some(Frame::run(Run::Heading(*level as u8))),
            Tag::CodeBlock(kind) => Some(Frame::Code(language(kind).to_owned(), String::new())),
            Tag::HtmlBlock => Some(Frame::Html(String::new())),
            Tag::BlockQuote(_) if room >= 1 => Some(Frame::holder(Holder::Quote)),
            Tag::List(start) if room >= 2 => Some(Frame::List(*start, Vec::new())),
            Tag::Item if matches!(top, Some(Frame::List(..))) => Some(Frame::holder(Holder::Item)),
            Tag::Table(_) => Some(Frame::Table(Vec::new())),
            Tag::TableHead | Tag::TableRow => Some(Frame::Row(Vec::new())),
            Tag::TableCell => Some(Frame::run(Run::Cell)),
            _ => None,
        }
    }

    fn wrapper(&self, tag: &Tag<'_>) -> Option<Frame> {
        if self.frames.len() >= WRAPPERS {
            return None;
        }
        match tag {
            Tag::Strong => Some(Frame::run(Run::Strong)),
            Tag::Emphasis => Some(Frame::run(Run::Emphasis)),
            Tag::Strikethrough => Some(Frame::run(Run::Strike)),
            tag if *tag == spoiler::TAG => Some(Frame::run(Run::Spoiler)),
            // an address in angle brackets is made a link by the platforms themselves, where they know them
            Tag::Link {
                link_type: LinkType::Email,
                ..
            } => None,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let is_usable = !dest_url.is_empty() && !self.frames.iter().any(Frame::is_link);
                is_usable.then(|| Frame::run(Run::Link(dest_url.to_string())))
            }
            _ => None,
        }
    }

    /// Opens a paragraph for running text that stands in a holder of blocks.
    fn open_loose(&mut self) {
        if matches!(self.frames.last(), Some(Frame::Blocks(..))) {
            self.frames.push(Frame::run(Run::Loose));
        }
    }

    fn close_loose(&mut self) {
        if self.frames.last().is_some_and(Frame::is_loose) {
            self.close();
        }
    }

    fn close(&mut self) {
        match self.frames.pop() {
            Some(Frame::Blocks(Holder::Item, blocks)) => {
                if let Some(Frame::List(_, items)) = self.frames.last_mut() {
                    items.push(blocks);
                }
            }
            Some(Frame::Blocks(_, blocks)) => self.block(Block::Quote(blocks)),
            Some(Frame::List(start, items)) => self.block(Block::List { start, items }),
            Some(Frame::Inlines(run, inlines)) => self.close_run(run, inlines),
            Some(Frame::Code(language, mut text)) => {
                if text.ends_with('\n') {
                    text.pop();
                }
                self.block(Block::Code { language, text });
            }
            Some(Frame::Html(html)) => self.close_run(Run::Paragraph, vec![Inline::Text(html)]),
            Some(Frame::Table(rows)) => self.block(Block::Table(rows)),
            Some(Frame::Row(cells)) => {
                if let Some(Frame::Table(rows)) = self.frames.last_mut() {
                    rows.push(cells);
                }
            }
            None => {}
        }
    }

    fn close_run(&mut self, run: Run, mut inlines: Vec<Inline>) {
        trim_end(&mut inlines);
        match run {
            Run::Cell => {
                if let Some(Frame::Row(cells)) = self.frames.last_mut() {
                    cells.push(inlines);
                }
            }
            Run::Link(url) => {
                if inlines.is_empty() {
                    inlines.push(Inline::Text(url.clone()));
                }
                self.inline(Inline::Link { url, text: inlines });
            }
            _ if inlines.is_empty() => {}
            Run::Loose | Run::Paragraph => self.block(Block::Paragraph(inlines)),
            Run::Heading(level) => self.block(Block::Heading(level, inlines)),
            Run::Strong => self.inline(Inline::Strong(inlines)),
            Run::Emphasis => self.inline(Inline::Emphasis(inlines)),
            Run::Strike => self.inline(Inline::Strike(inlines)),
            Run::Spoiler => self.inline(Inline::Spoiler(inlines)),
        }
    }

    fn block(&mut self, block: Block) {
        if let Some(Frame::Blocks(_, blocks)) = self.frames.last_mut() {
            blocks.push(block);
        }
    }

    fn inline(&mut self, inline: Inline) {
        self.open_loose();
        if let Some(Frame::Inlines(_, inlines)) = self.frames.last_mut() {
            inlines.push(inline);
        }
    }
}

/// The first word of a fence's info string.
pub(crate) fn language<'a>(kind: &'a CodeBlockKind<'_>) -> &'a str {
    match kind {
        CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default(),
        CodeBlockKind::Indented => "",
    }
}
