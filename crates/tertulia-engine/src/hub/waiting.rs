//! Conversations that wait for a place among the sessions, first come, first served.

use std::collections::{HashMap, VecDeque};

use tertulia_core::courier::moved_path;
use tertulia_core::record::ConversationId;
use tertulia_message::path::InterfacePath;

/// Conversations that wait for a place; each stands here once, so there are never more than conversations.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    order: VecDeque<ConversationId>,
    known: HashMap<ConversationId, Waiter>,
}

/// A conversation that waits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Waiter {
    pub(super) path: InterfacePath,
    /// Requests whose readers have gone meanwhile.
    pub(super) gone: Vec<String>,
}

impl Waiting {
    pub(super) fn push(&mut self, conversation: ConversationId, path: InterfacePath) {
        self.known.entry(conversation).or_insert_with(|| {
            self.order.push_back(conversation);
            Waiter { path, gone: Vec::new() }
        });
    }

    pub(super) fn pop(&mut self) -> Option<(ConversationId, Waiter)> {
        let conversation = self.order.pop_front()?;
        self.known.remove(&conversation).map(|waiter| (conversation, waiter))
    }

    /// A reader has gone before its conversation got a place.
    pub(super) fn hang_up(&mut self, conversation: ConversationId, id: String) {
        if let Some(waiter) = self.known.get_mut(&conversation) {
            waiter.gone.push(id);
        }
    }

    pub(super) fn moved(&mut self, from: &InterfacePath, to: &InterfacePath) {
        for waiter in self.known.values_mut() {
            if let Some(path) = moved_path(&waiter.path, from, to) {
                waiter.path = path;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> InterfacePath {
        InterfacePath::parse(text).unwrap()
    }

    #[test]
    fn each_waits_once_and_in_its_turn() {
        let mut waiting = Waiting::default();
        let (one, two) = (ConversationId(1), ConversationId(2));
        waiting.push(one, path("chat/a"));
        waiting.push(two, path("chat/b"));
        waiting.push(one, path("chat/a"));
        waiting.hang_up(two, "r".into());
        waiting.hang_up(ConversationId(3), "s".into());
        waiting.moved(&path("chat/a"), &path("chat/c"));
        let waiter = |text: &str, gone: &[&str]| Waiter {
            path: path(text),
            gone: gone.iter().map(|&id| id.to_owned()).collect(),
        };
        assert_eq!(waiting.pop(), Some((one, waiter("chat/c", &[]))));
        assert_eq!(waiting.pop(), Some((two, waiter("chat/b", &["r"]))));
        assert_eq!(waiting.pop(), None);
    }
}
