//! One part on its way: committed, posted, edited.

use tertulia_message::{Markup, Pace};

use crate::now::Mono;

/// What a message shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) markup: Markup,
    /// The characters of the text, without the status.
    pub(super) chars: usize,
    pub(super) status: Option<String>,
}

/// A part that has a slot, or is about to have one.
#[derive(Debug)]
pub(super) struct Part {
    stage: Stage,
    /// Its final body is committed: it is no longer edited from here.
    sealed: bool,
    /// What it surely shows; not known for a part of an earlier attempt.
    shown: Option<Shown>,
    /// The live edit under way.
    sending: Option<Shown>,
    /// When the last operation began; `None` if there was none in this attempt.
    last: Option<Mono>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Opening,
    Committed,
    Posted,
}

/// When something may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Now,
    At(Mono),
    Never,
}

impl Part {
    pub(super) fn opening(shown: Shown, sealed: bool, now: Mono) -> Self {
        Self {
            stage: Stage::Opening,
            sealed,
            shown: Some(shown),
            sending: None,
            last: Some(now),
        }
    }

    pub(super) fn known(posted: bool) -> Self {
        let stage = if posted { Stage::Posted } else { Stage::Committed };
        Self {
            stage,
            sealed: false,
            shown: None,
            sending: None,
            last: None,
        }
    }

    pub(super) fn opened(&mut self) {
        if self.stage == Stage::Opening {
            self.stage = Stage::Committed;
        }
    }

    pub(super) fn done(&mut self) {
        if self.stage == Stage::Committed {
            self.stage = Stage::Posted;
        }
        if let Some(sent) = self.sending.take() {
            self.shown = Some(sent);
        }
    }

    pub(super) fn dropped(&mut self, now: Mono) {
        if self.sending.take().is_some() {
            self.last = Some(now);
        }
    }

    pub(super) fn seal(&mut self) {
        self.sealed = true;
    }

    /// True if what it shows was made by this attempt.
    pub(super) fn is_ours(&self) -> bool {
        self.shown.is_some()
    }

    /// True if nothing may be done to it from here at the moment, whatever it shall show.
    pub(super) fn rests(&self) -> bool {
        self.stage != Stage::Posted || self.sealed || self.sending.is_some()
    }

    /// When it may be edited to show this; `full` if it will not grow any more.
    pub(super) fn when(&self, wanted: &Shown, full: bool, pace: Pace, now: Mono) -> When {
        if self.rests() {
            return When::Never;
        }
        let (same, chars, status) = match &self.shown {
            Some(shown) => (shown.markup == wanted.markup, shown.chars, shown.status.as_ref()),
            None => (false, 0, None),
        };
        let is_worth = full || status != wanted.status.as_ref() || wanted.chars.abs_diff(chars) >= pace.growth;
        if same || !is_worth {
            return When::Never;
        }
        match self.last.map(|last| last.saturating_add(pace.every)) {
            Some(due) if due > now => When::At(due),
            _ => When::Now,
        }
    }

    pub(super) fn send(&mut self, wanted: Shown, now: Mono) {
        self.sending = Some(wanted);
        self.last = Some(now);
    }
}
