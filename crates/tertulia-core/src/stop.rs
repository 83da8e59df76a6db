//! What `/stop` still holds back of answers that are settled and not wholly sent.

use tertulia_message::{Button, Limits, Markup, Post, SlotId};

use crate::composer::with_line;
use crate::courier::with_room_for_mark;
use crate::press::{Press, PressAct};
use crate::record::{InboxId, Slot, SlotState, Wish};

/// What people read at the end of an answer that was stopped.
pub const STOPPED_MARK: &str = "(Stopped.)";

/// The wishes that take back what was not posted yet of settled turns; `slots` are all answer slots of those turns, in
/// the order (trigger, part), and `limits` those of their conversation.
///
/// Of a turn all parts behind the last one that is posted, or may be, are never posted, and the last one that is gets
/// the mark, so that nobody takes a part for the whole. Where it cannot show the mark, because there is no room in it or it
/// is a dead letter, the first part that is held back shows the mark alone. Where the mark stands, the message can be tried again. A turn of which nothing is posted vanishes;
/// one of which all is posted is not touched, also where its last edits are still to come: it is whole. A part that is
/// missing between others is still posted, for a hole in an answer is worse than a late part. Dead letters stay as they are.
///
/// Where posts are idempotent by key nothing is noted before a post: the first part that is not posted may be under way,
/// or may have been when a process before ended, and counts as posted.
#[must_use]
pub fn withhold(slots: &[Slot], limits: Limits) -> Vec<(SlotId, Wish)> {
    let limits = with_room_for_mark(limits);
    let mut next = slots.iter().filter(|slot| !is_under_way(slot) && !is_dead(slot));
    let next = next.find(|slot| slot.wish.shown && slot.progress.ext_id.is_none());
    let in_doubt = next.filter(|_| limits.keyed).map(|slot| slot.id);
    let turns = slots.chunk_by(|one, next| one.id.trigger == next.id.trigger);
    turns.flat_map(|turn| withhold_turn(turn, in_doubt, &limits)).collect()
}

fn withhold_turn(turn: &[Slot], in_doubt: Option<SlotId>, limits: &Limits) -> Vec<(SlotId, Wish)> {
    let wanted: Vec<&Slot> = turn.iter().filter(|slot| slot.wish.shown).collect();
    let may_be_posted =
        |slot: &&Slot| slot.progress.ext_id.is_some() || is_under_way(slot) || Some(slot.id) == in_doubt;
    let posted = wanted.iter().rposition(may_be_posted).map_or(0, |last| last + 1);
    let (shown, rest) = wanted.split_at(posted);
    let held: Vec<&Slot> = rest.iter().copied().filter(|slot| !is_dead(slot)).collect();
    let Some((first, others)) = held.split_first() else {
        return Vec::new();
    };
    let gone = |slot: &Slot| {
        (
            slot.id,
            Wish {
                shown: false,
                ..next(slot)
            },
        )
    };
    let last = shown.last().copied();
    let marked = last.filter(|last| !is_dead(last)).and_then(|last| marked(last, limits));
    let mut wishes: Vec<_> = match (last, marked) {
        (None, _) => vec![gone(first)],
        (Some(_), Some(marked)) => vec![marked, gone(first)],
        (Some(_), None) => vec![mark_alone(first, limits)],
    };
    wishes.extend(others.iter().map(|slot| gone(slot)));
    wishes
}

/// Where the outcome is unknown it counts as posted: if it did not arrive, it still will. So it does where that was given
/// up, and it is about to be sent again.
fn is_under_way(slot: &Slot) -> bool {
    slot.progress.forced || matches!(slot.progress.state, SlotState::Sending | SlotState::Unsure)
}

fn is_dead(slot: &Slot) -> bool {
    slot.progress.state == SlotState::Dead
}

fn marked(slot: &Slot, limits: &Limits) -> Option<(SlotId, Wish)> {
    let mut wish = next(slot);
    wish.post.markup = with_line(&wish.post.markup, STOPPED_MARK, limits)?;
    wish.post.buttons = again(slot, limits);
    Some((slot.id, wish))
}

/// A button by which the turn is answered again, where there are buttons.
fn again(slot: &Slot, limits: &Limits) -> Vec<Button> {
    let press = Press {
        act: PressAct::Retry,
        turn: InboxId(slot.id.trigger),
    };
    limits.buttons.then(|| press.button()).into_iter().collect()
}

fn mark_alone(slot: &Slot, limits: &Limits) -> (SlotId, Wish) {
    let mut wish = next(slot);
    wish.post = Post {
        markup: Markup::text(STOPPED_MARK),
        buttons: again(slot, limits),
        quote: wish.post.quote,
        ..Post::default()
    };
    wish.source = None;
    (slot.id, wish)
}

/// The wish with the next revision.
fn next(slot: &Slot) -> Wish {
    Wish {
        rev: slot.wish.rev.max(slot.progress.got_rev) + 1,
        ..slot.wish.clone()
    }
}

#[cfg(test)]
mod tests;
