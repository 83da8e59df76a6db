//! `/forget`: what was said is deleted, after a look at how much it is.

use std::time::Duration;

use tertulia_core::record::{ConversationId, Slot, SlotState};
use tertulia_core::transaction::Change;
use tertulia_message::{Level, Post};
use tertulia_ports::{ConversationFacts, ConversationQuery, SlotQuery};

use super::halt::{Halt, halt, stop_turn};
use super::show::{code, count};
use super::{Answer, Call, Done, Refusal};
use crate::backing::patiently;
use tokio::time::{Instant, sleep};

/// How long messages on their way to the platform are waited for: what waits for something is not deleted.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

pub(super) async fn run(call: &Call<'_>) -> Done {
    let (whole_chat, sure) = read(call.arguments).ok_or(Refusal::Usage)?;
    if !call.direct && call.standing().level < Level::Trusted {
        let text = "Where others speak as well, only trusted people may have things forgotten.";
        return Err(Refusal::Said(text.to_owned()));
    }
    let query = if whole_chat {
        ConversationQuery::Chat(call.path.chat())
    } else {
        ConversationQuery::At(call.path.clone())
    };
    let conversations = patiently(|| call.shared.store.conversations(&query)).await?;
    if conversations.is_empty() {
        return Err(call.never_heard());
    }
    if sure {
        forget(call, whole_chat, conversations).await
    } else {
        Ok(preview(call, whole_chat, &conversations).into())
    }
}

/// Whether the whole chat is meant, and whether it is to be done.
fn read(arguments: &str) -> Option<(bool, bool)> {
    let words: Vec<&str> = arguments.split_whitespace().take(3).collect();
    match words.as_slice() {
        [] => Some((false, false)),
        ["yes"] => Some((false, true)),
        ["chat"] => Some((true, false)),
        ["chat", "yes"] => Some((true, true)),
        _ => None,
    }
}

fn preview(call: &Call<'_>, whole_chat: bool, conversations: &[ConversationFacts]) -> String {
    let entries: u64 = conversations.iter().map(|known| known.entries).sum();
    let entries = count(entries, "remembered message", "remembered messages");
    let (what, how) = if whole_chat {
        let number = u64::try_from(conversations.len()).unwrap_or(u64::MAX);
        let number = count(number, "conversation", "conversations");
        let chat = if call.is_elsewhere() {
            code(call.path.chat().as_str(), 512)
        } else {
            "this chat".to_owned()
        };
        (
            format!("This would delete {entries} in {number}: {chat} with all its threads,"),
            "chat yes",
        )
    } else {
        let place = if call.is_elsewhere() {
            call.place()
        } else {
            "of this conversation".to_owned()
        };
        (format!("This would delete the {entries} {place}"), "yes")
    };
    let how = call.once_more(how);
    format!("{what} and everything that was said before the last /new. It cannot be undone. To do it, send {how}.")
}

async fn forget(call: &Call<'_>, whole_chat: bool, conversations: Vec<ConversationFacts>) -> Done {
    let what = match (whole_chat, call.is_elsewhere()) {
        (false, _) => format!("What was said {}", call.place()),
        (true, false) => "What was said in this chat and its threads".to_owned(),
        (true, true) => format!(
            "What was said in {} and its threads",
            code(call.path.chat().as_str(), 512)
        ),
    };
    let text = format!("{what} is deleted. What the platform itself shows stays there.");
    let mut answer = Answer::from(text);
    let mut under_way = false;
    for known in &conversations {
        if stop_turn(call, known.id, &known.path, Halt::All).await?.is_none() {
            let text =
                "Nothing is deleted yet: a tool that changes something is still at work. Please try again later.";
            return Err(Refusal::Said(text.to_owned()));
        }
    }
    let until = Instant::now() + PATIENCE;
    for known in &conversations {
        while !due(call, known.id).await?.is_empty() && Instant::now() < until {
            sleep(PAUSE).await;
        }
        let mut halted = halt(call, known.id, &known.path, Halt::All).await?;
        halted.withheld.retain(never_posted);
        let vanishes = |slot: &Slot| halted.withheld.iter().any(|held| held.id == slot.id);
        under_way |= due(call, known.id).await?.iter().any(|slot| !vanishes(slot));
        for slot in &mut halted.withheld {
            slot.wish.shown = false;
            slot.wish.post = Post::default();
        }
        halted.note(&mut answer);
    }
    if under_way {
        answer.text += " A message is still on its way: send the same again later to delete it as well.";
    }
    let ids = conversations.iter().map(|known| known.id).collect();
    answer.changes.push(Change::Forget(ids));
    Ok(answer)
}

/// Messages older than the command that are still on their way, of whatever kind.
async fn due(call: &Call<'_>, conversation: ConversationId) -> Result<Vec<Slot>, Refusal> {
    let query = SlotQuery::Due(conversation, call.row.id);
    Ok(patiently(|| call.shared.store.slots(&query)).await?)
}

/// Nothing of it has reached the platform: it can vanish wholly.
fn never_posted(slot: &Slot) -> bool {
    slot.progress.ext_id.is_none() && matches!(slot.progress.state, SlotState::Idle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_is_a_yes() {
        for (arguments, expected) in [
            ("", Some((false, false))),
            ("yes", Some((false, true))),
            ("chat", Some((true, false))),
            ("chat  yes", Some((true, true))),
            ("Yes", None),
            ("yes please", None),
            ("yes chat", None),
            ("chat yes yes", None),
            ("--yes", None),
            ("\u{202e}sey", None),
        ] {
            assert_eq!(read(arguments), expected, "{arguments}");
        }
    }
}
