//! Which message of an answer has which button, and when.

#![expect(clippy::panic, reason = "test code")]

use tertulia_core::provider::{Delta, ProviderError, ProviderFault, Stop};
use tertulia_core::record::{InboxId, Slot};
use tertulia_core::session::{self, Surroundings};
use tertulia_core::transaction::{Outcome, Settle, Transaction};
use tertulia_message::{Limits, Progress, Reach, TextLimit};

use crate::play::{Play, limits, surroundings, unfinished, work};

/// Short messages, with buttons.
fn with_buttons(progress: Progress) -> Box<Surroundings> {
    Box::new(Surroundings {
        limits: Limits {
            text: TextLimit::Chars(60),
            progress,
            buttons: true,
            keyed: true,
            ..limits(Reach::Always)
        },
        ..*surroundings(Reach::Always)
    })
}

fn begun(progress: Progress) -> Play {
    let mut play = Play::begun_in(work(&[1], None), with_buttons(progress));
    assert!(matches!(play.commit_and_tell(0), Transaction::Begin(_)));
    play
}

fn say(play: &mut Play, text: &str, at: u64) {
    let ask = play.asked();
    play.tell(session::Event::Delta(ask, Delta::Text(text.into())), at);
}

/// Part and tokens, of every slot.
fn tokens(slots: &[Slot]) -> Vec<(u32, Vec<&str>)> {
    let tokens = |slot| {
        let slot: &Slot = slot;
        slot.wish
            .post
            .buttons
            .iter()
            .map(|button| button.token.as_str())
            .collect()
    };
    slots.iter().map(|slot| (slot.id.part, tokens(slot))).collect()
}

/// The next transaction that is no mere save.
fn next(play: &mut Play, at: u64) -> Transaction {
    loop {
        let transaction = play.commit_and_tell(at);
        if !matches!(transaction, Transaction::Checkpoint { .. }) {
            return transaction;
        }
    }
}

fn settled(play: &mut Play, at: u64) -> Settle {
    match next(play, at) {
        Transaction::Settle(settle) => *settle,
        other => panic!("{other:?}"),
    }
}

fn end(play: &mut Play, stop: Stop) -> Settle {
    let ask = play.asked();
    play.tell(session::Event::Delta(ask, Delta::End(stop)), 9);
    settled(play, 9)
}

#[test]
fn the_open_part_can_be_stopped_and_the_settled_answer_has_no_button() {
    let mut play = begun(Progress::Edit);
    say(&mut play, "begin", 1);
    let Transaction::OpenSlot { closed: None, open } = play.commit_and_tell(1) else {
        panic!("{:?}", play.effects)
    };
    assert_eq!(tokens(&[(*open).clone()]), [(0, vec!["stop.1"])]);
    assert_eq!(open.wish.post.buttons[0].label, "Stop");
    assert_eq!(play.handed_over()[0].wish, open.wish);
    say(&mut play, &" word".repeat(15), 2);
    let Transaction::OpenSlot { closed, open } = next(&mut play, 2) else {
        panic!("{:?}", play.effects)
    };
    let (closed, wish) = closed.unwrap();
    assert_eq!((closed.part, wish.rev, wish.post.buttons), (0, 2, Vec::new()));
    assert_eq!(tokens(&[*open]), [(1000, vec!["stop.1"])]);
    let settle = end(&mut play, Stop::Done);
    assert_eq!(tokens(&settle.slots), [(0, vec![]), (1000, vec![])]);
    assert_eq!(settle.slots[0].wish.rev, 2, "nothing about it has changed");
    assert_eq!(settle.slots[1].wish.rev, 2);
}

/// The button alone is worth a revision.
#[test]
fn an_answer_that_grew_no_more_still_loses_its_button() {
    let mut play = begun(Progress::Edit);
    say(&mut play, "all of it", 1);
    play.commit_and_tell(1);
    let settle = end(&mut play, Stop::Done);
    assert_eq!(tokens(&settle.slots), [(0, vec![])]);
    assert_eq!(settle.slots[0].wish.rev, 2);
}

#[test]
fn a_draft_has_no_button_and_its_posted_parts_hand_it_on() {
    let mut play = begun(Progress::Draft);
    say(&mut play, "begin", 1);
    let commits = play
        .effects
        .iter()
        .filter(|effect| matches!(effect, session::Effect::Commit(..)));
    assert_eq!(commits.count(), 0, "a draft is nothing on disk");
    say(&mut play, &" word".repeat(15), 2);
    let Transaction::OpenSlot { closed: None, open } = next(&mut play, 2) else {
        panic!("{:?}", play.effects)
    };
    assert_eq!(tokens(&[(*open).clone()]), [(0, vec!["stop.1"])]);
    say(&mut play, &" word".repeat(12), 3);
    let Transaction::OpenSlot { closed, open: next } = next(&mut play, 3) else {
        panic!("{:?}", play.effects)
    };
    let (closed, wish) = closed.unwrap();
    assert_eq!((closed.part, wish.rev, &wish.post.buttons), (0, 2, &Vec::new()));
    assert_eq!(wish.post.markup, open.wish.post.markup);
    assert_eq!(tokens(&[*next]), [(1000, vec!["stop.1"])]);
    let settle = end(&mut play, Stop::Done);
    assert_eq!(tokens(&settle.slots), [(0, vec![]), (1000, vec![]), (2000, vec![])]);
    assert_eq!(settle.slots[0].wish.rev, 2);
}

#[test]
fn a_turn_that_ended_otherwise_than_answered_can_be_tried_again() {
    type Ends = fn(&mut Play);
    let ends: [(Ends, Outcome); 5] = [
        (
            |play| {
                let error = ProviderError::new(ProviderFault::Rejected, "refused");
                let ask = play.asked();
                play.tell(session::Event::Failed(ask, error), 9);
            },
            Outcome::Partial,
        ),
        (|play| play.tell(session::Event::Stop(InboxId(5)), 9), Outcome::Stopped),
        (
            |play| {
                let ask = play.asked();
                play.tell(session::Event::Delta(ask, Delta::End(Stop::Length)), 9);
            },
            Outcome::Answered,
        ),
        (
            |play| {
                let ask = play.asked();
                play.tell(session::Event::Delta(ask, Delta::End(Stop::Filtered)), 9);
            },
            Outcome::Partial,
        ),
        (
            |play| {
                play.tell(
                    session::Event::StopTurn {
                        by: InboxId(5),
                        turn: InboxId(1),
                    },
                    9,
                );
            },
            Outcome::Stopped,
        ),
    ];
    for (ends, outcome) in ends {
        let mut play = begun(Progress::Edit);
        say(&mut play, "begin", 1);
        play.commit_and_tell(1);
        say(&mut play, &" word".repeat(15), 2);
        next(&mut play, 2);
        ends(&mut play);
        let settle = settled(&mut play, 9);
        assert_eq!(settle.outcome, outcome);
        let tokens = tokens(&settle.slots);
        let (last, others) = tokens.split_last().unwrap();
        assert_eq!(last.1, ["retry.1"], "{outcome:?}");
        assert!(
            !others.is_empty() && others.iter().all(|(_, tokens)| tokens.is_empty()),
            "{tokens:?}"
        );
    }
}

#[test]
fn a_failure_before_the_first_word_can_be_tried_again() {
    let mut play = begun(Progress::Edit);
    let ask = play.asked();
    let error = ProviderError::new(ProviderFault::Rejected, "refused");
    play.tell(session::Event::Failed(ask, error), 1);
    let settle = settled(&mut play, 1);
    assert_eq!(
        (settle.outcome, tokens(&settle.slots)),
        (Outcome::Failed, vec![(0, vec!["retry.1"])])
    );
}

/// The slots of a first attempt that showed two parts; the process died then.
fn left_over() -> Vec<Slot> {
    let mut play = begun(Progress::Edit);
    say(&mut play, "begin", 1);
    play.commit_and_tell(1);
    say(&mut play, &" word".repeat(15), 2);
    next(&mut play, 2);
    play.handed_over()
        .into_iter()
        .fold(Vec::new(), |mut slots: Vec<Slot>, slot| {
            slots.retain(|known| known.id != slot.id);
            slots.push(slot);
            slots
        })
}

#[test]
fn a_turn_that_is_taken_up_keeps_its_button_and_its_revisions() {
    let mut again = work(&[1], Some(unfinished("", 1)));
    again.slots = left_over();
    let before = again.slots.clone();
    let mut play = Play::begun_in(again, with_buttons(Progress::Edit));
    assert!(matches!(play.commit_and_tell(3), Transaction::Again { .. }));
    let handed = play.handed_over();
    assert_eq!(tokens(&handed), [(0, vec![]), (1000, vec!["stop.1"])]);
    let wishes = |slots: &[Slot]| slots.iter().map(|slot| slot.wish.clone()).collect::<Vec<_>>();
    assert_eq!(wishes(&handed), wishes(&before));
}

#[test]
fn a_turn_that_is_given_up_can_be_tried_again_and_not_stopped() {
    let mut third = work(&[1], Some(unfinished("", 3)));
    third.slots = left_over();
    let before = third.slots.clone();
    let mut play = Play::begun_in(third, with_buttons(Progress::Edit));
    let settle = settled(&mut play, 3);
    assert_eq!(settle.outcome, Outcome::Interrupted);
    assert_eq!(
        tokens(&settle.slots),
        [(0, vec![]), (1000, vec![]), (2000, vec!["retry.1"])]
    );
    assert_eq!(settle.slots[0].wish, before[0].wish, "it had none");
    let last = (&settle.slots[1].wish, &before[1].wish);
    assert_eq!((last.0.rev, &last.0.post.markup), (last.1.rev + 1, &last.1.post.markup));
}

#[test]
fn a_platform_without_buttons_gets_none() {
    let mut play = Play::begun(None, Reach::Always);
    play.commit_and_tell(0);
    say(&mut play, "begin", 1);
    play.commit_and_tell(1);
    play.tell(session::Event::Stop(InboxId(5)), 2);
    let settle = settled(&mut play, 2);
    assert_eq!(tokens(&settle.slots), [(0, vec![])]);
    assert_eq!(tokens(&play.handed_over()), [(0, vec![]), (0, vec![])]);
}
