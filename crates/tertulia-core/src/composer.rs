//! Folds the text of one answer into platform messages and live edits.

mod finish;
mod live;
mod open;
mod part;

use std::collections::VecDeque;
use std::ops::Range;

use tertulia_message::{Block, Inline, Limits, Markup, Progress};

use crate::now::Mono;
use crate::split::{self, Cursor};
use part::Part;

/// The distance between the numbers of neighbouring parts: room for parts that turn out too long.
const STEP: u32 = 1000;

/// What the composer is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// More visible text of the answer.
    Text(String),
    /// A short line about what is going on, shown below the text until it is taken away; never in a final body.
    Status(Option<String>),
    /// The slot of a part is committed and in the courier's hands.
    Opened {
        /// The part.
        part: u32,
    },
    /// The courier has posted the part, or finished a live edit of it.
    Done {
        /// The part.
        part: u32,
    },
    /// The courier did not do the live edit of the part; there may be a next one.
    Dropped {
        /// The part.
        part: u32,
    },
    /// The time asked for has come.
    Tick,
}

/// What the composer wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Commit a slot for a part, then tell [`Event::Opened`]. There is one outstanding at most.
    ///
    /// Where a message is edited while the answer is in the making, this comes with the first visible text and
    /// with each further part; `closed` is the part before, which is final now. Where a draft is shown instead,
    /// it comes when a part is full, with that part as `open` and nothing closed.
    Open {
        /// The final body of the part before.
        closed: Option<PartBody>,
        /// The new part with everything it shows so far.
        open: PartBody,
    },
    /// Show this in a posted part, if it can be done at once; then tell [`Event::Done`] or [`Event::Dropped`].
    Edit {
        /// The part.
        part: u32,
        /// All that it shall show.
        post_markup: Markup,
    },
    /// Show this as a draft.
    Preview {
        /// All that the draft shall show.
        markup: Markup,
    },
    /// Tell [`Event::Tick`] at this time.
    Wake(Mono),
}

/// One platform message's share of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartBody {
    /// Its number: 0, 1000, 2000 and so on.
    pub part: u32,
    /// What it shows.
    pub markup: Markup,
    /// Which bytes of the answer's text it shows.
    pub source: Range<usize>,
}

/// A part that has a slot from an earlier attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownPart {
    /// Its number.
    pub part: u32,
    /// True if it surely was posted.
    pub shown: bool,
}

/// The composer of one turn. It commits, sends and waits for nothing itself.
#[derive(Debug)]
pub struct Composer {
    limits: Limits,
    text: String,
    status: Option<String>,
    /// Where the open part begins.
    cursor: Cursor,
    /// Parts that are full; they never change.
    closed: Vec<PartBody>,
    /// What the open part shows.
    open: Markup,
    /// The parts that have a slot, or are about to have one.
    parts: Vec<Part>,
    /// True while a slot is being committed.
    opening: bool,
    /// What was shown as a draft.
    draft: Part,
    woken: Option<Mono>,
    effects: VecDeque<Effect>,
}

impl Composer {
    /// A composer for a conversation with these limits; `known` are the parts that have slots from an earlier
    /// attempt, which are edited in place.
    #[must_use]
    pub fn new(limits: Limits, known: Vec<KnownPart>) -> Self {
        let mut known = known;
        known.sort_unstable_by_key(|known| known.part);
        // parts between the steps came from a split; they are nobody's until the turn is settled
        let ours = known.into_iter().filter(|known| known.part.is_multiple_of(STEP));
        let ours = (0..).zip(ours).take_while(|(nth, known)| known.part == number(*nth));
        Self {
            parts: ours.map(|(_, known)| Part::known(known.shown)).collect(),
            limits,
            text: String::new(),
            status: None,
            cursor: Cursor::default(),
            closed: Vec::new(),
            open: Markup::default(),
            opening: false,
            draft: Part::known(true),
            woken: None,
            effects: VecDeque::new(),
        }
    }

    /// Takes one event in.
    pub fn handle(&mut self, event: Event, now: Mono) {
        if self.woken.is_some_and(|at| at <= now) {
            self.woken = None;
        }
        match event {
            Event::Text(text) => self.grow(&text),
            Event::Status(status) => self.status = status.filter(|status| !status.trim().is_empty()),
            Event::Opened { part } => {
                self.opening = false;
                self.at(part, Part::opened);
            }
            Event::Done { part } => self.at(part, Part::done),
            Event::Dropped { part } => self.at(part, |part| part.dropped(now)),
            Event::Tick => self.woken = None,
        }
        match self.limits.progress {
            Progress::Edit => {
                self.open_next(now);
                self.edit(now);
            }
            Progress::Draft => {
                self.open_next(now);
                self.preview(now);
            }
            Progress::Hidden | Progress::Stream => {}
        }
    }

    /// The next thing to do; to be drained after every event.
    pub fn poll(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// The whole text so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    fn grow(&mut self, text: &str) {
        self.text.push_str(text);
        if !matches!(self.limits.progress, Progress::Edit | Progress::Draft) {
            return;
        }
        let rolled = split::roll(&self.text, &self.cursor, self.limits.text.amount(), &self.limits.weigh);
        for piece in rolled.closed {
            let part = number(self.closed.len());
            self.closed.push(PartBody {
                part,
                markup: piece.markup,
                source: piece.source,
            });
        }
        self.cursor = rolled.cursor;
        self.open = rolled.open.markup;
    }

    fn at(&mut self, part: u32, change: impl FnOnce(&mut Part)) {
        let nth = usize::try_from(part / STEP).unwrap_or(usize::MAX);
        if part.is_multiple_of(STEP)
            && let Some(part) = self.parts.get_mut(nth)
        {
            change(part);
        }
    }
}

/// The number of the nth part.
fn number(nth: usize) -> u32 {
    u32::try_from(nth).unwrap_or(u32::MAX).saturating_mul(STEP)
}

/// How many characters a reader sees.
fn count(markup: &Markup) -> usize {
    markup.plain().chars().count()
}

/// Adds a paragraph of literal text, if the whole still fits.
pub(crate) fn with_line(markup: &Markup, line: &str, limits: &Limits) -> Option<Markup> {
    let mut markup = markup.clone();
    markup
        .blocks
        .push(Block::Paragraph(vec![Inline::Text(line.to_owned())]));
    ((limits.weigh)(&markup) <= limits.text.amount()).then_some(markup)
}

#[cfg(test)]
mod tests;
