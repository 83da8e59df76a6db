//! The final bodies of all parts.

use tertulia_message::Markup;

use super::{Composer, PartBody, number, with_line};
use crate::split;

impl Composer {
    /// All parts in their order with their final bodies; parts that were closed keep theirs.
    ///
    /// `mark` is a short public notice that becomes the last paragraph, in a part of its own if it does not fit,
    /// and the only content if there is no text. Without text and mark there are no parts.
    #[must_use]
    pub fn finish(&self, mark: Option<&str>) -> Vec<PartBody> {
        let limit = self.limits.text.amount();
        let rolled = split::roll(&self.text, &self.cursor, limit, &self.limits.weigh);
        let mut bodies = self.closed.clone();
        for piece in rolled.closed.into_iter().chain([rolled.open]) {
            if !piece.markup.is_blank() {
                let part = number(bodies.len());
                bodies.push(PartBody {
                    part,
                    markup: piece.markup,
                    source: piece.source,
                });
            }
        }
        if let Some(mark) = mark.filter(|mark| !mark.trim().is_empty()) {
            self.mark(mark, &mut bodies);
        }
        bodies
    }

    fn mark(&self, mark: &str, bodies: &mut Vec<PartBody>) {
        if let Some(last) = bodies.last_mut()
            && let Some(marked) = with_line(&last.markup, mark, &self.limits)
        {
            last.markup = marked;
            return;
        }
        let end = self.text.len();
        let mut start = if bodies.is_empty() { 0 } else { end };
        for markup in split::tree(Markup::text(mark), self.limits.text.amount(), &self.limits.weigh) {
            bodies.push(PartBody {
                part: number(bodies.len()),
                markup,
                source: start..end,
            });
            start = end;
        }
    }
}
