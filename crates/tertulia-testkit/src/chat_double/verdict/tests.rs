//! The judge has to catch what it is there for.

use std::time::Duration;

use tertulia_message::{Addressed, RateScope};

use super::{Expected, Judge, Summary};
use crate::chat_double::{CallKind, ChatDouble, Fault, Faults, Kind, NewEdit, NewPost, Refusal, Rules, Said, Spot};

const MARK: &str = "(resent)";
const NOTICE: &str = "interrupted";
const T: Duration = Duration::ZERO;

fn double(kind: Kind) -> ChatDouble {
    ChatDouble::new(Rules::of(kind))
}

fn reply(spot: &Spot, to: &str, text: &str, key: &str) -> NewPost {
    NewPost {
        spot: spot.clone(),
        text: text.into(),
        formatted: false,
        buttons: Vec::new(),
        key: Some(key.into()),
        in_reply_to: Some(to.into()),
    }
}

/// A question in chat `a`, and that chat.
fn asked(double: &ChatDouble) -> (String, Spot) {
    (double.say(T, Said::direct("a", "p", "hello")), Spot::chat("a"))
}

fn verdict(double: &ChatDouble) -> Result<Summary, Vec<String>> {
    double.verdict(&Judge::lenient(MARK, &[NOTICE]))
}

#[track_caller]
fn faulted(double: &ChatDouble, words: &str) {
    let faults = verdict(double).unwrap_err();
    assert!(faults.iter().any(|fault| fault.contains(words)), "{faults:?}");
}

fn expecting(double: &ChatDouble, expected: &Expected) -> Result<Summary, Vec<String>> {
    double.verdict(&Judge {
        resent_mark: MARK,
        notices: &[NOTICE],
        expected: &|_| expected.clone(),
    })
}

#[test]
fn a_good_run_is_good() {
    let double = double(Kind::Findable);
    let (first, a) = asked(&double);
    let ignored = Said::at(Spot::chat("g"), "p", "among us", Addressed::None);
    double.say(T, ignored);
    let thread = Spot::thread("g", "t");
    let second = double.say(T, Said::at(thread.clone(), "p", "you there", Addressed::Mention));
    double
        .post(T, &reply(&thread, &second, "interrupted by a restart", "k2"))
        .unwrap();
    double.post(T, &reply(&a, &first, "one", "k1.0")).unwrap();
    double.post(T, &reply(&a, &first, "two", "k1.1")).unwrap();
    let summary = verdict(&double).unwrap();
    let expected = Summary {
        questions: 2,
        answered: 1,
        notices: 1,
        posts: 3,
        ..Summary::default()
    };
    assert_eq!(summary, expected);
}

#[test]
fn catches_a_lost_answer() {
    let double = double(Kind::Blind);
    asked(&double);
    faulted(&double, "no answer");
}

#[test]
fn catches_an_answer_that_was_deleted() {
    let double = double(Kind::Blind);
    let (question, a) = asked(&double);
    let answer = double.post(T, &reply(&a, &question, "one", "k")).unwrap();
    verdict(&double).unwrap();
    double.delete(T, &a, &answer).unwrap();
    faulted(&double, "no answer");
}

#[test]
fn catches_a_doubled_answer() {
    let double = double(Kind::Findable);
    let (question, a) = asked(&double);
    double.post(T, &reply(&a, &question, "one", "k")).unwrap();
    double
        .post(T, &reply(&a, &question, &format!("one {MARK}"), "k"))
        .unwrap();
    faulted(&double, "more than once");
}

#[test]
fn catches_a_doubled_answer_under_another_key() {
    let double = double(Kind::Keyed);
    let (question, a) = asked(&double);
    double.post(T, &reply(&a, &question, "one", "k")).unwrap();
    double.post(T, &reply(&a, &question, "one", "l")).unwrap();
    assert!(expecting(&double, &Expected::Equals("one".into())).is_err());
    assert!(expecting(&double, &Expected::Contains("one".into())).is_err());
    faulted(&double, "is answered by");
}

#[test]
fn tolerates_only_a_marked_copy_and_only_where_nobody_can_know() {
    let double = double(Kind::Blind);
    let (question, a) = asked(&double);
    double.plan(Faults::none().nth(CallKind::Post, 1, Fault::UnsureExecuted));
    double.post(T, &reply(&a, &question, "one", "k")).unwrap_err();
    let copy = double.post(T, &reply(&a, &question, "one", "k")).unwrap();
    faulted(&double, "more than once");
    let marked = NewEdit {
        spot: a.clone(),
        message: copy,
        text: format!("one {MARK}"),
        formatted: false,
        buttons: Vec::new(),
        key: None,
    };
    double.edit(T, &marked).unwrap();
    assert_eq!(expecting(&double, &Expected::Equals("one".into())).unwrap().resent, 1);
    let again = reply(&a, &question, &format!("one {MARK}"), "k");
    double.post(T, &again).unwrap();
    assert_eq!(verdict(&double).unwrap().resent, 2, "each crash may leave one more");
    double.post(T, &reply(&a, &question, "one", "k")).unwrap();
    faulted(&double, "more than once");
}

#[test]
fn catches_an_answer_in_another_chat_or_thread() {
    for wrong in [Spot::chat("b"), Spot::thread("a", "t")] {
        let double = double(Kind::Blind);
        double.open_chat("b");
        let (question, _) = asked(&double);
        double.post(T, &reply(&wrong, &question, "one", "k")).unwrap();
        faulted(&double, "and answered in");
    }
}

#[test]
fn catches_answers_out_of_order() {
    let double = double(Kind::Blind);
    let (first, a) = asked(&double);
    let (second, _) = asked(&double);
    double.post(T, &reply(&a, &second, "two", "l")).unwrap();
    double.post(T, &reply(&a, &first, "one", "k")).unwrap();
    faulted(&double, "answered before");
}

#[test]
fn commands_and_other_places_may_overtake() {
    let double = double(Kind::Blind);
    let (first, a) = asked(&double);
    let command = double.say(T, Said::at(a.clone(), "p", "/help", Addressed::Command));
    let elsewhere = Spot::thread("a", "t");
    let third = double.say(T, Said::at(elsewhere.clone(), "p", "hi", Addressed::Mention));
    double.post(T, &reply(&elsewhere, &third, "three", "m")).unwrap();
    double.post(T, &reply(&a, &command, "two", "l")).unwrap();
    double.post(T, &reply(&a, &first, "one", "k")).unwrap();
    verdict(&double).unwrap();
}

#[test]
fn catches_texts_over_the_limit_and_empty_ones() {
    for (text, words) in [
        ("x".repeat(201), "is the limit"),
        ("\u{1f600}".repeat(101), "is the limit"),
        (" ".into(), "empty"),
    ] {
        let double = double(Kind::Blind);
        let (question, a) = asked(&double);
        double.post(T, &reply(&a, &question, &text, "k")).unwrap_err();
        double.post(T, &reply(&a, &question, "one", "k")).unwrap();
        faulted(&double, words);
    }
}

#[test]
fn catches_an_answer_to_nothing_or_to_what_was_not_addressed() {
    let double = double(Kind::Blind);
    let (question, a) = asked(&double);
    double.post(T, &reply(&a, &question, "one", "k")).unwrap();
    let overheard = double.say(T, Said::at(a.clone(), "p", "among us", Addressed::None));
    verdict(&double).unwrap();
    double.post(T, &reply(&a, &overheard, "two", "l")).unwrap();
    faulted(&double, "answers no question");
}

#[test]
fn catches_an_answer_beside_a_notice_and_a_second_notice() {
    for extra in ["one", "interrupted again"] {
        let double = double(Kind::Blind);
        let (question, a) = asked(&double);
        double.post(T, &reply(&a, &question, "interrupted", "k")).unwrap();
        verdict(&double).unwrap();
        double.post(T, &reply(&a, &question, extra, "l")).unwrap();
        faulted(&double, "a notice and something else");
    }
}

#[test]
fn catches_a_wrong_text_and_parts_out_of_order() {
    let double = double(Kind::Blind);
    let (question, a) = asked(&double);
    double.post(T, &reply(&a, &question, "two", "k1")).unwrap();
    double.post(T, &reply(&a, &question, "one", "k0")).unwrap();
    assert!(expecting(&double, &Expected::Equals("two one".into())).is_ok());
    assert!(expecting(&double, &Expected::Equals("one two".into())).is_err());
    assert!(expecting(&double, &Expected::Contains("three".into())).is_err());
    assert!(expecting(&double, &Expected::Nothing).is_err());
}

#[test]
fn catches_a_call_under_a_rate_limit() {
    let double = double(Kind::Blind);
    let (question, a) = asked(&double);
    let limit = Fault::RateLimited {
        after: Duration::from_secs(10),
        scope: RateScope::Path,
    };
    double.plan(Faults::none().next(CallKind::Post, limit));
    let post = reply(&a, &question, "one", "k");
    double.post(T, &post).unwrap_err();
    let longer = Refusal::RateLimited {
        after: Duration::from_secs(20),
        scope: RateScope::Path,
    };
    assert_eq!(double.post(Duration::from_secs(5), &post), Err(longer));
    double.post(Duration::from_secs(25), &post).unwrap();
    faulted(&double, "while rate limited");
}

#[test]
fn excuses_what_was_deleted_or_cannot_be_answered() {
    let double = double(Kind::Blind);
    let (deleted, _) = asked(&double);
    assert!(double.redact(T, &deleted));
    let gone = double.say(T, Said::direct("b", "p", "hello"));
    double.plan(Faults::none().next(CallKind::Post, Fault::Gone));
    let post = reply(&Spot::chat("b"), &gone, "one", "k");
    assert_eq!(double.post(T, &post), Err(Refusal::Gone));
    assert_eq!(double.post(T, &post), Err(Refusal::Gone));
    assert_eq!(verdict(&double).unwrap().unanswered, 2);
    double.say(T, Said::direct("b", "p", "back again"));
    faulted(&double, "no answer");
}

#[test]
fn a_chat_that_moved_is_one_place() {
    let double = double(Kind::Blind);
    let (question, a) = asked(&double);
    double.plan(Faults::none().next(CallKind::Post, Fault::Moved("b".into())));
    let moved = Err(Refusal::Moved("b".into()));
    assert_eq!(double.post(T, &reply(&a, &question, "one", "k")), moved);
    assert_eq!(double.post(T, &reply(&a, &question, "one", "k")), moved);
    double.post(T, &reply(&Spot::chat("b"), &question, "one", "k")).unwrap();
    let (later, _) = asked(&double);
    double.post(T, &reply(&Spot::chat("b"), &later, "two", "l")).unwrap();
    assert_eq!(verdict(&double).unwrap().answered, 2);
}
