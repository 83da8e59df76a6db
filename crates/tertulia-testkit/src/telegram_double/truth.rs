//! The ground truth: what was accepted, refused, caught and counted.

use std::time::Duration;

use serde_json::Value;

use crate::chat_double::{Record, RecordAct, Spot, Violation};

/// One accepted call, updates aside.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// Its number, from 1.
    pub n: u64,
    /// When.
    pub at: Duration,
    /// The method, as the documentation spells it.
    pub method: &'static str,
    /// The chat, if it is about one.
    pub chat: Option<i64>,
    /// The topic in which its message stands.
    pub topic: Option<i64>,
    /// The message it made or changed.
    pub message: Option<i64>,
    /// The text or caption after it, trimmed.
    pub text: String,
    /// The entities after it.
    pub entities: Vec<Value>,
    /// The parameters as they came, files aside.
    pub params: Value,
}

/// One refused call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// When.
    pub at: Duration,
    /// The method.
    pub method: String,
    /// The status.
    pub code: u16,
    /// The server's words.
    pub description: String,
}

/// What was only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Calls for updates.
    pub polls: u64,
    /// Calls for updates that ended another one.
    pub conflicts: u64,
    /// Updates that were handed out before.
    pub redelivered: u64,
    /// Chat actions.
    pub actions: u64,
    /// Drafts of an answer in the making.
    pub drafts: u64,
    /// Edits that were refused since they would change nothing.
    pub unchanged_edits: u64,
    /// Calls into a wait that the bot had been told.
    pub early: u64,
}

/// Everything that is only added to.
#[derive(Debug, Default)]
pub(super) struct Truth {
    pub(super) accepted: Vec<Accepted>,
    pub(super) refused: Vec<Refused>,
    pub(super) violations: Vec<Violation>,
    pub(super) counts: Counts,
    /// What people and bot did to messages, by their serials, for the judge.
    pub(super) records: Vec<Record>,
}

impl Truth {
    pub(super) fn violate(&mut self, at: Duration, what: impl Into<String>) {
        let what = what.into();
        self.violations.push(Violation { at, what });
    }

    pub(super) fn record(&mut self, at: Duration, spot: Spot, message: u64, act: RecordAct, text: String) {
        self.records.push(Record {
            n: self.records.len() as u64 + 1,
            at,
            spot,
            message,
            act,
            text,
            key: None,
            in_reply_to: None,
        });
    }
}
