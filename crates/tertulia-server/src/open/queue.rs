//! What waits for one reader: bounded, and never in the way of the turn that fills it.

use std::collections::VecDeque;

use serde_json::Value;
use tertulia_message::{DeltaAction, Ending, Kind, Message};

/// The most that may wait for one reader, in bytes.
pub(super) const MAX_WAITING: usize = 16 << 20;

/// What a message costs beside its content, in bytes.
const OVERHEAD: usize = 256;

/// What a reader gets.
#[derive(Debug, PartialEq)]
pub(crate) enum Arrival {
    /// The next message.
    Message(Message),
    /// The end of the answer.
    Close(Ending),
    /// The reader was so slow that messages were thrown away: the answer is of no use any more.
    TooSlow,
}

/// The messages that a reader has not taken yet.
///
/// Texts that continue each other become one message, so a slow reader costs no more than the answer is long;
/// beyond [`MAX_WAITING`] the reader loses it.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<(Message, usize)>,
    bytes: usize,
    ending: Option<Ending>,
    closed: bool,
    overflowed: bool,
}

impl Queue {
    pub(super) fn push(&mut self, message: Message) {
        if self.closed || self.overflowed {
            return;
        }
        let content = content(&message).map_or_else(|| size(&message), str::len);
        let weight = match self.waiting.back_mut() {
            Some((last, weight)) if continues(last, &message) => {
                join(last, message);
                *weight += content;
                content
            }
            _ => {
                let weight = content.saturating_add(OVERHEAD);
                self.waiting.push_back((message, weight));
                weight
            }
        };
        self.bytes = self.bytes.saturating_add(weight);
        if self.bytes > MAX_WAITING {
            self.overflowed = true;
            self.waiting = VecDeque::new();
        }
    }

    pub(super) fn close(&mut self, ending: Ending) {
        if !self.closed {
            self.closed = true;
            self.ending = Some(ending);
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn pop(&mut self) -> Option<Arrival> {
        if self.overflowed {
            return Some(Arrival::TooSlow);
        }
        if let Some((message, weight)) = self.waiting.pop_front() {
            self.bytes = self.bytes.saturating_sub(weight);
            return Some(Arrival::Message(message));
        }
        self.ending.take().map(Arrival::Close)
    }
}

/// True if `next` only adds text to `last`, which has not ended.
fn continues(last: &Message, next: &Message) -> bool {
    let is_text = matches!(next.builtin(), Some(Kind::Text | Kind::Thinking));
    let is_append = matches!(next.delta_action, None | Some(DeltaAction::Append));
    let is_plain = |message: &Message| {
        message.delta
            && !(message.type_change || message.group_start || message.group_end)
            && matches!(message.delta_path.as_str(), "" | "content")
            && message.props.len() == 1
            && content(message).is_some()
    };
    is_text
        && is_append
        && last.kind == next.kind
        && last.id == next.id
        && last.group_id == next.group_id
        && last.delta_action == next.delta_action
        && !last.done
        && is_plain(last)
        && is_plain(next)
}

fn join(last: &mut Message, next: Message) {
    let added = content(&next).unwrap_or_default();
    if let Some(Value::String(text)) = last.props.get_mut("content") {
        text.push_str(added);
    }
    last.done = next.done;
    last.metadata = next.metadata;
}

fn content(message: &Message) -> Option<&str> {
    message.props.get("content").and_then(Value::as_str)
}

fn size(message: &Message) -> usize {
    serde_json::to_vec(&message.props).map_or(0, |bytes| bytes.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tertulia_message::{Finish, Spent};

    use super::*;

    fn delta(id: &str, text: &str) -> Message {
        Message {
            id: id.to_owned(),
            delta: true,
            ..Message::text(text)
        }
    }

    fn ending() -> Ending {
        Ending {
            finish: Finish::Stop,
            spent: Spent::default(),
        }
    }

    fn drain(queue: &mut Queue) -> Vec<Message> {
        let mut messages = Vec::new();
        while let Some(Arrival::Message(message)) = queue.pop() {
            messages.push(message);
        }
        messages
    }

    #[test]
    fn deltas_of_one_text_wait_as_one() {
        let mut queue = Queue::default();
        let last = Message {
            done: true,
            ..delta("1", "c")
        };
        for message in [
            delta("1", "a"),
            delta("1", "b"),
            last,
            delta("1", "late"),
            delta("2", "x"),
        ] {
            queue.push(message);
        }
        let messages = drain(&mut queue);
        let texts: Vec<_> = messages
            .iter()
            .map(|message| (content(message).unwrap(), message.done))
            .collect();
        assert_eq!(texts, [("abc", true), ("late", false), ("x", false)]);
    }

    #[test]
    fn nothing_else_is_joined() {
        let replace = Message {
            delta_action: Some(DeltaAction::Replace),
            ..delta("1", "b")
        };
        let thinking = Message {
            kind: "thinking".into(),
            ..delta("1", "c")
        };
        let more = delta("1", "d").with("lang", json!("en"));
        let given = [
            delta("1", "a"),
            replace,
            thinking,
            more,
            Message::text("w"),
            Message::text("w"),
        ];
        let mut queue = Queue::default();
        given.iter().cloned().for_each(|message| queue.push(message));
        assert_eq!(drain(&mut queue), given);
    }

    #[test]
    fn the_end_comes_last_and_once() {
        let mut queue = Queue::default();
        queue.push(delta("1", "a"));
        queue.close(ending());
        queue.push(delta("1", "b"));
        queue.close(ending());
        assert_eq!(queue.pop(), Some(Arrival::Message(delta("1", "a"))));
        assert_eq!(queue.pop(), Some(Arrival::Close(ending())));
        assert_eq!(queue.pop(), None);
        assert!(queue.is_closed());
    }

    #[test]
    fn a_stalled_reader_costs_no_more_than_the_bound() {
        let mut queue = Queue::default();
        let piece = "x".repeat(MAX_WAITING / 4);
        (0..5).for_each(|_| queue.push(delta("1", &piece)));
        assert_eq!(queue.pop(), Some(Arrival::TooSlow));
        assert!(queue.waiting.is_empty());
        let mut steady = Queue::default();
        for _ in 0..20 {
            steady.push(delta("1", &piece));
            assert!(matches!(steady.pop(), Some(Arrival::Message(_))));
        }
    }
}
