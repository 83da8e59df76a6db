//! `/deadletters`: messages that could not be delivered; they can be tried again, or dropped.

use tertulia_core::record::{Slot, SlotProgress};
use tertulia_core::reply;
use tertulia_core::transaction::Change;
use tertulia_message::{SlotId, SlotKind};
use tertulia_ports::SlotQuery;

use super::show::{code, count};
use super::{Answer, Call, Done, Refusal, when, words};
use crate::backing::patiently;

/// So many are listed.
const LISTED: usize = 10;
/// So many can be named, or meant by `all`.
const REACHED: u32 = 1000;

enum Act {
    List,
    Retry(Which),
    Drop(Which),
}

enum Which {
    All,
    One(SlotId),
}

pub(super) async fn run(call: &Call<'_>) -> Done {
    let act = read(call.arguments)?;
    let dead = patiently(|| call.shared.store.slots(&SlotQuery::Dead(REACHED))).await?;
    match act {
        Act::List => Ok(listed(&dead, call.wall()).into()),
        Act::Retry(which) => Ok(retry(chosen(dead, &which)?, call.wall())),
        Act::Drop(which) => {
            let dead = chosen(dead, &which)?;
            let what = counted(&dead);
            let ids = dead.iter().map(|slot| slot.id).collect();
            Ok(Answer {
                changes: vec![Change::Bury(ids)],
                ..Answer::from(format!("{what} dropped."))
            })
        }
    }
}

fn read(arguments: &str) -> Result<Act, Refusal> {
    let words: Vec<&str> = arguments.split_whitespace().take(3).collect();
    match words.as_slice() {
        [] => Ok(Act::List),
        ["retry", which] => read_which(which).map(Act::Retry),
        ["drop", which] => read_which(which).map(Act::Drop),
        _ => Err(Refusal::Usage),
    }
}

fn read_which(word: &str) -> Result<Which, Refusal> {
    if word == "all" {
        return Ok(Which::All);
    }
    read_number(word).map(Which::One).ok_or_else(|| unknown(word))
}

fn unknown(id: &str) -> Refusal {
    Refusal::Said(format!(
        "There is no dead letter {}. /deadletters lists them.",
        code(id, 40)
    ))
}

/// What stands for a message as long as it is there: the number of the row that caused it, a letter, the part.
fn number(id: SlotId) -> String {
    format!("{}{}{}", id.trigger, letter(id.kind), id.part)
}

fn read_number(word: &str) -> Option<SlotId> {
    let (trigger, part) = word.split_once(|letter: char| letter.is_ascii_lowercase())?;
    let kinds = [SlotKind::Answer, SlotKind::Notice, SlotKind::Command, SlotKind::Say];
    let kind = word.chars().find(char::is_ascii_lowercase)?;
    let kind = kinds.into_iter().find(|known| letter(*known) == kind)?;
    let is_plain = !trigger.is_empty() && trigger.bytes().all(|byte| byte.is_ascii_digit());
    Some(SlotId {
        trigger: is_plain.then(|| trigger.parse().ok())??,
        kind,
        part: words::number(part)?,
    })
}

fn letter(kind: SlotKind) -> char {
    match kind {
        SlotKind::Answer => 'a',
        SlotKind::Notice => 'n',
        SlotKind::Command => 'c',
        SlotKind::Say => 's',
    }
}

fn chosen(dead: Vec<Slot>, which: &Which) -> Result<Vec<Slot>, Refusal> {
    let chosen: Vec<Slot> = match which {
        Which::All => dead,
        Which::One(id) => dead.into_iter().filter(|slot| slot.id == *id).collect(),
    };
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    Err(match which {
        Which::All => Refusal::Said("There is no dead letter: every message could be delivered.".to_owned()),
        Which::One(id) => unknown(&number(*id)),
    })
}

fn counted(slots: &[Slot]) -> String {
    let number = u64::try_from(slots.len()).unwrap_or(u64::MAX);
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", count(number, "message", "messages"))
}

fn retry(mut slots: Vec<Slot>, wall: i64) -> Answer {
    let expires_at = wall.saturating_add(reply::SLOT_LIFE);
    let change = Change::Revive {
        slots: slots.iter().map(|slot| slot.id).collect(),
        expires_at,
    };
    let text = format!("{} tried again.", counted(&slots));
    for slot in &mut slots {
        slot.expires_at = expires_at;
        slot.progress = revived(std::mem::take(&mut slot.progress));
    }
    Answer {
        changes: vec![change],
        rewished: slots,
        ..Answer::from(text)
    }
}

/// As the store makes it: what the platform has stays known, all else is forgotten.
fn revived(progress: SlotProgress) -> SlotProgress {
    SlotProgress {
        ext_id: progress.ext_id,
        got_rev: progress.got_rev,
        forced: progress.forced,
        ..SlotProgress::default()
    }
}

fn listed(dead: &[Slot], now: i64) -> String {
    if dead.is_empty() {
        return "Every message could be delivered.".to_owned();
    }
    let mut lines: Vec<String> = dead.iter().take(LISTED).map(|slot| line(slot, now)).collect();
    let more = dead.len().saturating_sub(LISTED);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    format!(
        "{}\n\n`/deadletters retry` and `/deadletters drop` take an id, or `all`.",
        lines.join("\n")
    )
}

fn line(slot: &Slot, now: i64) -> String {
    let error = slot.progress.error.as_deref().unwrap_or("unknown");
    let made = slot.expires_at.saturating_sub(reply::SLOT_LIFE);
    format!(
        "- `{}` in {}, {}: {}; {}",
        number(slot.id),
        code(slot.path.as_str(), 512),
        when::ago(now, made),
        code(error, 100),
        code(&slot.wish.post.markup.plain(), 80)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_what_they_were_made_from() {
        for kind in [SlotKind::Answer, SlotKind::Notice, SlotKind::Command, SlotKind::Say] {
            let id = SlotId {
                trigger: 17,
                kind,
                part: 1000,
            };
            assert_eq!(read_number(&number(id)), Some(id));
        }
        for wrong in [
            "",
            "17",
            "a",
            "a0",
            "17a",
            "17b0",
            "17aa0",
            "-17a0",
            "+17a0",
            "17a-1",
            "17a4294967296",
            "99999999999999999999a0",
            "٣a0",
            "17A0",
            "--",
        ] {
            assert_eq!(read_number(wrong), None, "{wrong}");
        }
    }
}
