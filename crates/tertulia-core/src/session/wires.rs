//! What connects a turn with the outside: the effects it gives, and the numbers it takes.

use super::{AskId, Effect, Effects, Token};
use crate::now::Mono;
use crate::transaction::Transaction;

/// Effects, tokens and the one timer of a session.
#[derive(Debug)]
pub(super) struct Wires {
    pub(super) effects: Effects,
    next: u64,
    announced: Option<Mono>,
}

impl Wires {
    pub(super) fn new() -> Self {
        Self {
            effects: Effects::new(),
            next: 0,
            announced: None,
        }
    }

    pub(super) fn push(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    pub(super) fn commit(&mut self, transaction: Transaction) -> Token {
        let token = Token(self.number());
        self.push(Effect::Commit(transaction, token));
        token
    }

    pub(super) fn ask_id(&mut self) -> AskId {
        AskId(self.number())
    }

    /// Asks for a tick at `at`, unless an earlier one is on its way.
    pub(super) fn wake(&mut self, at: Mono) {
        if self.announced.is_none_or(|announced| at < announced) {
            self.announced = Some(at);
            self.push(Effect::Wake(at));
        }
    }

    /// The tick asked for has come, or nobody waits for it any more.
    pub(super) fn sleep(&mut self) {
        self.announced = None;
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}
