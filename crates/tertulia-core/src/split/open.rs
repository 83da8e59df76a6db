//! What is open at a place in a source.

use pulldown_cmark::{Event, Tag};

use crate::markdown::Located;

/// A tag that is open.
#[derive(Clone, Copy)]
pub(super) struct Open<'a> {
    pub(super) tag: &'a Tag<'a>,
    /// Where it begins in the source.
    pub(super) at: usize,
    /// The event that opened it.
    pub(super) event: usize,
    /// How many items or rows it holds so far.
    pub(super) held: usize,
}

/// The open tags, outermost first.
#[derive(Default)]
pub(super) struct Stack<'a>(pub(super) Vec<Open<'a>>);

impl<'a> Stack<'a> {
    /// What is open before the event `resume`.
    pub(super) fn before(events: &'a [Located<'a>], resume: usize) -> Self {
        let mut stack = Self::default();
        for (index, located) in events.iter().take(resume).enumerate() {
            stack.pass(index, located);
        }
        stack
    }

    pub(super) fn pass(&mut self, index: usize, located: &'a Located<'a>) {
        match located {
            (Event::Start(tag), range) => {
                if let Some(parent) = self.0.last_mut() {
                    parent.held += 1;
                }
                self.0.push(Open {
                    tag,
                    at: range.start,
                    event: index,
                    held: 0,
                });
            }
            (Event::End(_), _) => {
                self.0.pop();
            }
            _ => {}
        }
    }

    pub(super) fn top(&self) -> Option<&Open<'a>> {
        self.0.last()
    }

    /// True inside of what can not be cut by its source.
    pub(super) fn is_locked(&self) -> bool {
        let is_lock = |tag: &Tag<'_>| {
            matches!(
                tag,
                Tag::Link { .. } | Tag::Image { .. } | Tag::TableHead | Tag::TableCell
            )
        };
        self.0.iter().any(|open| is_lock(open.tag))
    }
}
