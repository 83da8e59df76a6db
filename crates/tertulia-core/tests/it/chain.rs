//! Who is asked, and for how long, played by hand.

use std::time::Duration;

use tertulia_core::provider::{Delta, ProviderError, ProviderFault};
use tertulia_core::session::{Abandoned, Effect, Event, Fallback, Question};
use tertulia_message::{Reach, Signal};

use crate::play::{Play, surroundings, work};

/// A turn that has begun, with one that stands in.
fn asking(reach: Reach) -> Play {
    let mut around = surroundings(reach);
    around.fallbacks = vec![Fallback {
        provider: "other".into(),
        model: "other's".into(),
        capabilities: around.capabilities,
        deadlines: around.deadlines,
        prices: None,
    }];
    let mut play = Play::begun_in(work(&[1], None), around);
    play.commit_and_tell(0);
    play
}

impl Play {
    fn questions(&self) -> Vec<&Question> {
        let mut questions = Vec::new();
        for effect in &self.effects {
            if let Effect::Ask(_, question) = effect {
                questions.push(&**question);
            }
        }
        questions
    }

    fn asked_of(&self) -> Vec<(&str, bool)> {
        let questions = self.questions().into_iter();
        questions
            .map(|question| (question.provider.as_str(), question.insists))
            .collect()
    }

    fn left(&self) -> Vec<Abandoned> {
        let why = |effect: &Effect| match effect {
            Effect::StopAsking(_, why) => Some(*why),
            _ => None,
        };
        self.effects.iter().filter_map(why).collect()
    }
}

#[test]
fn waiting_for_a_place_is_not_waiting_for_an_answer() {
    let mut play = asking(Reach::Always);
    play.tell(Event::Tick, 9);
    assert_eq!(play.left(), []);
    let ask = play.last_asked();
    play.tell(Event::Sent(ask), 9);
    play.tell(Event::Tick, 9 + 299);
    assert_eq!(play.left(), []);
    play.tell(Event::Tick, 9 + 300);
    assert_eq!(play.left(), [Abandoned::Silent]);
    // and no place for ten seconds is as good as none
    play.tell(Event::Tick, 9 + 300 + 60);
    assert_eq!(play.left(), [Abandoned::Silent, Abandoned::Busy]);
    assert_eq!(play.asked_of(), [("p", false), ("other", false)]);
}

#[test]
fn one_that_rests_is_asked_when_nobody_else_is_left() {
    let mut play = asking(Reach::Always);
    play.tell(Event::Resting(play.last_asked(), Duration::from_secs(40)), 0);
    let broke = ProviderError::new(ProviderFault::Billing, "");
    play.tell(Event::Failed(play.last_asked(), broke), 0);
    assert_eq!(play.asked_of(), [("p", false), ("other", false)]);
    play.tell(Event::Tick, 2);
    assert_eq!(play.asked_of(), [("p", false), ("other", false), ("p", true)]);
}

#[test]
fn thinking_anew_is_another_message_to_a_reader() {
    let mut play = asking(Reach::WhileConnected);
    for at in [1, 3] {
        let ask = play.last_asked();
        play.tell(Event::Delta(ask, Delta::Thinking("Hm.".into())), at);
        let broken = ProviderError::new(ProviderFault::Broken, "");
        play.tell(Event::Failed(ask, broken), at);
        play.tell(Event::Tick, at + 1);
    }
    let thought = |effect: &Effect| match effect {
        Effect::Signal(_, _, Signal::Emit(message)) if message.kind == "thinking" => Some(message.id.clone()),
        _ => None,
    };
    let thoughts: Vec<String> = play.effects.iter().filter_map(thought).collect();
    assert_eq!(thoughts, ["1.1", "1.2"]);
    assert_eq!(play.asked_of(), [("p", false), ("p", false), ("other", false)]);
}
