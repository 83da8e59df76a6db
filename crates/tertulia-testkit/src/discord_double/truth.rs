//! The ground truth: what was accepted, refused, caught and counted.

use std::time::Duration;

use serde_json::Value;

use crate::chat_double::{Record, RecordAct, Spot, Violation};

/// One accepted call that changes something.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// Its number, from 1.
    pub n: u64,
    /// When.
    pub at: Duration,
    /// What was called: `create_message`, `edit_message`, `delete_message`, `start_thread`, `create_followup`, `edit_original`, ...
    pub name: &'static str,
    /// The channel, if it is about one.
    pub channel: Option<u64>,
    /// The message it made or changed.
    pub message: Option<u64>,
    /// The content after it.
    pub content: String,
    /// The body as it came, files aside.
    pub body: Value,
    /// The names of the files that came with it.
    pub files: Vec<String>,
    /// Whom it pinged.
    pub pings: Vec<String>,
    /// True if a nonce was known, and nothing was made.
    pub is_repeated: bool,
}

/// One refused call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// When.
    pub at: Duration,
    /// What was called.
    pub name: &'static str,
    /// The status.
    pub status: u16,
    /// The code in the body.
    pub code: u32,
    /// The server's words.
    pub message: String,
}

/// What was only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Calls of all kinds.
    pub calls: u64,
    /// Answers 401, 403 and 429, those with the scope `shared` aside.
    pub invalid_requests: u64,
    /// Calls into a wait that the bot had been told.
    pub early: u64,
    /// Signs that the bot is typing.
    pub typing: u64,
    /// Messages that a known nonce kept from being made twice.
    pub repeated_nonces: u64,
    /// Messages that were made without `enforce_nonce`.
    pub without_nonce: u64,
    /// WebSocket connections.
    pub connections: u64,
    /// New sessions.
    pub identifies: u64,
    /// Sessions that went on, and those of them that did not use the address that READY gave.
    pub resumes: u64,
    /// See `resumes`.
    pub resumes_elsewhere: u64,
    /// Attempts to go on with a session that were refused.
    pub failed_resumes: u64,
    /// Heartbeats, and those that were left without an answer.
    pub heartbeats: u64,
    /// See `heartbeats`.
    pub ignored_heartbeats: u64,
    /// Messages that were told again.
    pub told_twice: u64,
    /// Interactions whose first answer came too late.
    pub late_interactions: u64,
}

/// Everything that is only added to.
#[derive(Debug, Default)]
pub(super) struct Truth {
    pub(super) accepted: Vec<Accepted>,
    pub(super) refused: Vec<Refused>,
    pub(super) violations: Vec<Violation>,
    pub(super) counts: Counts,
    /// When the invalid requests of the last ten minutes were.
    pub(super) invalid: Vec<Duration>,
    /// What people and bot did to messages, for the judge.
    pub(super) records: Vec<Record>,
}

const INVALID_WINDOW: Duration = Duration::from_mins(10);
/// So many invalid requests in ten minutes, and the address is banned.
const MOST_INVALID: usize = 10_000;

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

    /// Counts an invalid request; true if the address is banned now.
    pub(super) fn invalid(&mut self, at: Duration) -> bool {
        self.counts.invalid_requests += 1;
        self.invalid
            .retain(|before| at.saturating_sub(*before) < INVALID_WINDOW);
        self.invalid.push(at);
        if self.invalid.len() == MOST_INVALID {
            self.violate(
                at,
                "10,000 invalid requests in ten minutes: the address would be banned",
            );
        }
        self.invalid.len() >= MOST_INVALID
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_thousand_invalid_requests_in_ten_minutes_are_a_ban() {
        let mut truth = Truth::default();
        for n in 0..9_999 {
            assert!(!truth.invalid(Duration::from_millis(n)));
        }
        assert!(truth.violations.is_empty());
        assert!(truth.invalid(Duration::from_mins(1)));
        assert_eq!(truth.violations.len(), 1);
        assert!(!truth.invalid(Duration::from_mins(11)), "the oldest are forgotten");
    }
}
