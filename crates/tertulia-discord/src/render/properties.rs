//! What holds for every markup, and for everything that the core cuts by this measure.

use std::collections::HashMap;
use std::time::Duration;

use proptest::prelude::*;
use tertulia_core::composer::{Composer, Effect, Event};
use tertulia_core::markdown::parse;
use tertulia_core::split::tree;
use tertulia_message::{Limits, Markup, Pace, Progress, Reach, TextLimit};

use super::samples::{has_table, letters, letters_of, markdown, markup, mentions, nasty};
use super::{LONGEST, chars, checker, render, weigh};

/// Checks one message, and returns its text.
fn valid(markup: &Markup) -> Result<String, TestCaseError> {
    let text = render(markup);
    let found = checker::check(&text);
    prop_assert!(found.faults.is_empty(), "{:?} in {text:?} of {markup:?}", found.faults);
    prop_assert!(found.mentions.is_subset(&mentions(markup)), "{text:?} of {markup:?}");
    prop_assert_eq!(text.chars().count(), weigh(markup));
    Ok(text)
}

/// Fails if a letter is missing; without tables the order has to be kept as well.
fn nothing_lost(expected: &str, shown: &str, is_ordered: bool) -> Result<(), TestCaseError> {
    if is_ordered {
        let mut left = shown.chars();
        let lost = expected.chars().find(|letter| !left.any(|c| c == *letter));
        prop_assert!(lost.is_none(), "{lost:?} of {expected:?} is not in {shown:?}");
        return Ok(());
    }
    let mut counts: HashMap<char, i64> = HashMap::new();
    shown.chars().for_each(|c| *counts.entry(c).or_default() += 1);
    expected.chars().for_each(|c| *counts.entry(c).or_default() -= 1);
    let lost = counts.iter().find(|(_, count)| **count < 0);
    prop_assert!(lost.is_none(), "{lost:?} of {expected:?} is not in {shown:?}");
    Ok(())
}

/// Cuts a tree, and checks its parts.
fn check_cut(markup: &Markup, limit: usize) -> Result<(), TestCaseError> {
    let parts = tree(markup.clone(), limit, &weigh);
    let mut shown = String::new();
    for part in &parts {
        prop_assert!(weigh(part) <= limit, "{} > {limit}: {part:?}", weigh(part));
        shown += &valid(part)?;
    }
    let is_ordered = !markup.blocks.iter().any(has_table);
    nothing_lost(&letters(markup), &letters_of(&shown), is_ordered)
}

/// Has the composer show a text that arrives in chunks of these lengths, and checks everything that it shows.
fn check_composed(text: &str, chunks: &[usize], progress: Progress, limit: usize) -> Result<(), TestCaseError> {
    let limits = Limits {
        text: TextLimit::Chars(limit),
        weigh,
        caption: 0,
        files: 10,
        progress,
        pace: Pace {
            every: Duration::from_secs(1),
            growth: 20,
        },
        keyed: false,
        reach: Reach::Always,
        threads: true,
        buttons: true,
    };
    let mut composer = Composer::new(limits, Vec::new());
    let mut now = Duration::ZERO;
    let mut from = 0;
    for length in chunks.iter().copied().chain([text.len()]) {
        let end = text.ceil_char_boundary((from + length).min(text.len()));
        let chunk = text.get(from..end).unwrap_or_default();
        composer.handle(Event::Text(chunk.to_owned()), now);
        from = end;
        while let Some(effect) = composer.poll() {
            now += Duration::from_millis(700);
            answer(&mut composer, effect, now, limit)?;
        }
    }
    let bodies = composer.finish(Some("(Stopped.)"));
    let joined: String = bodies.iter().filter_map(|body| text.get(body.source.clone())).collect();
    prop_assert!(text.trim().is_empty() || joined == text);
    let mut shown = String::new();
    for body in &bodies {
        prop_assert!(weigh(&body.markup) <= limit);
        shown += &valid(&body.markup)?;
    }
    let whole = parse(text);
    let is_ordered = !whole.blocks.iter().any(has_table);
    nothing_lost(&letters(&whole), &letters_of(&shown), is_ordered)
}

fn answer(composer: &mut Composer, effect: Effect, now: Duration, limit: usize) -> Result<(), TestCaseError> {
    let shown = match effect {
        Effect::Open { closed, open } => {
            let part = open.part;
            composer.handle(Event::Opened { part }, now);
            composer.handle(Event::Done { part }, now);
            closed.into_iter().chain([open]).map(|body| body.markup).collect()
        }
        Effect::Edit { part, post_markup } => {
            composer.handle(Event::Done { part }, now);
            vec![post_markup]
        }
        Effect::Preview { markup } => vec![markup],
        Effect::Wake(_) => Vec::new(),
    };
    for markup in shown {
        prop_assert!(weigh(&markup) <= limit);
        valid(&markup)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_tree_is_a_valid_message(markup in markup(true)) {
        let text = valid(&markup)?;
        nothing_lost(&letters(&markup), &letters_of(&text), false)?;
    }

    #[test]
    fn letters_keep_their_order(markup in markup(false)) {
        let text = valid(&markup)?;
        nothing_lost(&letters(&markup), &letters_of(&text), true)?;
    }

    #[test]
    fn every_text_is_shown_as_it_is(text in "\\PC{0,40}|[ \\n\\ta-z*_~|<@>#`-]{0,40}") {
        let markup = Markup::text(text.clone());
        let shown = checker::shown(&valid(&markup)?);
        let visible = |text: &str| -> String { text.chars().filter(|c| chars::is_visible(&c.to_string())).collect() };
        if chars::is_visible(&text) && !text.contains("http") {
            prop_assert_eq!(visible(&shown), visible(&text));
        }
    }

    #[test]
    fn markdown_is_cut_into_valid_messages(text in markdown(), limit in 150usize..1000) {
        check_cut(&parse(&text), limit)?;
    }

    #[test]
    fn trees_are_cut_into_valid_messages(markup in markup(true), limit in 150usize..400) {
        check_cut(&markup, limit)?;
    }

    #[test]
    fn what_grows_is_always_a_valid_message(
        text in markdown(),
        chunks in proptest::collection::vec(1usize..80, 0..40),
        limit in 150usize..1000,
    ) {
        check_composed(&text, &chunks, Progress::Edit, limit)?;
    }
}

#[test]
fn nasty_texts_arrive_whole() {
    for text in nasty() {
        let start: String = text.chars().take(40).collect();
        let whole = parse(&text);
        check_cut(&whole, LONGEST).unwrap_or_else(|fault| panic!("{start}: {fault}"));
        let literal = Markup::text(text.clone());
        check_cut(&literal, LONGEST).unwrap_or_else(|fault| panic!("{start}, as it is: {fault}"));
        let chunks = vec![2999; text.len() / 2999];
        check_composed(&text, &chunks, Progress::Edit, LONGEST).unwrap_or_else(|fault| panic!("{start}: {fault}"));
    }
}
