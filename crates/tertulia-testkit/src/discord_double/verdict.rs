//! The judge's view: what every message of the bot answers.

use std::collections::BTreeMap;

use tertulia_message::Addressed;

use super::DiscordDouble;
use crate::chat_double::{Judge, Kind, Question, Record, RecordAct, Rules, Summary};

/// Whether a message of the bot that is no reply, with its first text, answers a question.
pub type Claims<'a> = &'a dyn Fn(&Question, &str) -> bool;

/// The longest text that 2000 characters can be, in UTF-16 code units.
const LONGEST: usize = 4000;

impl DiscordDouble {
    /// Judges the whole run by the rules of [`crate::chat_double::ChatDouble::verdict`], as a platform with keys: the nonce
    /// of a message is its key.
    ///
    /// A message of the bot answers what it replies to, or the interaction whose token it used. One that does neither answers
    /// the latest question of its place that `claims` it.
    ///
    /// # Errors
    /// Every broken promise, as a sentence.
    pub fn verdict(&self, judge: &Judge<'_>, claims: Claims<'_>) -> Result<Summary, Vec<String>> {
        let world = self.shared.world();
        let mut rules = Rules::of(Kind::Keyed);
        rules.text_limit = LONGEST;
        let mut log = world.truth.records.clone();
        attribute(&mut log, claims);
        judge.judge(&rules, &log, &world.truth.violations, &world.excused, &[])
    }
}

/// Gives posts without a question the one that claims them.
fn attribute(log: &mut [Record], claims: Claims<'_>) {
    let mut questions: BTreeMap<u64, Question> = BTreeMap::new();
    for record in log {
        match &record.act {
            RecordAct::Said { addressed, person } if *addressed != Addressed::None => {
                let question = Question {
                    id: record.message,
                    spot: record.spot.clone(),
                    person: person.clone(),
                    text: record.text.clone(),
                    addressed: *addressed,
                    excused: false,
                };
                questions.insert(record.message, question);
            }
            RecordAct::Changed => {
                if let Some(question) = questions.get_mut(&record.message) {
                    question.text.clone_from(&record.text);
                }
            }
            RecordAct::Posted if record.in_reply_to.is_none() => {
                let here = questions.values().rev().filter(|question| question.spot == record.spot);
                let claimed = here.into_iter().find(|question| claims(question, &record.text));
                record.in_reply_to = claimed.map(|question| question.id);
            }
            _ => {}
        }
    }
}
