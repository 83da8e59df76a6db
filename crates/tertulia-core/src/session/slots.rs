//! The slots of a turn's answer: what is committed, and what the composer wants.

use std::collections::BTreeMap;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Button, Markup, Post, SlotKind};

use super::show::Show;
use super::turn::Turn;
use super::wires::Wires;
use super::{Effect, Token};
use crate::composer::{self, PartBody};
use crate::now::Now;
use crate::press::{Press, PressAct};
use crate::record::{Slot, SlotState, Wish};
use crate::reply;
use crate::transaction::Transaction;

/// Slots under way to the disk, as they stand in their transaction: the wish in the memo may grow meanwhile.
#[derive(Debug)]
pub(super) struct Opening {
    token: Token,
    closed: Option<Slot>,
    open: Slot,
}

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

    /// Gives it a new body with these buttons; the revision grows only if something has to be shown.
    fn wish(&mut self, body: PartBody, buttons: Vec<Button>) {
        let post = Post {
            markup: body.markup,
            buttons,
            quote: true,
            ..Post::default()
        };
        let wish = &mut self.slot.wish;
        let changed = self.dirty || !wish.shown || wish.post != post;
        *wish = Wish {
            shown: true,
            rev: if changed {
                self.slot.progress.got_rev.max(wish.rev) + 1
            } else {
                wish.rev
            },
            post,
            source: Some(body.source),
        };
        self.dirty = false;
    }

    /// Takes its buttons away; what it showed while it grew goes with them, as far as it is not on disk.
    fn unbutton(&mut self) -> bool {
        let had = self.slot.wish.shown && !self.slot.wish.post.buttons.is_empty();
        if had {
            self.slot.wish.post.buttons.clear();
            self.slot.wish.rev = self.slot.progress.got_rev.max(self.slot.wish.rev) + 1;
            self.dirty = false;
        }
        had
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
        let closed = match closed {
            Some(body) => self.slots.get_mut(&body.part).map(|memo| {
                memo.wish(body, Vec::new());
                memo.slot.clone()
            }),
            // where drafts are shown, the part before was whole already
            None => self.stop_button_taken(part),
        };
        let state = if self.around.limits.keyed {
            SlotState::Idle
        } else {
            SlotState::Sending
        };
        let mut slot = self.new_slot(open, state, true, now);
        slot.wish.post.buttons = self.buttons(PressAct::Stop);
        self.slots.insert(
            part,
            SlotMemo {
                slot: slot.clone(),
                dirty: false,
            },
        );
        let token = wires.commit(Transaction::OpenSlot {
            closed: closed.as_ref().map(|closed| (closed.id, closed.wish.clone())),
            open: Box::new(slot.clone()),
        });
        self.opening = Some(Opening {
            token,
            closed,
            open: slot,
        });
    }

    /// The part before this one, if it has to lose its button.
    fn stop_button_taken(&mut self, part: u32) -> Option<Slot> {
        let (_, before) = self.slots.range_mut(..part).next_back()?;
        before.unbutton().then(|| before.slot.clone())
    }

    /// The button for an act on this turn, where the platform has buttons.
    fn buttons(&self, act: PressAct) -> Vec<Button> {
        let turn = self.trigger();
        let button = self.around.limits.buttons.then(|| Press { act, turn }.button());
        button.into_iter().collect()
    }

    /// A new slot is on disk: the courier may post it.
    pub(super) fn slot_opened(&mut self, token: Token, now: Now, wires: &mut Wires) {
        let Some(opened) = self.opening.take_if(|opening| opening.token == token) else {
            return;
        };
        let part = opened.open.id.part;
        for slot in opened.closed.into_iter().chain([opened.open]) {
            self.to_courier(Slot { open: true, ..slot }, wires);
        }
        if let Show::Chat(composer) = &mut self.show {
            composer.handle(composer::Event::Opened { part }, now.mono);
        }
    }

    /// The parts of the attempt before: the courier may know nothing of those that were not due.
    pub(super) fn adopt_slots(&self, wires: &mut Wires) {
        for part in self.slots.keys() {
            self.hand_over(*part, true, wires);
        }
    }

    pub(super) fn hand_over(&self, part: u32, open: bool, wires: &mut Wires) {
        if let Some(memo) = self.slots.get(&part) {
            let slot = memo.slot.clone();
            self.to_courier(Slot { open, ..slot }, wires);
        }
    }

    fn to_courier(&self, slot: Slot, wires: &mut Wires) {
        wires.push(Effect::Slot(Box::new(slot), self.around.limits));
    }

    /// The conversation has a new address.
    pub(super) fn moved(&mut self, path: InterfacePath) {
        for memo in self.slots.values_mut() {
            memo.slot.path = path.clone();
        }
        self.row.path = path;
    }

    /// The final wishes of all parts; slots beyond them are to vanish. The last one can be tried again if it is `cut`.
    pub(super) fn final_slots(&mut self, bodies: Vec<PartBody>, cut: bool, now: Now) -> Vec<Slot> {
        let mut shown = Vec::new();
        let last = bodies.last().map(|body| body.part).filter(|_| cut);
        for body in bodies {
            let part = body.part;
            let retry = last == Some(part);
            let buttons = if retry {
                self.buttons(PressAct::Retry)
            } else {
                Vec::new()
            };
            if let Some(memo) = self.slots.get_mut(&part) {
                memo.wish(body, buttons);
            } else {
                let mut slot = self.new_slot(body, SlotState::Idle, false, now);
                slot.wish.post.buttons = buttons;
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
        self.shown_slots()
    }

    /// True if more is shown than these parts: what was saved last is older than what people see.
    pub(super) fn has_more_slots_than(&self, bodies: &[PartBody]) -> bool {
        self.slots.values().filter(|memo| memo.slot.wish.shown).count() > bodies.len()
    }

    /// For a turn that is given up: what is shown stays, and the mark stands behind it as a part of its own.
    ///
    /// Deleting a part may be impossible: nobody knows the platform's id of a post of unknown outcome.
    pub(super) fn kept_slots(&mut self, mark: &str, now: Now) -> Vec<Slot> {
        let last = self.slots.keys().next_back().copied().unwrap_or_default();
        let notice = PartBody {
            part: (last / 1000 + 1) * 1000,
            markup: Markup::text(mark),
            source: 0..0,
        };
        for memo in self.slots.values_mut() {
            memo.unbutton();
        }
        let mut slot = self.new_slot(notice, SlotState::Idle, false, now);
        slot.wish.post.buttons = self.buttons(PressAct::Retry);
        self.slots.insert(slot.id.part, SlotMemo { slot, dirty: false });
        self.shown_slots()
    }

    fn shown_slots(&self) -> Vec<Slot> {
        let shown = self.slots.values().filter(|memo| memo.slot.wish.shown);
        shown
            .map(|memo| Slot {
                open: false,
                ..memo.slot.clone()
            })
            .collect()
    }

    fn new_slot(&self, body: PartBody, state: SlotState, open: bool, now: Now) -> Slot {
        let mut slot = reply::slot(&self.row, SlotKind::Answer, body.part, body.markup, now.wall);
        slot.wish.source = Some(body.source);
        slot.progress.state = state;
        slot.open = open;
        slot
    }
}
