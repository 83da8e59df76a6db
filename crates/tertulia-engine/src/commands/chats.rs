//! `/chats`: the conversations, the latest first.

use tertulia_message::PersonId;
use tertulia_ports::{ConversationFacts, ConversationQuery};

use super::show::{code, count};
use super::{Call, Done, when, words};
use crate::backing::patiently;

const USUAL: u32 = 10;
const MOST: u32 = 50;

pub(super) async fn run(call: &Call<'_>) -> Done {
    let number = words::how_many(call.arguments, USUAL, MOST, "conversations")?;
    let query = ConversationQuery::Latest(number);
    let known = patiently(|| call.shared.store.conversations(&query)).await?;
    if known.is_empty() {
        return Ok("Nobody has spoken to me yet.".into());
    }
    let lines: Vec<String> = known.iter().map(|known| line(call, known)).collect();
    Ok(lines.join("\n").into())
}

/// When somebody last spoke there; what was only taken over from an older bot was never accepted by this one.
fn spoken(now: i64, last_at: i64) -> String {
    if last_at == 0 {
        return "nobody has spoken since it was imported".to_owned();
    }
    when::ago(now, last_at)
}

fn line(call: &Call<'_>, known: &ConversationFacts) -> String {
    let now = call.wall();
    // what holds there for somebody of whom nothing is known
    let nobody = PersonId::new("", "");
    let level = call.access(|access| access.level(&nobody, &known.path, now));
    let mut line = format!(
        "- {}: {}, strangers are of level {}",
        code(known.path.as_str(), 512),
        spoken(now, known.last_at),
        level.as_str()
    );
    if known.running {
        line += ", an answer is being written";
    }
    if known.waiting > 0 {
        let more = format!(
            ", {}",
            count(u64::from(known.waiting), "message waits", "messages wait")
        );
        line += &more;
    }
    if let Some(why) = &known.blocked {
        let more = format!(", blocked: {}", code(why, 100));
        line += &more;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_imported_is_not_from_1970() {
        assert_eq!(spoken(1_700_000_000_000, 0), "nobody has spoken since it was imported");
        assert_eq!(spoken(1_700_000_000_000, 1_700_000_000_000 - 61_000), "1 minute ago");
    }
}
