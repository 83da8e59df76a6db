//! A strict chat platform in memory: it hands out updates until they are confirmed, takes posts, and keeps the ground truth.

mod calls;
mod faults;
mod gates;
mod interface;
mod people;
mod place;
mod platform;
mod queue;
mod record;
mod rules;
mod verdict;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

pub use calls::{Call, CallKind, Edited, NewEdit, NewPost, Refusal, Spot};
pub use faults::{Fault, Faults};
pub(crate) use interface::inbound;
pub use interface::{DoubleInterface, DoubleSettings};
pub use people::{Event, Said, Update};
pub use record::{Counts, Record, RecordAct, Violation};
pub use rules::{Kind, Rules};
pub use verdict::{Expected, Judge, Question, Summary};

use platform::Platform;

/// A chat platform in memory, in one of three [`Kind`]s.
///
/// It is pure and synchronous: time is an argument of every call, counted from any fixed moment and
/// never going back. It forbids what real platforms forbid, and writes down whoever tries.
pub struct ChatDouble {
    platform: Mutex<Platform>,
    arrivals: Notify,
}

impl ChatDouble {
    /// An empty platform.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            platform: Mutex::new(Platform::new(rules)),
            arrivals: Notify::new(),
        }
    }

    fn platform(&self) -> MutexGuard<'_, Platform> {
        self.platform.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rules it was made with.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.platform().rules.clone()
    }

    /// Is notified (`notify_waiters`) whenever an update is queued.
    pub fn arrivals(&self) -> &Notify {
        &self.arrivals
    }
}

/// What people and the test do.
impl ChatDouble {
    /// A person says something; the chat is made where needed, and opened where it was closed to the bot.
    /// Gives the message's id.
    pub fn say(&self, at: Duration, said: Said) -> String {
        let id = self.platform().say(at, said);
        self.arrivals.notify_waiters();
        id.to_string()
    }

    /// A person gives a message of theirs a new text; false if there is no such message.
    pub fn change(&self, at: Duration, message: &str, text: &str) -> bool {
        let done = self.platform().change(at, message, text);
        self.arrivals.notify_waiters();
        done
    }

    /// A person deletes a message of theirs; false if there is no such message.
    pub fn redact(&self, at: Duration, message: &str) -> bool {
        let done = self.platform().redact(at, message);
        self.arrivals.notify_waiters();
        done
    }

    /// A person deletes a message of the bot, which is told nothing; false if it is not there.
    pub fn take_away(&self, at: Duration, message: &str) -> bool {
        let id = message.parse();
        id.is_ok_and(|id| self.platform().take_away(at, id))
    }

    /// A person presses a button, also one that is no longer there, or never was; gives the press's id.
    ///
    /// The record has it as something that was said to the bot, with the token as its text.
    pub fn press(&self, at: Duration, spot: &Spot, person: &str, token: &str) -> String {
        let id = self.platform().press(at, spot, person, token);
        self.arrivals.notify_waiters();
        id.to_string()
    }

    /// Makes a chat that the bot may write to although nobody has said anything there, or opens a closed one.
    pub fn open_chat(&self, chat: &str) {
        self.platform().open_chat(chat);
    }

    /// A chat gets a new address, which the bot is told by an update; the old one answers [`Refusal::Moved`]. Where
    /// [`Rules::ids_die`], what the bot said there is out of its reach, and nobody demands it.
    pub fn move_chat(&self, at: Duration, from: &str, to: &str) {
        self.platform().move_chat(at, from, to, true);
        self.arrivals.notify_waiters();
    }

    /// How many updates beyond `after` are still to be handed out; asking changes nothing.
    #[must_use]
    pub fn waiting(&self, after: Option<u64>) -> usize {
        self.platform().queue.beyond(after)
    }

    /// Replaces the plan of faults.
    pub fn plan(&self, faults: Faults) {
        self.platform().faults = faults;
    }

    /// The bot was started anew and cannot know which limits it is under: its first call into one is no violation.
    pub fn bot_restarted(&self, at: Duration) {
        self.platform().gates.forgive(at);
    }
}

/// What the bot does.
impl ChatDouble {
    /// Confirms all updates up to `after`, and hands out at most `most` of those that are not confirmed.
    pub fn updates(&self, at: Duration, after: Option<u64>, most: usize) -> Vec<Update> {
        self.platform().updates(at, after, most)
    }

    /// Posts a message; gives its id.
    ///
    /// # Errors
    /// What the platform forbids, and what the plan of faults says.
    pub fn post(&self, at: Duration, post: &NewPost) -> Result<String, Refusal> {
        self.platform().post(at, post).map(|id| id.to_string())
    }

    /// Gives a message of the bot a new text.
    ///
    /// # Errors
    /// As [`ChatDouble::post`]; a message that is not the bot's is [`Refusal::NoMessage`].
    pub fn edit(&self, at: Duration, edit: &NewEdit) -> Result<Edited, Refusal> {
        self.platform().edit(at, edit)
    }

    /// Deletes a message of the bot; one that is already gone is success.
    ///
    /// # Errors
    /// As [`ChatDouble::edit`].
    pub fn delete(&self, at: Duration, spot: &Spot, message: &str) -> Result<(), Refusal> {
        self.platform().delete(at, spot, message)
    }

    /// Looks for a post by its key, on a keyed platform, or by what it answers and which part of the answer
    /// it is, on a findable one.
    ///
    /// # Errors
    /// A blind platform gives [`Refusal::CannotTell`], and so does any fault planned for the call.
    pub fn find(&self, at: Duration, post: &NewPost) -> Result<Option<String>, Refusal> {
        let found = self.platform().find(at, post)?;
        Ok(found.map(|id| id.to_string()))
    }

    /// Shows a draft of an answer in the making.
    ///
    /// # Errors
    /// What holds for the text of a post.
    pub fn preview(&self, at: Duration, spot: &Spot, text: &str) -> Result<(), Refusal> {
        self.platform().preview(at, spot, text)
    }

    /// Shows whoever pressed a button what came of it.
    pub fn answer_press(&self, at: Duration, press: &str, text: &str) {
        self.platform().answer_press(at, press, text);
    }

    /// Shows that the bot is at work.
    pub fn typing(&self, at: Duration, spot: &Spot) {
        self.platform().typing(at, spot);
    }
}

/// The ground truth.
impl ChatDouble {
    /// Everything that was accepted, in order.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.platform().log.clone()
    }

    /// Everything that a well-behaved bot does not do, in order.
    #[must_use]
    pub fn violations(&self) -> Vec<Violation> {
        self.platform().violations.clone()
    }

    /// The buttons below the bot's messages in a place, the oldest message first: the message's id and the token.
    #[must_use]
    pub fn buttons(&self, spot: &Spot) -> Vec<(String, String)> {
        let buttons = self.platform().buttons(spot);
        buttons.into_iter().map(|(id, token)| (id.to_string(), token)).collect()
    }

    /// The bot's newest message in a place that people can see.
    #[must_use]
    pub fn newest(&self, spot: &Spot) -> Option<String> {
        self.platform().newest(spot).map(|id| id.to_string())
    }

    /// What people read who pressed buttons, in order: the press's id and the text.
    #[must_use]
    pub fn pressed(&self) -> Vec<(String, String)> {
        let pressed = self.platform().pressed.clone();
        pressed.into_iter().map(|(id, text)| (id.to_string(), text)).collect()
    }

    /// How often the bot did what leaves no record.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.platform().counts
    }

    /// All updates up to this one are confirmed.
    #[must_use]
    pub fn confirmed(&self) -> u64 {
        self.platform().queue.confirmed()
    }

    /// What stands in a place at the end: the author (`None` for the bot) and the text of every message.
    #[must_use]
    pub fn transcript(&self, chat: &str, thread: Option<&str>) -> Vec<(Option<String>, String)> {
        self.platform().transcript(chat, thread)
    }

    /// Judges the whole run, from the ground truth alone.
    ///
    /// # Errors
    /// Every broken promise, as a sentence.
    pub fn verdict(&self, judge: &Judge<'_>) -> Result<Summary, Vec<String>> {
        let platform = self.platform();
        let beside = &platform.beside;
        judge.judge(
            &platform.rules,
            &platform.log,
            &platform.violations,
            &platform.excused,
            beside,
        )
    }

    /// Texts that the bot may say beside its answers, each once; they are no answers.
    pub fn expect_beside(&self, texts: &[&str]) {
        self.platform().beside = texts.iter().map(|text| (*text).to_owned()).collect();
    }
}

#[cfg(test)]
mod tests;
