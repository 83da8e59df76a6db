//! What holds for every answer, however it arrives and whatever becomes of its edits.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use tertulia_core::composer::{Composer, Effect, Event, KnownPart, PartBody};
use tertulia_core::now::Mono;
use tertulia_message::{Limits, Markup, Pace, Progress, Reach, TextLimit};

use crate::texts;

const EVERY: Duration = Duration::from_secs(2);

/// A chat that obeys, late, seldom or never.
#[derive(Default)]
struct Chat {
    limit: usize,
    weigh: Option<fn(&Markup) -> usize>,
    now: Mono,
    opening: Option<u32>,
    unposted: Vec<u32>,
    editing: BTreeMap<u32, Markup>,
    shown: BTreeMap<u32, Markup>,
    edited: BTreeMap<u32, Mono>,
    closed: Vec<PartBody>,
    opened: Vec<PartBody>,
}

impl Chat {
    fn drain(&mut self, composer: &mut Composer) -> Result<(), TestCaseError> {
        while let Some(effect) = composer.poll() {
            match effect {
                Effect::Open { closed, open } => {
                    prop_assert!(self.opening.is_none(), "two slots are being committed");
                    prop_assert!(!open.markup.is_blank());
                    self.fits(&open.markup)?;
                    self.opening = Some(open.part);
                    self.edited.insert(open.part, self.now);
                    self.shown.insert(open.part, open.markup.clone());
                    self.closed.extend(closed);
                    self.opened.push(open);
                }
                Effect::Edit { part, post_markup } => self.edit(part, post_markup)?,
                Effect::Preview { markup } => self.fits(&markup)?,
                Effect::Wake(at) => prop_assert!(at > self.now),
            }
        }
        Ok(())
    }

    fn edit(&mut self, part: u32, markup: Markup) -> Result<(), TestCaseError> {
        prop_assert!(
            self.opening != Some(part) && !self.unposted.contains(&part),
            "not posted yet"
        );
        prop_assert!(!self.editing.contains_key(&part), "two edits at once");
        prop_assert!(self.shown.get(&part) != Some(&markup), "nothing to edit");
        prop_assert!(
            self.edited.get(&part).is_none_or(|last| self.now >= *last + EVERY),
            "too fast"
        );
        prop_assert!(!markup.is_blank());
        self.fits(&markup)?;
        self.edited.insert(part, self.now);
        self.editing.insert(part, markup);
        Ok(())
    }

    fn fits(&self, markup: &Markup) -> Result<(), TestCaseError> {
        let weight = self.weigh.map_or(0, |weigh| weigh(markup));
        prop_assert!(weight <= self.limit, "{weight} > {}", self.limit);
        Ok(())
    }

    /// Something happens, by a throw of the dice.
    fn turn(&mut self, dice: u8) -> Event {
        self.now += Duration::from_millis(u64::from(dice) * 10);
        let posted = self.unposted.first().copied();
        let edited = self.editing.keys().next().copied();
        match (dice % 5, self.opening, posted, edited) {
            (0, Some(part), ..) => {
                self.opening = None;
                self.unposted.push(part);
                Event::Opened { part }
            }
            (1, _, Some(part), _) => {
                self.unposted.remove(0);
                Event::Done { part }
            }
            (2, _, _, Some(part)) => {
                self.shown
                    .extend(self.editing.remove(&part).map(|markup| (part, markup)));
                Event::Done { part }
            }
            (3, _, _, Some(part)) => {
                self.editing.remove(&part);
                self.edited.insert(part, self.now);
                Event::Dropped { part }
            }
            (4, ..) => Event::Status((dice > 128).then(|| "running now…".to_owned())),
            _ => Event::Tick,
        }
    }
}

/// Lets a text arrive in pieces while other things happen, and checks the end.
fn check(mut composer: Composer, mut chat: Chat, text: &str, dice: &[u8], mark: bool) -> Result<(), TestCaseError> {
    let mut from = 0;
    for throw in dice {
        let end = text.ceil_char_boundary(from + usize::from(*throw) / 4);
        composer.handle(Event::Text(text[from..end].to_owned()), chat.now);
        chat.drain(&mut composer)?;
        from = end;
        let event = chat.turn(*throw);
        composer.handle(event, chat.now);
        chat.drain(&mut composer)?;
    }
    composer.handle(Event::Text(text[from..].to_owned()), chat.now);
    chat.drain(&mut composer)?;
    prop_assert_eq!(composer.text(), text);
    let bodies = composer.finish(mark.then_some("(Stopped.)"));
    if text.trim().is_empty() {
        prop_assert_eq!(bodies.len(), usize::from(mark));
        return Ok(());
    }
    let joined: String = bodies.iter().map(|body| &text[body.source.clone()]).collect();
    prop_assert_eq!(joined, text);
    for (nth, body) in bodies.iter().enumerate() {
        prop_assert_eq!(body.part as usize, nth * 1000);
        prop_assert!(!body.markup.is_blank());
        chat.fits(&body.markup)?;
    }
    for closed in &chat.closed {
        prop_assert!(bodies.contains(closed), "a closed part has changed: {closed:?}");
    }
    let parts = chat.opened.iter().map(|open| open.part);
    prop_assert!(parts.clone().zip(parts.skip(1)).all(|(part, next)| part + 1000 == next));
    Ok(())
}

proptest! {
    #[test]
    fn answers_arrive_whole(
        text in texts::markdown(),
        dice in proptest::collection::vec(any::<u8>(), 0..80),
        progress in prop_oneof![3 => Just(Progress::Edit), 1 => Just(Progress::Draft), 1 => Just(Progress::Hidden)],
        measure in 0usize..4,
        limit in 40usize..200,
        known in prop_oneof![2 => Just(0u32), 1 => 1u32..4],
        mark in any::<bool>(),
    ) {
        let weigh = texts::measures()[measure];
        let limits = Limits {
            text: TextLimit::Bytes(limit),
            weigh,
            caption: limit,
            files: 1,
            progress,
            pace: Pace { every: EVERY, growth: 4 },
            keyed: true,
            reach: Reach::Always,
            threads: false,
            buttons: false,
        };
        let parts = (0..known).map(|nth| KnownPart { part: nth * 1000, shown: nth % 2 == 0 }).collect();
        let unposted = (0..known).filter(|nth| nth % 2 == 1).map(|nth| nth * 1000).collect();
        let chat = Chat { limit, weigh: Some(weigh), unposted, ..Chat::default() };
        check(Composer::new(limits, parts), chat, &text, &dice, mark)?;
    }
}
