//! Showing an answer in the making: parts and edits on a chat platform, a stream of messages for a connected reader.

use std::collections::BTreeMap;

use serde_json::json;
use tertulia_message::dsl::{Message, Metadata};
use tertulia_message::{Limits, Reach, Signal};

use super::Effect;
use super::slots::SlotMemo;
use super::wires::Wires;
use crate::chat::ToolCall;
use crate::composer::{self, Composer, KnownPart, PartBody};
use crate::courier::{Report, with_room_for_mark};
use crate::now::{Mono, Now};
use crate::record::{InboxRow, TurnSettings};

/// How an answer is shown.
#[derive(Debug)]
pub(super) enum Show {
    /// In platform messages.
    Chat(Box<Composer>),
    /// To a connected reader.
    Reader(Reader),
}

/// A stream of DSL messages; ids and sequence are made here and nowhere else.
#[derive(Debug, Default)]
pub(super) struct Reader {
    text: String,
    sequence: u64,
    /// Counts the messages with content; part of their ids.
    number: u64,
    /// The kind of the message that deltas go to.
    growing: Option<&'static str>,
}

impl Show {
    pub(super) fn new(row: &InboxRow, limits: &Limits, slots: &BTreeMap<u32, SlotMemo>) -> Self {
        if limits.reach == Reach::WhileConnected {
            return Self::Reader(Reader::default());
        }
        let known = slots
            .iter()
            .filter(|(_, memo)| memo.slot.id.trigger == row.id.0)
            .map(|(part, memo)| KnownPart {
                part: *part,
                shown: memo.slot.progress.ext_id.is_some(),
            })
            .collect();
        Self::Chat(Box::new(Composer::new(with_room_for_mark(*limits), known)))
    }

    /// The text shown so far.
    pub(super) fn so_far(&self) -> &str {
        match self {
            Self::Chat(composer) => composer.text(),
            Self::Reader(reader) => &reader.text,
        }
    }

    pub(super) fn start(&mut self, row: &InboxRow, settings: &TurnSettings, now: Now, wires: &mut Wires) {
        if let Self::Reader(reader) = self {
            let data = json!({"provider": settings.provider, "model": settings.model});
            reader.emit(row, Message::event("stream_start", "", data), now, wires);
        }
    }

    /// More text; `gap` if it begins another answer and has to stand apart from the text before.
    pub(super) fn text(&mut self, row: &InboxRow, text: &str, gap: bool, now: Now, wires: &mut Wires) {
        let apart = gap && !self.so_far().trim().is_empty() && !self.so_far().ends_with("\n\n");
        let text = if apart { format!("\n\n{text}") } else { text.to_owned() };
        match self {
            Self::Chat(composer) => composer.handle(composer::Event::Text(text), now.mono),
            Self::Reader(reader) => {
                reader.text.push_str(&text);
                reader.grow(row, "text", Message::text(text), now, wires);
            }
        }
    }

    pub(super) fn thinking(&mut self, row: &InboxRow, text: &str, now: Now, wires: &mut Wires) {
        if let Self::Reader(reader) = self {
            reader.grow(row, "thinking", Message::thinking(text), now, wires);
        }
    }

    /// Another answer is about to come: what it thinks is not run together with what was thought before.
    pub(super) fn next_answer(&mut self) {
        if let Self::Reader(reader) = self {
            reader.growing = None;
        }
    }

    /// A short line about what is going on.
    pub(super) fn status(&mut self, row: &InboxRow, status: Option<String>, now: Now, wires: &mut Wires) {
        match (self, status) {
            (Self::Chat(composer), status) => composer.handle(composer::Event::Status(status), now.mono),
            (Self::Reader(reader), Some(status)) => reader.whole(row, Message::loading(status), now, wires),
            (Self::Reader(_), None) => {}
        }
    }

    /// A call that the client is to run.
    pub(super) fn client_call(&mut self, row: &InboxRow, call: &ToolCall, now: Now, wires: &mut Wires) {
        if let Self::Reader(reader) = self {
            reader.whole(
                row,
                Message::tool_call(&*call.id, &*call.name, &*call.arguments),
                now,
                wires,
            );
        }
    }

    /// Text of an attempt before: shown again, but not streamed.
    pub(super) fn replay(&mut self, text: &str, now: Mono) {
        if let Self::Chat(composer) = self
            && !text.trim().is_empty()
        {
            let apart = if composer.text().trim().is_empty() { "" } else { "\n\n" };
            composer.handle(composer::Event::Text(format!("{apart}{text}")), now);
        }
    }

    pub(super) fn report(&mut self, part: u32, report: Report, now: Mono) {
        if let Self::Chat(composer) = self {
            let event = match report {
                Report::Shown => composer::Event::Done { part },
                Report::Dropped => composer::Event::Dropped { part },
            };
            composer.handle(event, now);
        }
    }

    pub(super) fn tick(&mut self, now: Mono) {
        if let Self::Chat(composer) = self {
            composer.handle(composer::Event::Tick, now);
        }
    }

    /// Tells a connected reader what a platform's message would show as its mark; it is no part of the answer.
    pub(super) fn remark(&mut self, row: &InboxRow, mark: &str, now: Now, wires: &mut Wires) {
        if let Self::Reader(reader) = self {
            reader.whole(row, Message::text(format!("\n\n{mark}")), now, wires);
        }
    }

    /// The final bodies, with a mark at their end.
    pub(super) fn finish(&mut self, mark: Option<&str>) -> Vec<PartBody> {
        match self {
            Self::Chat(composer) => composer.finish(mark),
            Self::Reader(_) => Vec::new(),
        }
    }

    pub(super) fn end(&mut self, row: &InboxRow, now: Now, wires: &mut Wires) {
        if let Self::Reader(reader) = self {
            reader.emit(row, Message::event("stream_end", "", json!({})), now, wires);
        }
    }
}

impl Reader {
    /// A delta of the message that is growing, or the beginning of a new one.
    fn grow(&mut self, row: &InboxRow, kind: &'static str, message: Message, now: Now, wires: &mut Wires) {
        if self.growing != Some(kind) {
            self.growing = Some(kind);
            self.number += 1;
        }
        let message = Message {
            delta: true,
            id: self.id(row),
            ..message
        };
        self.emit(row, message, now, wires);
    }

    fn whole(&mut self, row: &InboxRow, message: Message, now: Now, wires: &mut Wires) {
        self.growing = None;
        self.number += 1;
        let message = Message {
            done: true,
            id: self.id(row),
            ..message
        };
        self.emit(row, message, now, wires);
    }

    fn id(&self, row: &InboxRow) -> String {
        format!("{}.{}", row.id.0, self.number)
    }

    fn emit(&mut self, row: &InboxRow, mut message: Message, now: Now, wires: &mut Wires) {
        self.sequence += 1;
        message.metadata = Some(Metadata {
            timestamp: now.wall.saturating_mul(1_000_000),
            sequence: self.sequence,
            trace_id: row.ext_id.clone(),
        });
        wires.push(Effect::Signal(
            row.path.clone(),
            row.ext_id.clone(),
            Signal::Emit(message),
        ));
    }
}
