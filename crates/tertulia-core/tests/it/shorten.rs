//! A question that is too long gets shorter, whatever it is, and comes to an end.

use proptest::prelude::*;
use tertulia_core::chat::{ChatMessage, ToolCall, ToolResult, ToolStatus};
use tertulia_core::window::{self, Shortened};

fn call(id: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "now".into(),
        arguments: "{}".into(),
    }
}

fn result(id: &str, content: String) -> ToolResult {
    ToolResult {
        call_id: id.into(),
        name: "now".into(),
        status: ToolStatus::Ok,
        content,
    }
}

fn assistant(text: &str, ids: &[&str]) -> ChatMessage {
    ChatMessage::Assistant {
        text: text.into(),
        calls: ids.iter().map(|id| call(id)).collect(),
        data: None,
    }
}

/// Words of any length, also with letters of several bytes.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zß漢]{0,40}",
        (0usize..9000).prop_map(|length| "ä".repeat(length)),
        (390usize..420).prop_map(|length| "x".repeat(length)),
    ]
}

/// A turn as it should be: people, rounds of tools, the model.
fn turn() -> impl Strategy<Value = Vec<ChatMessage>> {
    let round = proptest::collection::vec(words(), 1..4).prop_map(|contents| {
        let ids: Vec<String> = (0..contents.len()).map(|nth| format!("c{nth}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let results = ids
            .iter()
            .zip(contents)
            .map(|(id, content)| result(id, content))
            .collect();
        [assistant("", &ids), ChatMessage::Tool { results }]
    });
    let people = proptest::collection::vec(words().prop_map(ChatMessage::user), 1..3);
    (people, proptest::collection::vec(round, 0..3), words()).prop_map(|(mut turn, rounds, answer)| {
        turn.extend(rounds.into_iter().flatten());
        turn.push(assistant(&answer, &[]));
        turn
    })
}

/// Any messages in any order.
fn anything() -> impl Strategy<Value = ChatMessage> {
    prop_oneof![
        words().prop_map(ChatMessage::user),
        words().prop_map(|text| assistant(&text, &["a"])),
        proptest::collection::vec(words(), 0..3).prop_map(|contents| ChatMessage::Tool {
            results: contents.into_iter().map(|content| result("b", content)).collect(),
        }),
    ]
}

fn weight(messages: &[ChatMessage]) -> u64 {
    messages.iter().map(window::weigh).sum()
}

fn people(messages: &[ChatMessage]) -> Vec<ChatMessage> {
    let said = |message: &&ChatMessage| matches!(message, ChatMessage::User { .. });
    messages.iter().filter(said).cloned().collect()
}

/// Every call has its results right behind it, and no result is without its call.
fn is_paired(messages: &[ChatMessage]) -> bool {
    let before = std::iter::once(None).chain(messages.iter().map(Some));
    messages
        .iter()
        .zip(before)
        .all(|(message, before)| match (before, message) {
            (Some(ChatMessage::Assistant { calls, .. }), ChatMessage::Tool { results }) => {
                let calls: Vec<&String> = calls.iter().map(|call| &call.id).collect();
                calls == results.iter().map(|result| &result.call_id).collect::<Vec<_>>()
            }
            (_, ChatMessage::Tool { .. }) => false,
            (Some(ChatMessage::Assistant { calls, .. }), _) => calls.is_empty(),
            _ => true,
        })
}

/// Shortens until nothing is left to shorten; gives every step.
fn steps(messages: Vec<ChatMessage>, own: usize) -> Vec<Shortened> {
    let mut steps = vec![Shortened { messages, own }];
    while let Some(last) = steps.last()
        && let Some(next) = window::shorten(&last.messages, last.own)
    {
        assert!(
            weight(&next.messages) < weight(&last.messages),
            "{last:?} became {next:?}"
        );
        assert!(steps.len() < 100, "no end");
        steps.push(next);
    }
    steps
}

proptest! {
    #[test]
    fn anything_gets_lighter_and_comes_to_an_end(
        messages in proptest::collection::vec(anything(), 0..40),
        own in 0usize..45,
    ) {
        let said = people(&messages[own.min(messages.len())..]);
        for step in steps(messages, own) {
            prop_assert_eq!(people(&step.messages[step.own.min(step.messages.len())..]), said.clone());
        }
    }

    #[test]
    fn calls_keep_their_results_and_nothing_of_the_question_is_lost(
        turns in proptest::collection::vec(turn(), 1..12),
        answered in any::<bool>(),
    ) {
        let mut messages: Vec<ChatMessage> = turns.into_iter().flatten().collect();
        if !answered {
            messages.pop();
        }
        let own = window::own(&messages);
        let said = people(&messages[own..]);
        let steps = steps(messages, own);
        for step in &steps {
            prop_assert!(is_paired(&step.messages), "{:?}", step.messages);
            let begins_with_people = matches!(step.messages.first(), Some(ChatMessage::User { .. }));
            prop_assert!(begins_with_people);
        }
        let last = &steps[steps.len() - 1];
        prop_assert_eq!(last.own, 0);
        prop_assert_eq!(people(&last.messages), said);
    }
}
