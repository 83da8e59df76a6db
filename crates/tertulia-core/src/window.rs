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
/// Once it does not fit, it is cut to three quarters of the budget, so that the beginning stays the same for a
/// while and providers' prompt caches hold.
#[must_use]
pub fn fit(history: &[Entry], budget: u64) -> Vec<ChatMessage> {
    let total: u64 = history.iter().map(|entry| weigh(&entry.message)).sum();
    let mut rest = history;
    if total > budget {
        let goal = budget / 4 * 3;
        let mut left = total;
        while left > goal && !rest.is_empty() {
            let turn = turn_length(rest);
            let (dropped, kept) = rest.split_at(turn);
            left -= dropped.iter().map(|entry| weigh(&entry.message)).sum::<u64>();
            rest = kept;
        }
    }
    repair(rest.iter().map(|entry| entry.message.clone()))
}

/// Drops the older half of the messages before the last user message, on a turn's border; `None` if nothing is left to drop.
#[must_use]
pub fn shorten(messages: &[ChatMessage]) -> Option<Vec<ChatMessage>> {
    let starts: Vec<usize> = user_starts(messages).collect();
    let (&last, earlier) = starts.split_last()?;
    if earlier.is_empty() && last == 0 {
        return shorten_results(messages);
    }
    let from = starts.get(earlier.len().div_ceil(2)).copied().unwrap_or(last);
    messages.get(from..).map(<[ChatMessage]>::to_vec)
}

/// Where no turn is left to drop, long tool results are cut to half; `None` if there is none left worth it.
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
    calls.retain(|call| results.iter().any(|result| result.call_id == call.id));
    if !results.is_empty() {
        out.push(ChatMessage::Tool { results });
    }
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

    #[test]
    fn whole_turns_are_cut_in_steps() {
        let history: Vec<Entry> = (0..20)
            .flat_map(|turn| {
                [
                    entry(turn, ChatMessage::user("x".repeat(300))),
                    entry(turn, ChatMessage::assistant("y".repeat(300))),
                ]
            })
            .collect();
        assert_eq!(fit(&history, 100_000).len(), 40);
        let kept = fit(&history, 1000);
        assert!(kept.iter().map(weigh).sum::<u64>() <= 750);
        assert!(matches!(kept.first(), Some(ChatMessage::User { .. })));
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
    }

    #[test]
    fn shortening_always_ends() {
        let mut messages: Vec<ChatMessage> = (0..9)
            .flat_map(|_| [ChatMessage::user("q"), ChatMessage::assistant("a")])
            .chain([ChatMessage::user("last")])
            .collect();
        messages.extend([call("c"), result("c", &"long ".repeat(4000))]);
        let mut steps = 0;
        while let Some(shorter) = shorten(&messages) {
            assert!(shorter.iter().map(weigh).sum::<u64>() < messages.iter().map(weigh).sum::<u64>());
            assert!(shorter.contains(&ChatMessage::user("last")));
            messages = shorter;
            steps += 1;
            assert!(steps < 50);
        }
    }
}
