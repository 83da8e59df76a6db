//! Cuts a finished tree into parts.

mod cut;
mod size;
mod walk;

use tertulia_message::{Block, Inline, Markup};

use super::{Weigh, border, literal};

/// Cuts a tree into parts that weigh at most `limit`, by the same preferences as [`super::roll`].
///
/// Emphasis is closed and reopened, code keeps its language, a list its numbers, a table its head. What can not
/// be cut (an address longer than a part) is shown as plain text. A part is over the limit only if a single
/// character is. Blank markup comes back as it is; no other part is blank.
#[must_use]
pub fn tree(markup: Markup, limit: usize, weigh: Weigh<'_>) -> Vec<Markup> {
    let mut parts = Vec::new();
    let mut rest = markup;
    while weigh(&rest) > limit && !rest.blocks.is_empty() {
        let borders = walk::borders(&rest.blocks);
        let fits = |border: &border::Border| {
            let part = Markup {
                blocks: cut::blocks(rest.blocks.clone(), border.cut.at).0,
            };
            (weigh(&part) <= limit && !part.is_blank()).then_some(part)
        };
        if let Some((border, part)) = border::choose(&borders, 0, fits) {
            let at = border.cut.at;
            rest.blocks = cut::blocks(rest.blocks, at).1;
            parts.push(part);
        } else {
            parts.push(literal(&mut rest.blocks, limit, weigh));
        }
    }
    parts.push(rest);
    if parts.len() > 1 {
        parts.retain(|part| !part.is_blank());
    }
    parts
}

/// Takes a piece of the first block as plain text.
fn literal(blocks: &mut Vec<Block>, limit: usize, weigh: Weigh<'_>) -> Markup {
    let first = Markup {
        blocks: blocks.drain(..1).collect(),
    };
    let text = first.plain();
    let (part, taken) = literal::take(&text, &text, limit, weigh);
    let left = text.get(taken..).unwrap_or_default();
    if !left.trim().is_empty() {
        blocks.insert(0, Block::Paragraph(vec![Inline::Text(left.to_owned())]));
    }
    part
}
