//! Shows the answer while it grows: edits of posted parts, or a draft.

use super::part::{Part, Shown, When};
use super::{Composer, Effect, Mono, count, number, with_line};

impl Composer {
    /// Edits every part that shows something else than it shall, as far as the pace allows.
    pub(super) fn edit(&mut self, now: Mono) {
        for nth in 0..self.parts.len() {
            // what a part shall show is not cheap to say, and a long answer has many that are done with
            if self.parts.get(nth).is_none_or(Part::rests) {
                continue;
            }
            let Some(wanted) = self.wanted(nth) else { continue };
            let full = nth < self.closed.len();
            let Some(part) = self.parts.get_mut(nth) else { continue };
            match part.when(&wanted, full, self.limits.pace, now) {
                When::Now => {
                    let post_markup = wanted.markup.clone();
                    part.send(wanted, now);
                    self.effects.push_back(Effect::Edit {
                        part: number(nth),
                        post_markup,
                    });
                }
                When::At(due) => self.wake(due),
                When::Never => {}
            }
        }
    }

    /// Shows the open part as a draft; nobody tells what became of it.
    pub(super) fn preview(&mut self, now: Mono) {
        let Some(wanted) = self.growing_shown() else { return };
        match self.draft.when(&wanted, false, self.limits.pace, now) {
            When::Now => {
                let markup = wanted.markup.clone();
                self.draft.send(wanted, now);
                self.draft.done();
                self.effects.push_back(Effect::Preview { markup });
            }
            When::At(due) => self.wake(due),
            When::Never => {}
        }
    }

    /// What a part shall show; none if that is not known, or nothing.
    fn wanted(&self, nth: usize) -> Option<Shown> {
        if let Some(body) = self.closed.get(nth) {
            return Some(Shown {
                markup: body.markup.clone(),
                chars: count(&body.markup),
                status: None,
            });
        }
        let is_growing = nth == self.closed.len();
        // the text of an earlier attempt is not replaced by a status alone
        let has_place = !self.open.is_blank() || self.parts.get(nth).is_some_and(Part::is_ours);
        if is_growing && has_place {
            self.growing_shown()
        } else {
            None
        }
    }

    fn growing_shown(&self) -> Option<Shown> {
        let chars = if self.open.is_blank() { 0 } else { count(&self.open) };
        let below = self.status.as_ref().and_then(|status| {
            let base = if chars == 0 {
                &tertulia_message::Markup::default()
            } else {
                &self.open
            };
            Some((with_line(base, status, &self.limits)?, status.clone()))
        });
        match below {
            Some((markup, status)) => Some(Shown {
                markup,
                chars,
                status: Some(status),
            }),
            None if chars == 0 => None,
            None => Some(Shown {
                markup: self.open.clone(),
                chars,
                status: None,
            }),
        }
    }

    fn wake(&mut self, at: Mono) {
        if self.woken.is_none_or(|woken| at < woken) {
            self.woken = Some(at);
            self.effects.push_back(Effect::Wake(at));
        }
    }
}
