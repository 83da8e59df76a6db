//! What stands below one question: parts, and copies of parts.

use std::collections::BTreeMap;

use super::Question;
use super::replay::{Replay, Shown};
use crate::chat_double::rules::Kind;

/// The visible messages of the bot that answer one question, grouped by key: a group is one part with its copies.
pub(super) struct Answer<'a> {
    groups: Vec<Vec<&'a Shown>>,
}

impl<'a> Answer<'a> {
    pub(super) fn of(question: &Question, replay: &'a Replay) -> Self {
        let mut keyed: BTreeMap<&str, usize> = BTreeMap::new();
        let mut groups: Vec<Vec<&Shown>> = Vec::new();
        let shown = replay.posts.values().filter(|post| !post.deleted);
        for post in shown.filter(|post| post.in_reply_to == Some(question.id)) {
            let known = post.key.as_deref().and_then(|key| keyed.get(key));
            if let Some(group) = known.and_then(|place| groups.get_mut(*place)) {
                group.push(post);
                continue;
            }
            if let Some(key) = &post.key {
                keyed.insert(key, groups.len());
            }
            groups.push(vec![post]);
        }
        Self { groups }
    }

    /// The parts in the order in which they stand; of copies the last one, which came after all that was unsure.
    pub(super) fn parts(&self) -> Vec<&'a Shown> {
        let mut parts: Vec<&Shown> = self.groups.iter().filter_map(|group| group.last().copied()).collect();
        parts.sort_by_key(|part| part.id);
        parts
    }

    /// The id of the earliest message below the question.
    pub(super) fn first_post(&self) -> Option<u64> {
        self.groups.iter().flatten().map(|post| post.id).min()
    }

    /// Counts the copies that are tolerated: on a blind platform, and each behind the first with the mark.
    pub(super) fn without_copies(&self, kind: Kind, resent_mark: &str) -> Result<usize, String> {
        let mut copies = 0;
        for group in &self.groups {
            let marked = group.iter().skip(1).all(|copy| copy.text.contains(resent_mark));
            match group.len() {
                1 => {}
                more if kind == Kind::Blind && marked => copies += more - 1,
                _ => {
                    let texts: Vec<_> = group.iter().map(|post| (post.id, &post.text)).collect();
                    return Err(format!("one message stands more than once: {texts:?}"));
                }
            }
        }
        Ok(copies)
    }

    /// Messages that do not stand where the question stands.
    pub(super) fn misplaced(&self, question: &Question) -> Vec<String> {
        let elsewhere = self.groups.iter().flatten().filter(|post| post.spot != question.spot);
        elsewhere
            .map(|post| {
                let (id, asked, answered) = (question.id, &question.spot, &post.spot);
                format!("message {id} was asked in {asked} and answered in {answered}")
            })
            .collect()
    }
}
