//! How much of the history goes to the model: whole turns, the newest, within a budget, cut in steps.

use crate::chat::{ChatMessage, Part};
use crate::record::Entry;

/// What a picture is counted as, in tokens.
const PICTURE_TOKENS: u64 = 1000;

/// A rough count of a message's tokens, on the high side.
#[must_use]
pub fn weigh(message: &ChatMessage) -> u64 {
    let bytes = |text: &str| text.len() as u64;
    let (text, pictures) = match message {
        ChatMessage::User { parts } => parts.iter().fold((0, 0), |(text, pictures), part| match part {
            Part::Text(said) => (text + bytes(said), pictures),
            Part::Picture(_) => (text, pictures + 1),
        }),
        ChatMessage::Assistant { text, calls, data } => {
            let calls: u64 = calls
                .iter()
                .map(|call| bytes(&call.name) + bytes(&call.arguments))
                .sum();
            let data = data.as_ref().map_or(0, |data| data.bytes.len() as u64);
            (bytes(text) + calls + data, 0)
        }
        ChatMessage::Tool { results } => (results.iter().map(|result| bytes(&result.content)).sum(), 0),
    };
    text / 3 + pictures * PICTURE_TOKENS + 8
}

/// The newest whole turns of the history that fit into `budget` tokens, repaired so that a model takes them:
/// never beginning with a model's message, every call with its result.
///
/// Once it does not fit, it begins between three quarters of the budget and all of it, at a turn that stays the
/// beginning while the conversation grows, so that providers' prompt caches hold.
#[must_use]
pub fn fit(history: &[Entry], budget: u64) -> Vec<ChatMessage> {
    let total: u64 = history.iter().map(|entry| weigh(&entry.message)).sum();
    let rest = if total > budget {
        best_beginning(history, total, budget)
    } else {
        history
    };
    repair(rest.iter().map(|entry| entry.message.clone()))
}

/// The newest messages, `most` at most, repaired so that a model takes them.
#[must_use]
pub fn newest(messages: &[ChatMessage], most: usize) -> Vec<ChatMessage> {
    let from = messages.len().saturating_sub(most);
    repair(messages.iter().skip(from).cloned())
}

/// The history from the turn on that ranks highest of those it may begin with; without one, from the first that fits.
///
/// Nothing is remembered from one question to the next: the rank is the turn's own, so the same one wins until it no
/// longer fits, or a higher one comes within reach.
fn best_beginning(history: &[Entry], total: u64, budget: u64) -> &[Entry] {
    let enough = budget / 4 * 3;
    let (mut rest, mut left) = (history, total);
    let mut best: Option<(u64, &[Entry])> = None;
    while let Some(first) = rest.first() {
        if left < enough && best.is_some() {
            break;
        }
        let rank = rank(first);
        if left <= budget && best.is_none_or(|(highest, _)| rank > highest) {
            best = Some((rank, rest));
        }
        let (turn, after) = rest.split_at(turn_length(rest));
        left -= turn.iter().map(|entry| weigh(&entry.message)).sum::<u64>();
        rest = after;
    }
    best.map_or(&[], |(_, rest)| rest)
}

/// A number that depends on the turn alone and is as good as drawn by lot.
fn rank(first: &Entry) -> u64 {
    let id = first.turn.map_or(0, |turn| turn.0.cast_unsigned());
    let mixed = (id ^ (id >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A question that became shorter.
#[derive(Debug, Clone, PartialEq)]
pub struct Shortened {
    /// What is left of the messages.
    pub messages: Vec<ChatMessage>,
    /// Where the present turn begins among them.
    pub own: usize,
}

/// Where the present turn begins: at the last of the people's messages that does not follow another one of theirs.
#[must_use]
pub fn own(messages: &[ChatMessage]) -> usize {
    user_starts(messages).last().unwrap_or(0)
}

/// Drops the older half of the turns before the present one, which begins at `own`; where there are none, long results of the
/// present turn's tools are cut to half. `None` if nothing is left to drop.
///
/// What people said in the present turn always stays, and so does every pair of call and result. Each time it becomes
/// strictly lighter, so that it ends.
#[must_use]
pub fn shorten(messages: &[ChatMessage], own: usize) -> Option<Shortened> {
    let own = own.min(messages.len());
    let (before, present) = messages.split_at(own);
    if before.is_empty() {
        let messages = shorten_results(present)?;
        return Some(Shortened { messages, own });
    }
    let starts: Vec<usize> = user_starts(before).collect();
    let from = starts.get(starts.len().div_ceil(2)).copied();
    let from = from.filter(|from| *from > 0).unwrap_or(own);
    let messages = messages.iter().skip(from).cloned().collect();
    Some(Shortened {
        messages,
        own: own - from,
    })
}

/// Long tool results are cut to half; `None` if there is none left worth it.
fn shorten_results(messages: &[ChatMessage]) -> Option<Vec<ChatMessage>> {
    const WORTH_IT: usize = 400;
    let mut cut = false;
    let mut messages = messages.to_vec();
    for message in &mut messages {
        let ChatMessage::Tool { results } = message else {
            continue;
        };
        for result in results {
            let chars = result.content.chars().count();
            if chars > WORTH_IT {
                cut = true;
                result.content = result.content.chars().take(chars / 2).collect::<String>() + "\n[shortened]";
            }
        }
    }
    cut.then_some(messages)
}

/// Positions of user messages that begin a turn: those that do not follow another user message.
fn user_starts(messages: &[ChatMessage]) -> impl Iterator<Item = usize> {
    let before = std::iter::once(None).chain(messages.iter().map(Some));
    messages
        .iter()
        .zip(before)
        .enumerate()
        .filter_map(|(index, (message, before))| {
            let starts =
                matches!(message, ChatMessage::User { .. }) && !matches!(before, Some(ChatMessage::User { .. }));
            starts.then_some(index)
        })
}

/// How many entries the first turn has.
fn turn_length(history: &[Entry]) -> usize {
    let Some(first) = history.first() else { return 0 };
    let same = |entry: &&Entry| entry.turn.is_some() && entry.turn == first.turn;
    history.iter().take_while(same).count().max(1)
}

/// Makes a history that any provider takes: it begins with a person, calls and results are in pairs.
fn repair(messages: impl Iterator<Item = ChatMessage>) -> Vec<ChatMessage> {
    let mut out: Vec<ChatMessage> = Vec::new();
    for message in messages {
        match message {
            ChatMessage::Assistant { .. } if out.is_empty() => {}
            ChatMessage::Tool { results } => answer_calls(&mut out, results),
            other => {
                drop_unanswered(&mut out);
                out.push(other);
            }
        }
    }
    drop_unanswered(&mut out);
    out
}

/// Keeps only results that answer a call of the message before.
fn answer_calls(out: &mut Vec<ChatMessage>, mut results: Vec<crate::chat::ToolResult>) {
    let Some(ChatMessage::Assistant { calls, .. }) = out.last_mut() else {
        return;
    };
    results.retain(|result| calls.iter().any(|call| call.id == result.call_id));
    if results.is_empty() {
        drop_unanswered(out);
        return;
    }
    calls.retain(|call| results.iter().any(|result| result.call_id == call.id));
    out.push(ChatMessage::Tool { results });
}

/// A model's message whose calls have no results keeps its text, or goes.
fn drop_unanswered(out: &mut Vec<ChatMessage>) {
    if let Some(ChatMessage::Assistant { text, calls, .. }) = out.last_mut()
        && !calls.is_empty()
    {
        calls.clear();
        if text.is_empty() {
            out.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ToolCall, ToolResult, ToolStatus};
    use crate::record::InboxId;

    fn entry(turn: i64, message: ChatMessage) -> Entry {
        Entry {
            turn: Some(InboxId(turn)),
            speaker: None,
            message,
            cut: false,
        }
    }

    fn call(id: &str) -> ChatMessage {
        let calls = vec![ToolCall {
            id: id.into(),
            name: "now".into(),
            arguments: "{}".into(),
        }];
        ChatMessage::Assistant {
            text: String::new(),
            calls,
            data: None,
        }
    }

    fn result(id: &str, content: &str) -> ChatMessage {
        let result = ToolResult {
            call_id: id.into(),
            name: "now".into(),
            status: ToolStatus::Ok,
            content: content.into(),
        };
        ChatMessage::Tool { results: vec![result] }
    }

    fn turn(id: i64) -> [Entry; 2] {
        let words = "x".repeat(usize::try_from(id % 7).unwrap() * 50);
        [
            entry(id, ChatMessage::user(format!("{id} {words}"))),
            entry(id, ChatMessage::assistant("y".repeat(200))),
        ]
    }

    #[test]
    fn only_whole_turns_are_cut_and_no_more_than_a_quarter() {
        let history: Vec<Entry> = (0..40).flat_map(turn).collect();
        assert_eq!(fit(&history, 100_000).len(), 80);
        for budget in [600, 1000, 2000, 5000] {
            let kept = fit(&history, budget);
            let weight: u64 = kept.iter().map(weigh).sum();
            assert!(
                (budget / 4 * 3 - 200..=budget).contains(&weight),
                "{weight} of {budget}"
            );
            assert!(matches!(kept.first(), Some(ChatMessage::User { .. })));
        }
        assert_eq!(fit(&history, 10), vec![]);
    }

    #[test]
    fn the_beginning_stays_while_the_conversation_grows() {
        let mut history: Vec<Entry> = (0..50).flat_map(turn).collect();
        let mut begins = Vec::new();
        for id in 50..250 {
            history.extend(turn(id));
            begins.push(fit(&history, 5000).first().cloned());
            // the store gives no more than the newest ones
            history.drain(..2);
        }
        begins.dedup();
        assert!(begins.len() < 50, "{} beginnings in 200 turns", begins.len());
    }

    #[test]
    fn calls_and_results_stay_in_pairs() {
        let pair = [
            entry(1, ChatMessage::user("a")),
            entry(1, call("c")),
            entry(1, result("c", "12")),
        ];
        assert_eq!(fit(&pair, 1000).len(), 3);
        let half = [entry(1, ChatMessage::user("a")), entry(1, call("c"))];
        assert_eq!(fit(&half, 1000), vec![ChatMessage::user("a")]);
        let orphan = [entry(1, ChatMessage::user("a")), entry(1, result("c", "12"))];
        assert_eq!(fit(&orphan, 1000), vec![ChatMessage::user("a")]);
        let stranger = [
            entry(1, ChatMessage::user("a")),
            entry(1, call("c")),
            entry(1, result("d", "12")),
        ];
        assert_eq!(fit(&stranger, 1000), vec![ChatMessage::user("a")]);
    }

    #[test]
    fn shortening_drops_whole_turns_and_then_cuts_results() {
        let mut messages: Vec<ChatMessage> = (0..3)
            .flat_map(|_| [ChatMessage::user("q"), ChatMessage::assistant("a")])
            .chain([ChatMessage::user("last")])
            .collect();
        let mut own = own(&messages);
        // a correction in the present turn is no turn of its own
        let long = result("c", &"long ".repeat(100));
        messages.extend([call("c"), long, ChatMessage::user("correct that")]);
        let mut lengths = Vec::new();
        while let Some(shorter) = shorten(&messages, own) {
            Shortened { messages, own } = shorter;
            assert_eq!(messages.get(own), Some(&ChatMessage::user("last")));
            lengths.push(messages.len());
        }
        assert_eq!(lengths, [6, 4, 4]);
        assert_eq!(
            messages.get(2),
            Some(&result("c", &format!("{}\n[shortened]", "long ".repeat(50))))
        );
    }

    #[test]
    fn what_cannot_be_shortened_is_left() {
        for messages in [
            vec![],
            vec![ChatMessage::user("x".repeat(9999))],
            vec![call("c"), result("c", "1")],
        ] {
            assert_eq!(shorten(&messages, 0), None);
        }
        let beginning = [ChatMessage::assistant("a"), ChatMessage::user("q")];
        assert_eq!(shorten(&beginning, 1).unwrap().messages, [ChatMessage::user("q")]);
    }
}
