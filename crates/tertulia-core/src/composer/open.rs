//! Has slots committed for parts that have none yet, one at a time.

use tertulia_message::{Markup, Progress};

use super::part::{Part, Shown};
use super::{Composer, Effect, Mono, PartBody, count, number};

impl Composer {
    /// Has a slot committed for the next part, if it needs one and no other is under way.
    pub(super) fn open_next(&mut self, now: Mono) {
        if self.opening {
            return;
        }
        let next = self.parts.len();
        let Some(open) = self.closed.get(next).cloned().or_else(|| self.growing(next)) else {
            return;
        };
        let is_draft = self.limits.progress == Progress::Draft;
        let before = next.checked_sub(1).filter(|_| !is_draft);
        let closed = before.and_then(|before| {
            self.parts.get_mut(before)?.seal();
            self.closed.get(before).cloned()
        });
        let is_placeholder = open.source.is_empty();
        let shown = Shown {
            markup: open.markup.clone(),
            chars: if is_placeholder { 0 } else { count(&open.markup) },
            status: self.status.clone().filter(|_| is_placeholder),
        };
        self.parts.push(Part::opening(shown, is_draft, now));
        self.opening = true;
        self.effects.push_back(Effect::Open { closed, open });
    }

    /// The body of the part that is still growing, if it is the next one, has something to show, and is a message;
    /// the first one may show the status alone.
    fn growing(&self, nth: usize) -> Option<PartBody> {
        if nth != self.closed.len() || self.limits.progress == Progress::Draft {
            return None;
        }
        let part = number(nth);
        if !self.open.is_blank() {
            let source = self.cursor.from..self.text.len();
            return Some(PartBody {
                part,
                markup: self.open.clone(),
                source,
            });
        }
        let status = self.status.clone().filter(|_| nth == 0)?;
        Some(PartBody {
            part,
            markup: Markup::text(status),
            source: 0..0,
        })
    }
}
