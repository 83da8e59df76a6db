//! The judge's view: whose answer each message of the bot is, since Telegram's posts carry no keys.

use std::collections::{BTreeMap, BTreeSet};

use tertulia_message::Addressed;

use super::TelegramDouble;
use crate::chat_double::{Judge, Kind, Question, Record, RecordAct, Rules, Spot, Summary};

/// Whether a message of the bot that is no reply, with its last text, answers a question.
pub type Claims<'a> = &'a dyn Fn(&Question, &str) -> bool;

impl TelegramDouble {
    /// Judges the whole run by the rules of [`crate::chat_double::ChatDouble::verdict`], as a platform without keys.
    ///
    /// A message of the bot answers what it replies to. One that is no reply answers the question that `claims` it: the
    /// earliest without an answer in its place. One that nobody claims goes on with the answer before it. A message that shows
    /// `judge.resent_mark` is a copy of the one before it in the same answer if that is a beginning of it, or no longer than
    /// a placeholder.
    ///
    /// # Errors
    /// Every broken promise, as a sentence.
    pub fn verdict(&self, judge: &Judge<'_>, claims: Claims<'_>) -> Result<Summary, Vec<String>> {
        let world = self.shared.world();
        let mut rules = Rules::of(Kind::Blind);
        rules.text_limit = super::text::LONGEST_TEXT;
        let mut log = world.truth.records.clone();
        Attribution::of(&log, judge.resent_mark, claims).write(&mut log);
        judge.judge(&rules, &log, &world.truth.violations, &world.excused, &[])
    }
}

/// A text that is shorter can be the beginning of anything.
const PLACEHOLDER: usize = 3;

/// Which question each post answers, and which part of the answer it is.
#[derive(Default)]
struct Attribution {
    answers: BTreeMap<u64, u64>,
    keys: BTreeMap<u64, String>,
}

struct Post {
    id: u64,
    spot: Spot,
    text: String,
    reply_to: Option<u64>,
    is_gone: bool,
}

impl Attribution {
    fn of(log: &[Record], mark: &str, claims: Claims<'_>) -> Self {
        let (questions, posts) = read(log);
        let mut attribution = Self::default();
        let mut answered = BTreeSet::new();
        let mut latest: BTreeMap<&Spot, u64> = BTreeMap::new();
        for post in &posts {
            let replied = post.reply_to.filter(|id| questions.contains_key(id));
            let claimed = || claimed(&questions, post, &answered, mark, claims);
            let Some(question) = replied.or_else(claimed).or_else(|| latest.get(&post.spot).copied()) else {
                continue;
            };
            attribution.answers.insert(post.id, question);
            if !post.is_gone {
                answered.insert(question);
            }
            let is_queued = questions
                .get(&question)
                .is_some_and(|asked| asked.addressed != Addressed::Command);
            if is_queued {
                latest.insert(&post.spot, question);
            }
        }
        attribution.copies(&posts, mark);
        attribution
    }

    /// Gives copies the key of what they are a copy of.
    fn copies(&mut self, posts: &[Post], mark: &str) {
        let mut last: BTreeMap<u64, &Post> = BTreeMap::new();
        for post in posts.iter().filter(|post| !post.is_gone) {
            let Some(question) = self.answers.get(&post.id) else {
                continue;
            };
            let before = last.insert(*question, post);
            let original = before.filter(|before| post.text.contains(mark) && begins(&before.text, &post.text, mark));
            let key = original.and_then(|before| self.keys.get(&before.id).cloned());
            self.keys
                .insert(post.id, key.unwrap_or_else(|| format!("part-{}", post.id)));
        }
    }

    fn write(&self, log: &mut [Record]) {
        for record in log.iter_mut().filter(|record| record.act == RecordAct::Posted) {
            record.in_reply_to = self.answers.get(&record.message).copied();
            record.key = self.keys.get(&record.message).cloned();
        }
    }
}

/// Questions, and posts with their last text, places as they are at the end.
fn read(log: &[Record]) -> (BTreeMap<u64, Question>, Vec<Post>) {
    let mut questions: BTreeMap<u64, Question> = BTreeMap::new();
    let mut posts: Vec<Post> = Vec::new();
    for record in log {
        let post = posts.iter_mut().find(|post| post.id == record.message);
        match &record.act {
            RecordAct::Said {
                addressed: Addressed::None,
                ..
            }
            | RecordAct::Redacted => {}
            RecordAct::Said { person, addressed } => {
                questions.insert(record.message, question(record, person, *addressed));
            }
            RecordAct::Changed => {
                if let Some(question) = questions.get_mut(&record.message) {
                    question.text.clone_from(&record.text);
                }
            }
            RecordAct::Posted => posts.push(Post {
                id: record.message,
                spot: record.spot.clone(),
                text: record.text.clone(),
                reply_to: record.in_reply_to,
                is_gone: false,
            }),
            RecordAct::Edited => drop(post.map(|post| post.text.clone_from(&record.text))),
            RecordAct::Deleted => drop(post.map(|post| post.is_gone = true)),
            RecordAct::Moved { to } => {
                let spots = questions.values_mut().map(|question| &mut question.spot);
                let spots = spots.chain(posts.iter_mut().map(|post| &mut post.spot));
                spots
                    .filter(|spot| spot.chat == record.spot.chat)
                    .for_each(|spot| to.clone_into(&mut spot.chat));
            }
        }
    }
    (questions, posts)
}

fn question(record: &Record, person: &str, addressed: Addressed) -> Question {
    Question {
        id: record.message,
        spot: record.spot.clone(),
        person: person.to_owned(),
        text: record.text.clone(),
        addressed,
        excused: false,
    }
}

/// The earliest question before the post that claims it and has no answer; else the latest that claims it.
fn claimed(
    questions: &BTreeMap<u64, Question>,
    post: &Post,
    answered: &BTreeSet<u64>,
    mark: &str,
    claims: Claims<'_>,
) -> Option<u64> {
    let before = questions.range(..post.id).map(|(_, question)| question);
    let here = before.filter(|question| question.spot == post.spot && claims(question, &post.text));
    let all: Vec<u64> = here.map(|question| question.id).collect();
    let is_copy = post.text.contains(mark);
    let unanswered = all.iter().find(|id| !answered.contains(*id)).filter(|_| !is_copy);
    unanswered.or(all.last()).copied()
}

/// Whether a text is a beginning of a copy.
fn begins(text: &str, copy: &str, mark: &str) -> bool {
    let bare = |text: &str| {
        text.replace(mark, "")
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect::<String>()
    };
    let (text, copy) = (bare(text), bare(copy));
    text.chars().count() <= PLACEHOLDER || copy.starts_with(&text) || text.starts_with(&copy)
}
