//! The slots of a turn's answer: what is committed, and what the composer wants.

use std::collections::BTreeMap;

use tertulia_message::{Post, SlotId, SlotKind};

use super::show::Show;
use super::turn::Turn;
use super::wires::Wires;
use super::{Effect, Token};
use crate::composer::{self, PartBody};
use crate::now::Now;
use crate::record::{Slot, SlotProgress, SlotState, Wish};
use crate::transaction::Transaction;

/// How long a slot is tried before it becomes a dead letter, in milliseconds.
const SLOT_LIFE: i64 = 24 * 3600 * 1000;

/// A slot as the session committed it.
#[derive(Debug, Clone)]
pub(super) struct SlotMemo {
    pub(super) slot: Slot,
    /// Something else than the wish may be shown.
    pub(super) dirty: bool,
}

impl SlotMemo {
    /// The answer's slots of an earlier attempt.
    pub(super) fn known(slots: &[Slot]) -> BTreeMap<u32, Self> {
        let answers = slots.iter().filter(|slot| slot.id.kind == SlotKind::Answer);
        answers
            .map(|slot| {
                (
                    slot.id.part,
                    Self {
                        slot: slot.clone(),
                        dirty: true,
                    },
                )
            })
            .collect()
    }

    /// Gives it a new body; the revision grows only if something has to be shown.
    fn wish(&mut self, body: PartBody) {
        let post = Post {
            markup: body.markup,
            quote: true,
            ..Post::default()
        };
        let wish = &mut self.slot.wish;
        let changed = self.dirty || !wish.shown || wish.post != post;
        *wish = Wish {
            shown: true,
            rev: wish.rev + u32::from(changed),
            post,
            source: Some(body.source),
        };
        self.dirty = false;
    }
}

impl Turn {
    /// Performs what the composer wants.
    pub(super) fn drain_composer(&mut self, now: Now, wires: &mut Wires) {
        loop {
            let Show::Chat(composer) = &mut self.show else { return };
            let Some(effect) = composer.poll() else { return };
            match effect {
                composer::Effect::Open { closed, open } => self.open_slot(closed, open, now, wires),
                composer::Effect::Edit { part, post_markup } => {
                    if let Some(memo) = self.slots.get_mut(&part) {
                        memo.dirty = true;
                        wires.push(Effect::Live(memo.slot.id, post_markup));
                    }
                }
                composer::Effect::Preview { markup } => {
                    let draft = self.trigger().0;
                    self.signal(tertulia_message::Signal::Preview { draft, markup }, wires);
                }
                composer::Effect::Wake(at) => wires.wake(at),
            }
        }
    }

    fn open_slot(&mut self, closed: Option<PartBody>, open: PartBody, now: Now, wires: &mut Wires) {
        if !self.is_running() {
            return;
        }
        let part = open.part;
        let closed_part = closed.as_ref().map(|body| body.part);
        let closed = closed.and_then(|body| {
            let memo = self.slots.get_mut(&body.part)?;
            memo.wish(body);
            Some((memo.slot.id, memo.slot.wish.clone()))
        });
        let state = if self.around.limits.keyed {
            SlotState::Idle
        } else {
            SlotState::Sending
        };
        let slot = self.new_slot(open, state, true, now);
        self.slots.insert(
            part,
            SlotMemo {
                slot: slot.clone(),
                dirty: false,
            },
        );
        let token = wires.commit(Transaction::OpenSlot {
            closed,
            open: Box::new(slot),
        });
        self.opening = Some((token, closed_part, part));
    }

    /// A new slot is on disk: the courier may post it.
    pub(super) fn slot_opened(&mut self, token: Token, now: Now, wires: &mut Wires) {
        let Some((_, closed, part)) = self.opening.filter(|(waiting, ..)| *waiting == token) else {
            return;
        };
        self.opening = None;
        for part in closed.into_iter().chain([part]) {
            self.hand_over(part, true, wires);
        }
        if let Show::Chat(composer) = &mut self.show {
            composer.handle(composer::Event::Opened { part }, now.mono);
        }
    }

    pub(super) fn hand_over(&self, part: u32, open: bool, wires: &mut Wires) {
        if let Some(memo) = self.slots.get(&part) {
            wires.push(Effect::Slot(
                Box::new(Slot {
                    open,
                    ..memo.slot.clone()
                }),
                self.around.limits,
            ));
        }
    }

    /// The final wishes of all parts; slots beyond them are to vanish.
    pub(super) fn final_slots(&mut self, bodies: Vec<PartBody>, now: Now) -> Vec<Slot> {
        let mut shown = Vec::new();
        for body in bodies {
            let part = body.part;
            if let Some(memo) = self.slots.get_mut(&part) {
                memo.wish(body);
            } else {
                let slot = self.new_slot(body, SlotState::Idle, false, now);
                self.slots.insert(part, SlotMemo { slot, dirty: false });
            }
            shown.push(part);
        }
        for (part, memo) in &mut self.slots {
            if !shown.contains(part) && memo.slot.wish.shown {
                memo.slot.wish.shown = false;
                memo.slot.wish.rev += 1;
            }
        }
        shown
            .iter()
            .filter_map(|part| self.slots.get(part))
            .map(|memo| Slot {
                open: false,
                ..memo.slot.clone()
            })
            .collect()
    }

    fn new_slot(&self, body: PartBody, state: SlotState, open: bool, now: Now) -> Slot {
        Slot {
            id: SlotId {
                trigger: self.trigger().0,
                kind: SlotKind::Answer,
                part: body.part,
            },
            account: self.row.account.clone(),
            conversation: self.row.conversation,
            path: self.path(),
            re: self.row.ext_id.clone(),
            token: self.row.token.clone(),
            wish: Wish {
                shown: true,
                rev: 1,
                post: Post {
                    markup: body.markup,
                    quote: true,
                    ..Post::default()
                },
                source: Some(body.source),
            },
            progress: SlotProgress {
                state,
                ..SlotProgress::default()
            },
            expires_at: now.wall + SLOT_LIFE,
            open,
        }
    }
}
