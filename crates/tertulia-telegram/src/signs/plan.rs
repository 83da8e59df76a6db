//! What one place is shown, and when next; the time is an argument, counted from any fixed point.

use std::sync::Arc;
use std::time::Duration;

use super::draft::Draft;

/// Telegram shows typing for five seconds.
const TYPING_EVERY: Duration = Duration::from_millis(4_500);
/// A draft is there for thirty seconds.
const DRAFT_EVERY: Duration = Duration::from_secs(20);
/// A message of ours ends typing. It comes back when it is clear that more is to come.
const AFTER_POST: Duration = Duration::from_secs(1);
/// No turn takes longer. Whoever forgets to say that the bot is idle has it typing no longer than this.
const LONGEST: Duration = Duration::from_mins(15);

/// What a place is shown until the bot is idle there.
#[derive(Debug)]
pub(super) struct Plan {
    is_group: bool,
    ends_at: Duration,
    /// When typing is shown next; none if only drafts were asked for.
    typing_at: Option<Duration>,
    draft: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    draft: Arc<Draft>,
    at: Duration,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Show this, and ask again.
    Show(Sign),
    /// Nothing until then, if nothing new comes.
    Sleep(Duration),
    /// Nothing more.
    End,
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sign {
    /// The bot is at work.
    Typing,
    /// The text so far.
    Draft(Arc<Draft>),
}

impl Plan {
    pub(super) fn new(is_group: bool, now: Duration) -> Self {
        Self {
            is_group,
            ends_at: now.saturating_add(LONGEST),
            typing_at: None,
            draft: None,
        }
    }

    /// The bot is at work.
    pub(super) fn begin(&mut self, now: Duration) {
        self.ends_at = now.saturating_add(LONGEST);
        self.typing_at = Some(now);
    }

    /// A newer text so far replaces the one before, also if that was never shown.
    pub(super) fn preview(&mut self, draft: Arc<Draft>, now: Duration) {
        self.draft = Some(Pending { draft, at: now });
    }

    /// The bot is idle.
    pub(super) fn end(&mut self) {
        self.ends_at = Duration::ZERO;
        self.typing_at = None;
        self.draft = None;
    }

    /// There are no drafts here.
    pub(super) fn drop_draft(&mut self) {
        self.draft = None;
    }

    /// A message is about to come: it takes the place of the draft, and typing must not come behind it.
    pub(super) fn make_way(&mut self, now: Duration) {
        self.draft = None;
        if let Some(at) = &mut self.typing_at {
            *at = now.saturating_add(TYPING_EVERY).max(*at);
        }
    }

    /// A message was posted or edited here.
    pub(super) fn delivered(&mut self, was_posted: bool, now: Duration) {
        let Some(at) = &mut self.typing_at else { return };
        if self.is_group {
            // a group takes twenty calls a minute, and what was just shown tells as well that the bot is at work
            *at = now.saturating_add(TYPING_EVERY);
        } else if was_posted {
            *at = now.saturating_add(AFTER_POST);
        }
    }

    /// The sign cannot be shown before then.
    pub(super) fn put_off(&mut self, sign: &Sign, until: Duration) {
        match (sign, &mut self.typing_at, &mut self.draft) {
            (Sign::Typing, Some(at), _) => *at = until.max(*at),
            (Sign::Draft(tried), _, Some(pending)) if Arc::ptr_eq(tried, &pending.draft) => pending.at = until,
            _ => {}
        }
    }

    /// What to do now. What it gives to show counts as shown.
    pub(super) fn next(&mut self, now: Duration) -> Step {
        if now >= self.ends_at {
            return Step::End;
        }
        if let Some(pending) = &mut self.draft {
            // a draft shows that the bot is at work, and typing would take its place
            if now < pending.at {
                return Step::Sleep(pending.at.min(self.ends_at));
            }
            pending.at = now.saturating_add(DRAFT_EVERY);
            return Step::Show(Sign::Draft(Arc::clone(&pending.draft)));
        }
        match &mut self.typing_at {
            Some(at) if now >= *at => {
                *at = now.saturating_add(TYPING_EVERY);
                Step::Show(Sign::Typing)
            }
            Some(at) => Step::Sleep(self.ends_at.min(*at)),
            None => Step::Sleep(self.ends_at),
        }
    }
}

#[cfg(test)]
mod tests;
