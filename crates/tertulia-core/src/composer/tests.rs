//! Transcripts: events with their time on the left, what the composer wants below them.

use std::time::Duration;

use tertulia_message::{Limits, Markup, Pace, Progress, Reach, TextLimit};

use super::{Composer, Effect, Event, KnownPart, PartBody};

fn limits(progress: Progress) -> Limits {
    Limits {
        text: TextLimit::Chars(30),
        weigh: |markup| markup.plain().chars().count(),
        caption: 30,
        files: 1,
        progress,
        pace: Pace {
            every: Duration::from_secs(2),
            growth: 3,
        },
        keyed: false,
        reach: Reach::Always,
        threads: false,
        buttons: false,
    }
}

/// Reads `at kind argument` lines; the time is in seconds.
fn event(line: &str) -> (Event, Duration) {
    let mut words = line.splitn(3, ' ');
    let at = words.next().unwrap().parse().unwrap();
    let kind = words.next().unwrap();
    let rest = words.next().unwrap_or_default();
    let part = || rest.parse().unwrap();
    let event = match kind {
        "text" => Event::Text(rest.replace("\\n", "\n")),
        "status" => Event::Status((!rest.is_empty()).then(|| rest.to_owned())),
        "opened" => Event::Opened { part: part() },
        "done" => Event::Done { part: part() },
        "dropped" => Event::Dropped { part: part() },
        "tick" => Event::Tick,
        other => panic!("unknown event {other}"),
    };
    (event, Duration::from_secs(at))
}

fn words(markup: &Markup) -> String {
    markup.plain().replace('\n', "\\n")
}

fn body(body: &PartBody) -> String {
    format!("{} {:?} {}", body.part, body.source, words(&body.markup))
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::Open { closed: None, open } => format!("open {}", body(open)),
        Effect::Open {
            closed: Some(closed),
            open,
        } => format!("open {} | closed {}", body(open), body(closed)),
        Effect::Edit { part, post_markup } => format!("edit {part} {}", words(post_markup)),
        Effect::Preview { markup } => format!("preview {}", words(markup)),
        Effect::Wake(at) => format!("wake {}", at.as_secs()),
    }
}

/// Plays the events of a transcript (lines that begin with `> `) and compares all the rest.
#[track_caller]
fn play(composer: &mut Composer, transcript: &str) {
    let lines = || transcript.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut played = Vec::new();
    for line in lines().filter(|line| line.starts_with("> ")) {
        played.push(line.to_owned());
        let (event, now) = event(line.trim_start_matches("> "));
        composer.handle(event, now);
        while let Some(wanted) = composer.poll() {
            played.push(effect(&wanted));
        }
    }
    assert_eq!(played, lines().collect::<Vec<_>>(), "\n{}", played.join("\n"));
}

#[track_caller]
fn finish(composer: &Composer, mark: Option<&str>, expected: &[&str]) {
    let bodies: Vec<String> = composer.finish(mark).iter().map(body).collect();
    assert_eq!(bodies, expected);
}

#[test]
fn the_first_text_opens_with_everything_so_far_and_nothing_is_lost_before_the_first_edit() {
    let mut composer = Composer::new(limits(Progress::Edit), vec![]);
    play(
        &mut composer,
        "> 0 text \\n
        > 0 text The
        open 0 0..4 The
        > 0 text  sun
        > 1 opened 0
        > 1 text  is
        > 1 done 0
        wake 2
        > 1 text  up.
        > 2 tick
        edit 0 The sun is up.",
    );
    assert_eq!(composer.text(), "\nThe sun is up.");
    finish(&composer, None, &["0 0..15 The sun is up."]);
}

#[test]
fn edits_keep_the_pace_and_follow_one_another() {
    play(
        &mut Composer::new(limits(Progress::Edit), vec![]),
        "> 0 text one
        open 0 0..3 one
        > 0 opened 0
        > 1 done 0
        > 3 text  two
        edit 0 one two
        > 4 text  three
        > 9 text  four
        > 9 done 0
        edit 0 one two three four
        > 10 done 0
        > 20 text !
        > 20 text !!
        edit 0 one two three four!!!
        > 21 done 0
        > 30 tick",
    );
}

#[test]
fn text_that_shows_nothing_new_is_no_edit() {
    play(
        &mut Composer::new(limits(Progress::Edit), vec![]),
        "> 0 text one
        open 0 0..3 one
        > 0 opened 0
        > 0 done 0
        > 5 text \\n\\n    \\n\\n
        > 6 tick",
    );
}

#[test]
fn a_dropped_edit_comes_again_after_the_pace() {
    let mut composer = Composer::new(limits(Progress::Edit), vec![]);
    play(
        &mut composer,
        "> 0 text one
        open 0 0..3 one
        > 0 opened 0
        > 0 done 0
        > 5 text  two
        edit 0 one two
        > 5 dropped 0
        wake 7
        > 6 text  three
        > 7 tick
        edit 0 one two three
        > 8 dropped 0
        wake 10",
    );
    finish(&composer, None, &["0 0..13 one two three"]);
}

#[test]
fn a_full_part_is_closed_and_the_next_one_opened() {
    let mut composer = Composer::new(limits(Progress::Edit), vec![]);
    play(
        &mut composer,
        "> 0 text aaaa aaaa aaaa aaaa aaaa
        open 0 0..24 aaaa aaaa aaaa aaaa aaaa
        > 0 text  bbbb bbbb
        > 1 opened 0
        open 1000 30..34 bbbb | closed 0 0..30 aaaa aaaa aaaa aaaa aaaa bbbb
        > 1 done 0
        > 2 text  cccc
        > 2 opened 1000
        > 3 done 1000
        edit 1000 bbbb cccc
        > 4 done 0",
    );
    finish(
        &composer,
        Some("(Stopped.)"),
        &[
            "0 0..30 aaaa aaaa aaaa aaaa aaaa bbbb",
            "1000 30..39 bbbb cccc\\n\\n(Stopped.)",
        ],
    );
    finish(
        &composer,
        Some("(This took far too long.)"),
        &[
            "0 0..30 aaaa aaaa aaaa aaaa aaaa bbbb",
            "1000 30..39 bbbb cccc",
            "2000 39..39 (This took far too long.)",
        ],
    );
}

#[test]
fn one_slot_is_committed_at_a_time() {
    play(
        &mut Composer::new(limits(Progress::Edit), vec![]),
        "> 0 text aaaaaaaaa aaaaaaaaa aaaaaaaaa bbbbbbbbb bbbbbbbbb bbbbbbbbb ccc
        open 0 0..30 aaaaaaaaa aaaaaaaaa aaaaaaaaa
        > 0 text  ccc
        > 0 opened 0
        open 1000 30..60 bbbbbbbbb bbbbbbbbb bbbbbbbbb | closed 0 0..30 aaaaaaaaa aaaaaaaaa aaaaaaaaa
        > 9 done 0
        > 9 opened 1000
        open 2000 60..67 ccc ccc | closed 1000 30..60 bbbbbbbbb bbbbbbbbb bbbbbbbbb",
    );
}

#[test]
fn a_status_makes_a_placeholder_and_is_never_final() {
    let mut composer = Composer::new(limits(Progress::Edit), vec![]);
    play(
        &mut composer,
        "> 0 status thinking…
        open 0 0..0 thinking…
        > 0 opened 0
        > 0 done 0
        > 3 text Yes
        edit 0 Yes\\n\\nthinking…
        > 3 done 0
        > 4 status
        wake 5
        > 5 tick
        edit 0 Yes
        > 5 done 0
        > 8 text , and that is all of it.
        edit 0 Yes, and that is all of it.
        > 8 done 0
        > 10 status running now…
        > 10 text .",
    );
    finish(&composer, None, &["0 0..28 Yes, and that is all of it.."]);
    finish(&Composer::new(limits(Progress::Edit), vec![]), None, &[]);
    finish(
        &Composer::new(limits(Progress::Edit), vec![]),
        Some("⚠️ No."),
        &["0 0..0 ⚠️ No."],
    );
}

#[test]
fn a_resumed_answer_is_edited_in_place() {
    let known = |part, shown| KnownPart { part, shown };
    let mut composer = Composer::new(
        limits(Progress::Edit),
        vec![known(0, true), known(1, true), known(1000, false)],
    );
    play(
        &mut composer,
        "> 0 status working
        > 0 text aaaa aaaa aaaa aaaa aaaa
        edit 0 aaaa aaaa aaaa aaaa aaaa
        > 1 status
        > 1 done 0
        > 1 text  bbbb cccc
        wake 2
        > 2 tick
        edit 0 aaaa aaaa aaaa aaaa aaaa bbbb
        > 3 done 1000
        edit 1000 cccc
        > 3 done 0
        > 3 done 1000
        > 9 text  cccc cccc cccc cccc cccc dddd
        open 2000 60..64 dddd | closed 1000 30..60 cccc cccc cccc cccc cccc cccc",
    );
}

#[test]
fn a_resumed_answer_opens_what_has_no_slot_yet() {
    play(
        &mut Composer::new(limits(Progress::Edit), vec![KnownPart { part: 0, shown: false }]),
        "> 0 text aaaa aaaa aaaa aaaa aaaa
        > 0 text  bbbb cccc
        open 1000 30..34 cccc | closed 0 0..30 aaaa aaaa aaaa aaaa aaaa bbbb
        > 0 done 0",
    );
}

#[test]
fn drafts_show_the_open_part_and_open_full_ones() {
    let mut composer = Composer::new(limits(Progress::Draft), vec![]);
    play(
        &mut composer,
        "> 0 text aaaa
        preview aaaa
        > 0 text  aaaa aaaa aaaa aaaa
        wake 2
        > 2 tick
        preview aaaa aaaa aaaa aaaa aaaa
        > 5 text  aaaa bbbb
        open 0 0..30 aaaa aaaa aaaa aaaa aaaa aaaa
        preview bbbb
        > 6 opened 0
        > 6 done 0",
    );
    finish(
        &composer,
        None,
        &["0 0..30 aaaa aaaa aaaa aaaa aaaa aaaa", "1000 30..34 bbbb"],
    );
}

#[test]
fn hidden_answers_show_nothing_before_their_end() {
    for progress in [Progress::Hidden, Progress::Stream] {
        let mut composer = Composer::new(limits(progress), vec![]);
        play(
            &mut composer,
            "> 0 status working
            > 0 text aaaa aaaa aaaa aaaa aaaa aaaa bbbb
            > 9 tick",
        );
        finish(
            &composer,
            None,
            &["0 0..30 aaaa aaaa aaaa aaaa aaaa aaaa", "1000 30..34 bbbb"],
        );
    }
}
