//! Thinking between tags, on its way through a whole turn.

use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::{Delta, ProviderError, ProviderFault, Stop};
use tertulia_core::record::InboxId;
use tertulia_core::session::{Effect, Event};
use tertulia_core::transaction::{Outcome, Settle, Transaction};
use tertulia_message::{Reach, Signal};

use crate::play::Play;

/// A turn that was begun and streams these pieces.
fn answering(reach: Reach, pieces: &[&str]) -> Play {
    let mut play = Play::begun(None, reach);
    play.commit_and_tell(0);
    play.stream(pieces);
    play
}

impl Play {
    pub(crate) fn stream(&mut self, pieces: &[&str]) {
        let ask = self.last_asked();
        for piece in pieces {
            self.tell(Event::Delta(ask, Delta::Text((*piece).to_owned())), 1);
        }
    }

    pub(crate) fn end(&mut self) {
        let ask = self.last_asked();
        self.tell(Event::Delta(ask, Delta::End(Stop::Done)), 1);
    }

    pub(crate) fn settle(&mut self) -> Settle {
        loop {
            if let Transaction::Settle(settle) = self.commit_and_tell(1) {
                return *settle;
            }
        }
    }

    /// What a connected reader got, by type.
    pub(crate) fn emitted(&self) -> Vec<(String, String)> {
        let message = |effect: &Effect| match effect {
            Effect::Signal(_, _, Signal::Emit(message)) => {
                let content = message.props.get("content")?.as_str()?;
                Some((message.kind.clone(), content.to_owned()))
            }
            _ => None,
        };
        self.effects.iter().filter_map(message).collect()
    }
}

pub(crate) fn shown(settle: &Settle) -> Vec<String> {
    settle.slots.iter().map(|slot| slot.wish.post.markup.plain()).collect()
}

pub(crate) fn said(settle: &Settle) -> Vec<ChatMessage> {
    settle.entries.iter().map(|entry| entry.message.clone()).collect()
}

#[test]
fn a_chat_and_the_history_see_the_answer_alone() {
    let mut play = answering(Reach::Always, &["<thi", "nk>Hm", ".</think", ">\n\nYes", " <think>"]);
    play.end();
    let settle = play.settle();
    assert_eq!(shown(&settle), ["Yes <think>"]);
    assert_eq!(said(&settle), [ChatMessage::assistant("Yes <think>")]);
}

#[test]
fn a_reader_is_told_what_is_thinking() {
    let mut play = Play::begun(None, Reach::WhileConnected);
    play.commit_and_tell(0);
    let ask = play.last_asked();
    // some servers tell thinking by themselves, and in the text as well
    play.tell(Event::Delta(ask, Delta::Thinking("Well.".into())), 1);
    play.stream(&["<think>H", "m.</think> ", "Yes"]);
    play.end();
    let expected = [
        ("thinking", "Well."),
        ("thinking", "H"),
        ("thinking", "m."),
        ("text", "Yes"),
    ];
    assert_eq!(
        play.emitted(),
        expected.map(|(kind, text)| (kind.to_owned(), text.to_owned()))
    );
}

#[test]
fn nothing_but_thinking_is_a_hollow_answer() {
    let mut play = answering(Reach::Always, &["<think>Hm."]);
    let first = play.last_asked();
    play.end();
    let again = play.last_asked();
    assert_ne!(first, again, "it is asked once more");
    play.stream(&["<think>Still."]);
    play.end();
    let settle = play.settle();
    assert_eq!(settle.outcome, Outcome::Failed);
    assert_eq!(said(&settle), []);
    assert!(
        shown(&settle).concat().contains("thought, but gave no answer"),
        "{:?}",
        shown(&settle)
    );
}

#[test]
fn what_was_held_back_and_is_no_thinking_is_not_lost() {
    let mut play = answering(Reach::Always, &["<thi"]);
    play.end();
    assert_eq!(shown(&play.settle()), ["<thi"]);

    let mut play = answering(Reach::Always, &["<thi"]);
    play.tell(Event::Stop(InboxId(2)), 1);
    let settle = play.settle();
    assert!(shown(&settle).concat().starts_with("<thi"), "{:?}", shown(&settle));

    let mut play = answering(Reach::Always, &["<thi"]);
    let ask = play.last_asked();
    let error = ProviderError::new(ProviderFault::Billing, "");
    play.tell(Event::Failed(ask, error), 1);
    let settle = play.settle();
    assert!(shown(&settle).concat().starts_with("<thi"), "{:?}", shown(&settle));
}

#[test]
fn endless_blanks_are_not_shown_and_have_an_end() {
    let mut play = answering(Reach::WhileConnected, &["Yes."]);
    for _ in 0..5_000 {
        play.stream(&["\n"]);
    }
    play.stream(&["And no."]);
    let told: String = play.emitted().into_iter().map(|(_, text)| text).collect();
    assert_eq!(told, format!("Yes.{}And no.", "\n".repeat(1000)));
    for _ in 0..5_000 {
        play.stream(&["\n"]);
    }
    let settle = play.settle();
    assert_eq!(settle.outcome, Outcome::Partial, "it is too long all the same");
}
