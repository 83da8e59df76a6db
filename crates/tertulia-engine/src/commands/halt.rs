//! Stops what runs in a conversation, before a command goes on.

use std::collections::HashMap;
use std::time::Duration;

use tertulia_core::record::{ConversationId, InboxId, Slot, Wish};
use tertulia_core::session::Stopped;
use tertulia_core::stop;
use tertulia_core::transaction::Change;
use tertulia_message::SlotId;
use tertulia_message::path::InterfacePath;
use tertulia_ports::SlotQuery;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout_at};

use super::show::count;
use super::{Answer, Call, Refusal};
use crate::backing::patiently;
use crate::hub::{Ask, StopOrder};

/// How long a stop is waited for: longer only if a tool is at work that must not be cut off.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pause before a session that was too busy is asked again.
const PAUSE: Duration = Duration::from_millis(100);

/// What a stop has done.
#[derive(Debug, Default)]
pub(super) struct Halted {
    /// True if a turn was ended.
    turn: bool,
    /// So many messages had waited.
    rows: usize,
    /// True if something is still at work that has to come to its end.
    pub(super) at_work: bool,
    /// Messages that were not yet shown, with their new wishes.
    pub(super) withheld: Vec<Slot>,
}

/// What is to be ended.
#[derive(Debug, Clone, Copy)]
pub(super) enum Halt {
    /// Everything that is older than the command.
    All,
    /// One turn, by its trigger; what waits goes on.
    Turn(InboxId),
}

/// Ends the turn, drops what waits, and holds back what is not shown yet.
pub(super) async fn halt(
    call: &Call<'_>,
    conversation: ConversationId,
    path: &InterfacePath,
    what: Halt,
) -> Result<Halted, Refusal> {
    let stopped = stop_turn(call, conversation, path, what).await?;
    let unsent = unsent(call, conversation).await?;
    let interface = call.shared.interface(path.interface());
    let mut wishes = interface.map_or_else(Vec::new, |interface| stop::withhold(&unsent, interface.limits(path)));
    if let Halt::Turn(turn) = what {
        wishes.retain(|(slot, _)| slot.trigger == turn.0);
    }
    Ok(Halted {
        turn: stopped.is_some_and(|stopped| stopped.turn),
        rows: stopped.map_or(0, |stopped| stopped.rows),
        at_work: stopped.is_none(),
        withheld: with_wishes(unsent, wishes),
    })
}

/// The answers of settled turns, older than the command, that are not wholly shown.
async fn unsent(call: &Call<'_>, conversation: ConversationId) -> Result<Vec<Slot>, Refusal> {
    let query = SlotQuery::Unsent(conversation, call.row.id);
    Ok(patiently(|| call.shared.store.slots(&query)).await?)
}

/// Those of the slots that get another wish, with it.
fn with_wishes(slots: Vec<Slot>, wishes: Vec<(SlotId, Wish)>) -> Vec<Slot> {
    let mut wishes: HashMap<SlotId, Wish> = wishes.into_iter().collect();
    let with_wish = |slot: Slot| {
        let wish = wishes.remove(&slot.id)?;
        Some(Slot { wish, ..slot })
    };
    slots.into_iter().filter_map(with_wish).collect()
}

/// Ends the turn and drops what waits; none if something is still at work that has to come to its end.
pub(super) async fn stop_turn(
    call: &Call<'_>,
    conversation: ConversationId,
    path: &InterfacePath,
    what: Halt,
) -> Result<Option<Stopped>, Refusal> {
    let until = Instant::now() + PATIENCE;
    loop {
        let (answer, stopped) = oneshot::channel();
        let order = match what {
            Halt::All => StopOrder::All { by: call.row.id },
            Halt::Turn(turn) => StopOrder::Turn { by: call.row.id, turn },
        };
        let ask = Ask::Stop(conversation, path.clone(), order, answer);
        if !call.shared.ask(ask).await {
            return Err(Refusal::Left);
        }
        match timeout_at(until, stopped).await {
            // a session that ends with the process no longer looks at what waits
            Ok(_) if call.shared.is_stopping() => return Err(Refusal::Left),
            Ok(Ok(stopped)) => return Ok(Some(stopped)),
            Err(_) => return Ok(None),
            Ok(Err(_)) if Instant::now() + PAUSE >= until => {
                return Err(Refusal::Said("I am too busy to stop it. Please try again.".to_owned()));
            }
            Ok(Err(_)) => sleep(PAUSE).await,
        }
    }
}

impl Halted {
    /// What happened, in words; empty if nothing did.
    pub(super) fn told(&self) -> String {
        if self.at_work {
            return "A tool that changes something is still at work; the answer ends when it is done.".to_owned();
        }
        let mut told = if self.turn || self.rows > 0 {
            "Stopped.".to_owned()
        } else if self.withheld.is_empty() {
            return String::new();
        } else {
            "Stopped: what was not yet shown is held back.".to_owned()
        };
        if self.rows > 0 {
            let rows = u64::try_from(self.rows).unwrap_or(u64::MAX);
            let more = format!(
                " {} {} dropped.",
                count(rows, "waiting message", "waiting messages"),
                if rows == 1 { "was" } else { "were" }
            );
            told += &more;
        }
        told
    }

    /// The answer of a command that does more than to stop.
    pub(super) fn answer(self, text: impl Into<String>, more: impl IntoIterator<Item = Change>) -> Answer {
        let mut answer = Answer::from(text.into());
        self.note(&mut answer);
        answer.changes.extend(more);
        answer
    }

    /// Puts what is held back into an answer.
    pub(super) fn note(self, answer: &mut Answer) {
        if !self.withheld.is_empty() {
            let wish = |slot: &Slot| (slot.id, slot.wish.clone());
            answer
                .changes
                .push(Change::Rewish(self.withheld.iter().map(wish).collect()));
            answer.rewished.extend(self.withheld);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(turn: bool, rows: usize, at_work: bool, expected: &str) {
        let halted = Halted {
            turn,
            rows,
            at_work,
            withheld: Vec::new(),
        };
        assert_eq!(halted.told(), expected);
    }

    #[test]
    fn a_stop_says_what_it_did() {
        check(false, 0, false, "");
        check(true, 0, false, "Stopped.");
        check(true, 1, false, "Stopped. 1 waiting message was dropped.");
        check(false, 2, false, "Stopped. 2 waiting messages were dropped.");
        check(
            false,
            0,
            true,
            "A tool that changes something is still at work; the answer ends when it is done.",
        );
    }
}
