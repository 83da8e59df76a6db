//! Reads the ground truth from its beginning: which questions were asked, and what is visible at the end.

use std::collections::{BTreeMap, BTreeSet};

use tertulia_message::Addressed;

use super::Question;
use crate::chat_double::calls::Spot;
use crate::chat_double::record::{Record, RecordAct};

/// One message of the bot, as it is at the end.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) id: u64,
    pub(super) spot: Spot,
    pub(super) text: String,
    pub(super) key: Option<String>,
    pub(super) in_reply_to: Option<u64>,
    pub(super) deleted: bool,
    /// The longest text it ever had, and whether it ever had none.
    longest: usize,
    was_empty: bool,
}

/// The end of a run.
pub(super) struct Replay {
    pub(super) questions: BTreeMap<u64, Question>,
    pub(super) posts: BTreeMap<u64, Shown>,
}

impl Replay {
    pub(super) fn of(log: &[Record], excused: &BTreeSet<u64>) -> Self {
        let mut replay = Self {
            questions: BTreeMap::new(),
            posts: BTreeMap::new(),
        };
        for record in log {
            replay.apply(record, excused);
        }
        replay
    }

    fn apply(&mut self, record: &Record, excused: &BTreeSet<u64>) {
        match &record.act {
            RecordAct::Said {
                addressed: Addressed::None,
                ..
            } => {}
            RecordAct::Said { person, addressed } => {
                let question = Question {
                    id: record.message,
                    spot: record.spot.clone(),
                    person: person.clone(),
                    text: record.text.clone(),
                    addressed: *addressed,
                    excused: excused.contains(&record.message),
                };
                self.questions.insert(record.message, question);
            }
            RecordAct::Changed => {
                if let Some(question) = self.questions.get_mut(&record.message) {
                    question.text.clone_from(&record.text);
                }
            }
            RecordAct::Redacted => {
                if let Some(question) = self.questions.get_mut(&record.message) {
                    question.excused = true;
                }
            }
            RecordAct::Moved { to } => self.rename(&record.spot.chat, to),
            RecordAct::Posted => {
                self.posts.insert(record.message, Shown::of(record));
            }
            RecordAct::Edited => {
                if let Some(post) = self.posts.get_mut(&record.message) {
                    post.show(&record.text);
                }
            }
            RecordAct::Deleted => {
                if let Some(post) = self.posts.get_mut(&record.message) {
                    post.deleted = true;
                }
            }
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        let questions = self.questions.values_mut().map(|question| &mut question.spot);
        let posts = self.posts.values_mut().map(|post| &mut post.spot);
        for spot in questions.chain(posts).filter(|spot| spot.chat == from) {
            to.clone_into(&mut spot.chat);
        }
    }

    pub(super) fn texts_out_of_bounds(&self, limit: usize) -> Vec<String> {
        let bad = self
            .posts
            .values()
            .filter(|post| post.longest > limit || post.was_empty);
        bad.map(|post| format!("message {} of the bot is over the limit, or empty", post.id))
            .collect()
    }

    /// Visible messages of the bot that answer nothing that was addressed to it, and are not expected beside the answers.
    pub(super) fn orphans(&self, is_beside: impl Fn(&str) -> bool) -> Vec<String> {
        let asked = |post: &&Shown| post.in_reply_to.is_some_and(|id| self.questions.contains_key(&id));
        let shown = self.posts.values().filter(|post| !post.deleted);
        shown
            .filter(|post| !asked(post) && !is_beside(&post.text))
            .map(|post| format!("message {} of the bot answers no question: {:?}", post.id, post.text))
            .collect()
    }
}

impl Shown {
    fn of(record: &Record) -> Self {
        let mut shown = Self {
            id: record.message,
            spot: record.spot.clone(),
            text: String::new(),
            key: record.key.clone(),
            in_reply_to: record.in_reply_to,
            deleted: false,
            longest: 0,
            was_empty: false,
        };
        shown.show(&record.text);
        shown
    }

    fn show(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.longest = self.longest.max(text.encode_utf16().count());
        self.was_empty |= text.trim().is_empty();
    }
}
