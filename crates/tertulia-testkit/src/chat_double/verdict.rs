//! The judge: from the ground truth alone, whether every question was answered once, in its place and in order.

mod answer;
mod replay;

use std::collections::{BTreeMap, BTreeSet};

use tertulia_message::Addressed;

use super::calls::Spot;
use super::record::{Record, Violation};
use super::rules::{Kind, Rules};
use answer::Answer;
use replay::{Replay, Shown};

/// A message of a person that is addressed to the bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its id.
    pub id: u64,
    /// Where it stands, at the end.
    pub spot: Spot,
    /// Who asked.
    pub person: String,
    /// What it says, at the end.
    pub text: String,
    /// How the bot was addressed.
    pub addressed: Addressed,
    /// True if the person deleted it, or the bot lost the right to write there: an answer may be missing.
    pub excused: bool,
}

/// What the visible answer to a question has to be. White space is not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Some answer, whatever it says.
    Any,
    /// An answer of exactly this text, all parts together.
    Equals(String),
    /// An answer in which this text stands exactly once, all parts together.
    Contains(String),
    /// This text whole, or its beginning and then words that begin with the mark, all parts together; or no answer.
    Cut {
        /// The whole text.
        text: String,
        /// How what stands behind the beginning begins.
        mark: String,
    },
    /// Any answer, or none.
    Optional,
    /// No answer.
    Nothing,
}

/// What the judge has to know about the bot and the test.
pub struct Judge<'a> {
    /// What a message that may be a second copy shows, so that people can tell.
    pub resent_mark: &'a str,
    /// Texts of which each makes a message an interruption or failure notice.
    pub notices: &'a [&'a str],
    /// What each question's answer has to be.
    pub expected: &'a dyn Fn(&Question) -> Expected,
}

/// What the judge counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Messages addressed to the bot.
    pub questions: usize,
    /// Those with an answer.
    pub answered: usize,
    /// Those with a notice instead.
    pub notices: usize,
    /// Those without either, rightly.
    pub unanswered: usize,
    /// Second copies that showed the mark.
    pub resent: usize,
    /// Messages of the bot that are visible at the end.
    pub posts: usize,
    /// Texts that it was to say beside its answers, and has.
    pub beside: usize,
}

impl<'a> Judge<'a> {
    /// A judge to whom any answer will do.
    #[must_use]
    pub fn lenient(resent_mark: &'a str, notices: &'a [&'a str]) -> Self {
        Self {
            resent_mark,
            notices,
            expected: &|_| Expected::Any,
        }
    }

    pub(crate) fn judge(
        &self,
        rules: &Rules,
        log: &[Record],
        violations: &[Violation],
        excused: &BTreeSet<u64>,
        beside: &[String],
    ) -> Result<Summary, Vec<String>> {
        let replay = Replay::of(log, excused);
        let mut faults: Vec<String> = violations.iter().map(ToString::to_string).collect();
        faults.extend(replay.texts_out_of_bounds(rules.text_limit));
        faults.extend(replay.orphans(|text| beside.contains(&self.unmarked(text))));
        let mut summary = Summary {
            questions: replay.questions.len(),
            posts: replay.posts.values().filter(|post| !post.deleted).count(),
            ..Summary::default()
        };
        for question in replay.questions.values() {
            let answer = Answer::of(question, &replay);
            self.judge_answer(rules.kind, question, &answer, &mut summary, &mut faults);
        }
        faults.extend(out_of_order(&replay));
        for text in beside {
            match self.said_once(text, rules.kind, &replay) {
                Ok(said) => summary.beside += usize::from(said),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() { Ok(summary) } else { Err(faults) }
    }

    /// Whether a text is said beside the answers; the error says that it is more than once.
    fn said_once(&self, text: &str, kind: Kind, replay: &Replay) -> Result<bool, String> {
        let shown = replay
            .posts
            .values()
            .filter(|post| !post.deleted && post.in_reply_to.is_none());
        let said: Vec<&Shown> = shown.filter(|post| self.unmarked(&post.text) == text).collect();
        let is_copy = |post: &&Shown| post.text.contains(self.resent_mark) && kind == Kind::Blind;
        match said.iter().filter(|post| !is_copy(post)).count() {
            0 | 1 => Ok(!said.is_empty()),
            times => Err(format!("{text:?} is said {times} times")),
        }
    }

    fn unmarked(&self, text: &str) -> String {
        text.replace(self.resent_mark, "").trim().to_owned()
    }

    fn judge_answer(
        &self,
        kind: Kind,
        question: &Question,
        answer: &Answer<'_>,
        summary: &mut Summary,
        faults: &mut Vec<String>,
    ) {
        let id = question.id;
        let expected = (self.expected)(question);
        faults.extend(answer.misplaced(question));
        match answer.without_copies(kind, self.resent_mark) {
            Ok(copies) => summary.resent += copies,
            Err(fault) => faults.push(fault),
        }
        let parts = answer.parts();
        if parts.is_empty() {
            if question.excused || matches!(expected, Expected::Optional | Expected::Nothing | Expected::Cut { .. }) {
                summary.unanswered += 1;
            } else {
                faults.push(format!("message {id} has no answer: {:?}", question.text));
            }
            return;
        }
        let notices = parts.iter().filter(|part| self.is_notice(&part.text)).count();
        if notices > 0 {
            summary.notices += 1;
            // what was already shown may stay above the notice that ends it
            let ends_it = parts.last().is_some_and(|part| self.is_notice(&part.text));
            if notices > 1 || !ends_it {
                faults.push(format!(
                    "message {id} has a notice and something else: {:?}",
                    texts(&parts)
                ));
            }
            return;
        }
        summary.answered += 1;
        faults.extend(self.wrong_text(question, &expected, &parts));
    }

    fn is_notice(&self, text: &str) -> bool {
        self.notices.iter().any(|notice| text.contains(notice))
    }

    fn wrong_text(&self, question: &Question, expected: &Expected, parts: &[&Shown]) -> Option<String> {
        let whole: String = parts
            .iter()
            .map(|part| part.text.replace(self.resent_mark, ""))
            .collect();
        let found = without_blanks(&whole);
        let right = match expected {
            Expected::Any | Expected::Optional => !repeats_itself(parts),
            Expected::Nothing => false,
            Expected::Equals(text) => found == without_blanks(text),
            Expected::Cut { text, mark } => {
                let whole = without_blanks(text);
                let beginning = found.split_once(&without_blanks(mark)).map(|(beginning, _)| beginning);
                found == whole || beginning.is_some_and(|beginning| whole.starts_with(beginning))
            }
            Expected::Contains(text) => found.matches(&without_blanks(text)).count() == 1,
        };
        let (id, texts) = (question.id, texts(parts));
        (!right).then(|| format!("message {id} is answered by {texts:?}, expected is {expected:?}"))
    }
}

fn texts<'a>(parts: &[&'a Shown]) -> Vec<&'a str> {
    parts.iter().map(|part| part.text.as_str()).collect()
}

fn repeats_itself(parts: &[&Shown]) -> bool {
    let mut seen = BTreeSet::new();
    !parts.iter().all(|part| seen.insert(&part.text))
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// Answers that come before the answer to an earlier question of the same place. Commands do not queue.
fn out_of_order(replay: &Replay) -> Vec<String> {
    let mut latest: BTreeMap<&Spot, (u64, u64)> = BTreeMap::new();
    let mut faults = Vec::new();
    let queued = replay
        .questions
        .values()
        .filter(|question| question.addressed != Addressed::Command);
    for question in queued {
        let Some(first) = Answer::of(question, replay).first_post() else {
            continue;
        };
        let (earlier, post) = latest.get(&question.spot).copied().unwrap_or_default();
        if first < post {
            let id = question.id;
            faults.push(format!("message {id} is answered before message {earlier}"));
        } else {
            latest.insert(&question.spot, (question.id, first));
        }
    }
    faults
}

#[cfg(test)]
mod tests;
