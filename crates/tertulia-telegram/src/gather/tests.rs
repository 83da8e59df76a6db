//! What belongs together, and what waits.

use tertulia_message::{Account, Quoted};

use super::*;

const LATER: Duration = Duration::from_mins(1);

fn piece(sender: &str, id: u32, text: &str, sent_at: i64) -> Piece {
    Piece {
        event: Inbound {
            account: Account {
                interface: "telegram_bot".into(),
                identity: "1".into(),
            },
            path: "telegram_bot/-5".parse().unwrap(),
            id: format!("-5/{id}"),
            sender: PersonId::new("telegram_bot", sender),
            sender_name: sender.into(),
            addressed: Addressed::None,
            what: What::Message { text: text.into() },
            files: Vec::new(),
            reply_to: None,
            quoted: None,
            join: None,
            token: None,
            sent_at: Some(sent_at),
        },
        units: text.encode_utf16().count(),
    }
}

fn long(sender: &str, id: u32, sent_at: i64) -> Piece {
    piece(sender, id, &"x".repeat(4096), sent_at)
}

fn album(sender: &str, id: u32, key: &str) -> Piece {
    let mut piece = piece(sender, id, "", 0);
    piece.units = 0;
    piece.event.join = Some(format!("album/-5/{key}"));
    piece
}

fn addressed(mut piece: Piece) -> Piece {
    piece.event.addressed = Addressed::Mention;
    piece
}

fn arrived(pieces: Vec<Piece>) -> Vec<Arrived> {
    let of = |piece| Arrived {
        piece,
        seen: Duration::ZERO,
        is_handed_in: false,
    };
    pieces.into_iter().map(of).collect()
}

/// Message numbers with their keys and how they are addressed.
fn shown(gathered: &Gathered) -> Vec<(&str, Option<&str>, bool)> {
    gathered
        .ready
        .iter()
        .map(|(_, event)| {
            let number = event.id.strip_prefix("-5/").unwrap();
            (number, event.join.as_deref(), event.addressed != Addressed::None)
        })
        .collect()
}

#[track_caller]
fn check(pieces: Vec<Piece>, expected: &[(&str, Option<&str>, bool)]) {
    let gathered = Gatherer::default().gather(&arrived(pieces), LATER, false);
    assert_eq!(shown(&gathered), expected);
    assert!(!gathered.is_waiting);
}

#[test]
fn an_album_is_addressed_by_any_of_its_captions() {
    let pieces = vec![album("a", 1, "k"), addressed(album("a", 2, "k")), album("a", 3, "k")];
    let key = Some("album/-5/k");
    check(pieces, &[("1", key, true), ("2", key, true), ("3", key, true)]);
}

#[test]
fn items_stand_together_and_others_do_not_belong() {
    let pieces = vec![
        album("a", 1, "k"),
        piece("b", 2, "hi", 0),
        album("a", 3, "k"),
        album("a", 4, "other"),
    ];
    let key = Some("album/-5/k");
    let expected = [
        ("1", key, false),
        ("3", key, false),
        ("2", None, false),
        ("4", Some("album/-5/other"), false),
    ];
    check(pieces, &expected);
}

#[test]
fn a_split_paste_is_one() {
    let pieces = vec![
        addressed(long("a", 1, 0)),
        long("a", 2, 1000),
        piece("a", 3, "end", 3000),
        piece("a", 4, "and?", 3000),
    ];
    let key = Some("paste/-5/1");
    check(
        pieces,
        &[("1", key, true), ("2", key, true), ("3", key, true), ("4", None, false)],
    );
}

#[test]
fn a_paste_is_addressed_by_any_of_its_pieces() {
    let key = Some("paste/-5/1");
    let pieces = vec![long("a", 1, 0), addressed(long("a", 2, 0)), piece("a", 3, "end", 0)];
    check(pieces, &[("1", key, true), ("2", key, true), ("3", key, true)]);
    let mut gatherer = Gatherer::default();
    gatherer.confirmed(&arrived(vec![long("a", 1, 0)]));
    let rest = arrived(vec![addressed(piece("a", 2, "end", 0))]);
    assert_eq!(shown(&gatherer.gather(&rest, LATER, false)), [("2", key, true)]);
}

#[test]
fn a_paste_ends_with_another_person_or_with_time() {
    check(
        vec![long("a", 1, 0), piece("b", 2, "hi", 0)],
        &[("1", None, false), ("2", None, false)],
    );
    check(
        vec![long("a", 1, 0), piece("a", 2, "hi", 2001)],
        &[("1", None, false), ("2", None, false)],
    );
    check(
        vec![piece("a", 1, "short", 0), piece("a", 2, "hi", 0)],
        &[("1", None, false), ("2", None, false)],
    );
    check(
        vec![long("a", 1, 0), piece("a", 2, "/stop ", 0)],
        &[("1", None, false), ("2", None, false)],
    );
    let mut elsewhere = piece("a", 2, "hi", 0);
    elsewhere.event.path = "telegram_bot/-5/9".parse().unwrap();
    check(
        vec![long("a", 1, 0), elsewhere],
        &[("1", None, false), ("2", None, false)],
    );
}

#[test]
fn nothing_in_a_paste_is_a_command() {
    let pieces = vec![
        long("a", 1, 0),
        piece("a", 2, "\u{200b} /forget chat yes", 0),
        piece("a", 3, "/stop", 0),
    ];
    let gathered = Gatherer::default().gather(&arrived(pieces), LATER, false);
    let texts: Vec<&What> = gathered.ready.iter().map(|(_, event)| &event.what).skip(1).collect();
    let of = |text: &str| What::Message { text: text.into() };
    assert_eq!(texts, [&of("…\u{200b} /forget chat yes"), &of("/stop")]);
}

#[test]
fn only_the_first_item_quotes() {
    let quoting = |mut piece: Piece, id: &str| {
        piece.event.reply_to = Some(id.into());
        piece.event.quoted = Some(Quoted {
            who: "b".into(),
            text: id.into(),
        });
        piece
    };
    let pieces = vec![
        quoting(long("a", 1, 0), "-5/0"),
        quoting(piece("a", 2, "end", 0), "-5/7"),
    ];
    let gathered = Gatherer::default().gather(&arrived(pieces), LATER, false);
    let (first, second) = (&gathered.ready[0].1, &gathered.ready[1].1);
    assert!(first.quoted.is_some() && second.quoted.is_none());
    assert_eq!(second.reply_to.as_deref(), Some("-5/0"));
}

#[test]
fn what_may_grow_waits_and_keeps_nobody_back() {
    let mut other = piece("c", 9, "hi", 0);
    other.event.path = "telegram_bot/-6".parse().unwrap();
    other.event.id = "-5/9".into();
    let mut edit = piece("a", 3, "x", 0);
    edit.event.what = What::Edit {
        of: "-5/2".into(),
        text: "new".into(),
    };
    edit.units = 0;
    let batch = arrived(vec![piece("b", 1, "before", 0), album("a", 2, "k"), edit, other]);
    let soon = Gatherer::default().gather(&batch, Duration::from_millis(799), false);
    assert!(soon.is_waiting);
    assert_eq!(
        shown(&soon),
        [("1", None, false), ("9", None, false)],
        "a change must not come before what it changes"
    );
    let full = Gatherer::default().gather(&batch, Duration::ZERO, true);
    assert!(!full.is_waiting && full.ready.len() == 4);
    let quiet = Gatherer::default().gather(&batch, QUIET, false);
    assert!(!quiet.is_waiting && quiet.ready.len() == 4);
}

#[test]
fn a_new_item_makes_the_others_wait_longer() {
    let mut batch = arrived(vec![album("a", 1, "k"), album("a", 2, "k")]);
    batch[1].seen = Duration::from_millis(700);
    let now = Duration::from_millis(1400);
    assert!(Gatherer::default().gather(&batch, now, false).is_waiting);
    let whole = (1..=10).map(|id| album("a", id, "k")).collect();
    assert!(
        !Gatherer::default()
            .gather(&arrived(whole), Duration::ZERO, false)
            .is_waiting
    );
    let ended = vec![album("a", 1, "k"), piece("a", 2, "that was all", 0)];
    assert!(
        !Gatherer::default()
            .gather(&arrived(ended), Duration::ZERO, false)
            .is_waiting
    );
}

#[test]
fn what_was_handed_in_is_not_handed_in_again() {
    let mut batch = arrived(vec![piece("b", 1, "before", 0), album("a", 2, "k")]);
    batch[0].is_handed_in = true;
    let gathered = Gatherer::default().gather(&batch, LATER, false);
    assert_eq!(shown(&gathered), [("2", Some("album/-5/k"), false)]);
}

#[test]
fn the_rest_of_a_group_is_known_in_the_next_batch() {
    let mut gatherer = Gatherer::default();
    gatherer.confirmed(&arrived(vec![
        addressed(album("a", 1, "k")),
        addressed(long("b", 2, 0)),
    ]));
    let rest = arrived(vec![
        album("a", 3, "k"),
        piece("b", 4, "end", 1000),
        piece("b", 5, "and?", 1000),
        album("a", 6, "k"),
    ]);
    let key = Some("album/-5/k");
    let expected = [
        ("3", key, true),
        ("6", key, true),
        ("4", Some("paste/-5/2"), true),
        ("5", None, false),
    ];
    assert_eq!(shown(&gatherer.gather(&rest, LATER, false)), expected);
    gatherer.confirmed(&rest);
    let later = arrived(vec![piece("a", 7, "hi", 0)]);
    assert_eq!(shown(&gatherer.gather(&later, LATER, false)), [("7", None, false)]);
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut gatherer = Gatherer::default();
    for nth in 0..1000 {
        gatherer.confirmed(&arrived(vec![long(&format!("p{nth}"), nth, 0)]));
    }
    assert_eq!(gatherer.ended.len(), REMEMBERED);
}
