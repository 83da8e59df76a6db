//! What follows from how a delivery or a look-up ended.

use std::time::Duration;

use tertulia_message::path::InterfacePath;
use tertulia_message::{DeliverError, Found, Limits, Markup, Post, RateScope, Receipt, Recovery, SlotId};

use super::lane::{Doing, Item, UNTIL_SETTLED};
use super::{Courier, Effect, Report, with_room_for_mark};
use crate::now::Now;
use crate::record::{ConversationId, Slot, SlotProgress, SlotState, Wish};
use crate::split;
use crate::transaction::Transaction;

/// The first pause after a delivery that surely failed; doubles with every try.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

impl Courier {
    pub(super) fn delivered(&mut self, id: SlotId, result: Result<Receipt, DeliverError>, now: Now) {
        let Some((conversation, item)) = self.item(id) else {
            self.call_ended(now);
            return;
        };
        match result {
            Ok(receipt) => self.arrived(conversation, id, receipt),
            Err(error) => {
                item.slot.progress.error = Some(error.to_string());
                self.failed(conversation, id, &error, now);
            }
        }
        self.call_ended(now);
        self.pump(conversation, now);
    }

    pub(super) fn looked(&mut self, id: SlotId, found: Found, now: Now) {
        self.call_ended(now);
        let Some((_, item)) = self.item(id) else { return };
        // what was looked up at a start has not failed here yet, and need not wait
        let is_first = item.slot.progress.tries == 0;
        item.back_off(if is_first { Duration::ZERO } else { FIRST_PAUSE }, now);
        let progress = &mut item.slot.progress;
        item.doing = Doing::Noting;
        match found {
            Found::Found(ext_id) => {
                progress.ext_id = Some(ext_id);
                progress.got_rev = 0;
                progress.state = SlotState::Idle;
                item.retry_at = Duration::ZERO;
            }
            Found::Absent => progress.state = SlotState::Idle,
            Found::CannotTell => {
                progress.forced = true;
                progress.state = SlotState::Sending;
                item.cleared = true;
            }
        }
        let transaction = item.progress_transaction(true);
        self.commit(id, transaction);
    }

    pub(super) fn committed(&mut self, token: super::Token, now: Now) {
        let Some(id) = self.tokens.remove(&token) else { return };
        let Some((conversation, item)) = self.item(id) else {
            return;
        };
        let done = std::mem::replace(&mut item.doing, Doing::Nothing);
        let (open, path) = (item.slot.open, item.slot.path.clone());
        let error = item.slot.progress.error.clone().unwrap_or_default();
        if done == Doing::Clearing {
            item.cleared = true;
        }
        if let Some(lane) = self.lanes.get_mut(&conversation) {
            lane.busy = None;
        }
        match done {
            Doing::Confirming if open => self.effects.push_back(Effect::Report(conversation, id, Report::Shown)),
            Doing::Burying => self.effects.push_back(Effect::Died(id, path, error)),
            Doing::Renaming(to) => {
                self.rename(&path, &to);
                self.effects.push_back(Effect::Moved(path, to));
            }
            _ => {}
        }
        self.pump(conversation, now);
    }

    /// What is known here contradicts the store: nothing more is done about this slot, the others go on.
    pub(super) fn refused(&mut self, token: super::Token, now: Now) {
        let Some(id) = self.tokens.remove(&token) else { return };
        let Some(conversation) = self.homes.remove(&id) else {
            return;
        };
        if let Some(lane) = self.lanes.get_mut(&conversation) {
            lane.items.remove(&id);
            lane.busy = None;
        }
        self.pump(conversation, now);
    }

    fn arrived(&mut self, conversation: ConversationId, id: SlotId, receipt: Receipt) {
        let Some((_, item)) = self.item(id) else { return };
        let progress = &mut item.slot.progress;
        let (reached, durable) = match item.doing {
            Doing::Post(rev) => {
                progress.ext_id = Some(receipt.id);
                let known = if std::mem::take(&mut item.maybe_posted) && item.limits.keyed {
                    0
                } else {
                    rev
                };
                (known, !item.limits.keyed)
            }
            Doing::Edit(_) if std::mem::take(&mut item.unsure_live) => {
                item.doing = Doing::Nothing;
                self.free(conversation);
                return;
            }
            Doing::Edit(rev) | Doing::Delete(rev) => (rev, false),
            _ => {
                item.doing = Doing::Nothing;
                self.free(conversation);
                self.effects.push_back(Effect::Report(conversation, id, Report::Shown));
                return;
            }
        };
        *progress = SlotProgress {
            state: SlotState::Idle,
            got_rev: reached,
            ext_id: progress.ext_id.take(),
            forced: progress.forced,
            ..SlotProgress::default()
        };
        item.doing = Doing::Confirming;
        let transaction = item.progress_transaction(durable);
        self.commit(id, transaction);
    }

    fn failed(&mut self, conversation: ConversationId, id: SlotId, error: &DeliverError, now: Now) {
        let Some((_, item)) = self.item(id) else { return };
        let path = item.slot.path.clone();
        if item.doing == Doing::Live {
            item.doing = Doing::Nothing;
            item.unsure_live |= matches!(error, DeliverError::Unsure(_));
            self.effects
                .push_back(Effect::Report(conversation, id, Report::Dropped));
            match error.recovery() {
                Recovery::Repost => return self.repost(id, now),
                Recovery::Wait(after, scope) => self.shut(&path, after, scope, now),
                _ => {}
            }
            self.free(conversation);
            return;
        }
        match error.recovery() {
            Recovery::Wait(after, scope) => {
                self.shut(&path, after, scope, now);
                self.set_back(id, Duration::ZERO, now);
            }
            Recovery::Retry => self.set_back(id, FIRST_PAUSE, now),
            Recovery::Resolve => self.resolve(id, now),
            Recovery::Split => self.split(id, now),
            Recovery::Plain => self.flatten(id, now),
            Recovery::Repost => self.repost(id, now),
            Recovery::Rename(to) => self.renaming(id, to, now),
            Recovery::Block => self.block(id, &error.to_string()),
        }
    }

    /// Surely not sent: back to idle, to be tried again after a growing pause.
    fn set_back(&mut self, id: SlotId, pause: Duration, now: Now) {
        let Some((_, item)) = self.item(id) else { return };
        item.back_off(pause, now);
        item.slot.progress.state = SlotState::Idle;
        item.cleared = false;
        item.doing = Doing::Noting;
        let transaction = item.progress_transaction(false);
        self.commit(id, transaction);
    }

    /// What was to be edited is gone: what it shall show is posted as a new message, once; what shall vanish has vanished.
    fn repost(&mut self, id: SlotId, now: Now) {
        let Some((_, item)) = self.item(id) else { return };
        if item.slot.wish.shown && std::mem::replace(&mut item.reposted, true) {
            let transaction = item.bury("its message cannot be edited, again and again");
            self.commit(id, transaction);
            return;
        }
        item.slot.progress.ext_id = None;
        item.slot.progress.got_rev = 0;
        // a process before may have come as far as this: then the key gives its post, whatever that shows
        item.maybe_posted = true;
        item.unsure_live = false;
        self.set_back(id, FIRST_PAUSE, now);
    }

    /// May have been sent. Edits, deletions and keyed posts are idempotent: just again. Other posts are looked up.
    fn resolve(&mut self, id: SlotId, now: Now) {
        let Some((_, item)) = self.item(id) else { return };
        let post = matches!(item.doing, Doing::Post(_));
        item.maybe_posted |= post;
        if !post || item.limits.keyed {
            self.set_back(id, FIRST_PAUSE, now);
            return;
        }
        item.slot.progress.state = SlotState::Unsure;
        item.cleared = false;
        item.doing = Doing::Noting;
        let transaction = item.progress_transaction(false);
        self.commit(id, transaction);
    }

    fn split(&mut self, id: SlotId, now: Now) {
        let free = self.free_parts(id);
        let Some((_, item)) = self.item(id) else { return };
        if item.slot.open {
            self.hold(id);
            return;
        }
        let parts = halves(item);
        if parts.len() < 2 || parts.len() > free {
            let transaction = item.bury("too long, and cannot be split");
            self.commit(id, transaction);
            return;
        }
        let (wish, rest) = share_out(&item.slot, parts, free);
        item.slot.wish = wish.clone();
        item.slot.progress.state = SlotState::Idle;
        item.cleared = false;
        item.doing = Doing::Noting;
        let (limits, progress) = (item.limits, item.slot.progress.clone());
        for slot in &rest {
            self.wished(slot.clone(), limits, false, now);
        }
        self.commit(
            id,
            Transaction::Split {
                slot: id,
                wish,
                progress,
                rest,
            },
        );
    }

    /// How many part numbers there are from this slot on, up to the next slot of its answer or the next thousand.
    fn free_parts(&self, id: SlotId) -> usize {
        let thousand = id.part - id.part % 1000;
        let end = thousand.saturating_add(1000);
        let siblings = self.homes.range(id..).skip(1).map(|(other, _)| *other);
        let next = siblings
            .take_while(|other| (other.trigger, other.kind) == (id.trigger, id.kind))
            .map(|other| other.part)
            .next();
        usize::try_from(next.unwrap_or(end).min(end) - id.part).unwrap_or(0)
    }

    /// A running turn will replace what was refused: wait for it.
    fn hold(&mut self, id: SlotId) {
        let Some((_, item)) = self.item(id) else { return };
        item.retry_at = UNTIL_SETTLED;
        item.slot.progress.state = SlotState::Idle;
        item.cleared = false;
        item.doing = Doing::Noting;
        let transaction = item.progress_transaction(false);
        self.commit(id, transaction);
    }

    fn flatten(&mut self, id: SlotId, now: Now) {
        let Some((_, item)) = self.item(id) else { return };
        if !item.plain {
            item.plain = true;
            self.set_back(id, Duration::ZERO, now);
            return;
        }
        if item.slot.open {
            self.hold(id);
            return;
        }
        let error = item.slot.progress.error.clone().unwrap_or_default();
        let transaction = item.bury(&error);
        self.commit(id, transaction);
    }

    fn renaming(&mut self, id: SlotId, to: InterfacePath, now: Now) {
        let Some((_, item)) = self.item(id) else { return };
        // at once, but not in circles
        let is_first = item.slot.progress.tries == 0;
        item.back_off(if is_first { Duration::ZERO } else { FIRST_PAUSE }, now);
        let from = item.slot.path.clone();
        item.slot.progress.state = SlotState::Idle;
        item.cleared = false;
        item.doing = Doing::Renaming(to.clone());
        self.commit(id, Transaction::Moved { from, to });
    }

    /// The conversation, and its threads if it is a chat, is at the new address from now on.
    pub(super) fn rename(&mut self, from: &InterfacePath, to: &InterfacePath) {
        for item in self.lanes.values_mut().flat_map(|lane| lane.items.values_mut()) {
            if let Some(moved) = moved_path(&item.slot.path, from, to) {
                item.slot.path = moved;
            }
        }
    }

    fn block(&mut self, id: SlotId, why: &str) {
        let Some((conversation, item)) = self.item(id) else {
            return;
        };
        let whole = matches!(item.doing, Doing::Post(_));
        let transaction = item.bury(why);
        let transaction = match transaction {
            Transaction::Progress { slot, progress, .. } if whole => Transaction::Block {
                slot,
                progress,
                conversation,
                why: why.to_owned(),
            },
            other => other,
        };
        self.commit(id, transaction);
    }

    fn shut(&mut self, path: &InterfacePath, after: Duration, scope: RateScope, now: Now) {
        let until = now.mono.saturating_add(after);
        let gate = match scope {
            RateScope::Account => &mut self.account_gate,
            RateScope::Path => {
                self.gates.retain(|_, until| *until > now.mono);
                self.gates.entry(path.chat()).or_default()
            }
        };
        *gate = until.max(*gate);
    }

    fn free(&mut self, conversation: ConversationId) {
        if let Some(lane) = self.lanes.get_mut(&conversation) {
            lane.busy = None;
        }
    }

    fn item(&mut self, id: SlotId) -> Option<(ConversationId, &mut Item)> {
        let conversation = *self.homes.get(&id)?;
        let item = self.lanes.get_mut(&conversation)?.items.get_mut(&id)?;
        Some((conversation, item))
    }
}

/// What the path becomes when `from` moves to `to`; `None` if it does not move. A chat moves with all that stands in it,
/// a thread alone.
#[must_use]
pub fn moved_path(path: &InterfacePath, from: &InterfacePath, to: &InterfacePath) -> Option<InterfacePath> {
    if path == from {
        return Some(to.clone());
    }
    let within = path.as_str().strip_prefix(from.as_str())?.strip_prefix('/')?;
    let is_chat = from.parent().is_none();
    is_chat
        .then(|| InterfacePath::parse(&format!("{to}/{within}")).ok())
        .flatten()
}

/// The content in parts of at most the limit, and in any case of less than it weighs now. What stands with a file was too
/// long as its caption.
fn halves(item: &Item) -> Vec<Markup> {
    let markup = if item.plain {
        Markup::text(item.slot.wish.post.markup.plain())
    } else {
        item.slot.wish.post.markup.clone()
    };
    if !item.slot.wish.post.files.is_empty() {
        return without_caption(markup, &with_room_for_mark(item.limits));
    }
    let weigh = item.limits.weigh;
    let half = weigh(&markup).div_ceil(2);
    split::tree(
        markup,
        half.min(with_room_for_mark(item.limits).text.amount()).max(1),
        &weigh,
    )
}

/// A caption that the platform did not take, in parts: the file keeps the first of several if that may be one, else nothing.
fn without_caption(markup: Markup, limits: &Limits) -> Vec<Markup> {
    if markup.is_blank() {
        return vec![markup];
    }
    let mut parts = split::tree(markup, limits.text.amount(), &limits.weigh);
    let is_caption = |part: &Markup| (limits.weigh)(part) <= limits.caption;
    if parts.len() < 2 || !parts.first().is_some_and(is_caption) {
        parts.insert(0, Markup::default());
    }
    parts
}

/// The slot keeps the first part, and its files; the rest gets part numbers behind it, evenly apart within the `free` ones:
/// each may turn out too long again. Buttons stand below the last one.
fn share_out(slot: &Slot, parts: Vec<Markup>, free: usize) -> (Wish, Vec<Slot>) {
    let step = u32::try_from(free.checked_div(parts.len()).unwrap_or(1)).unwrap_or(1);
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or_default();
    let wish = Wish {
        rev: slot.wish.rev.saturating_add(1),
        post: Post {
            markup: first,
            buttons: Vec::new(),
            ..slot.wish.post.clone()
        },
        ..slot.wish.clone()
    };
    let mut rest: Vec<Slot> = (1u32..)
        .zip(parts)
        .map(|(offset, markup)| Slot {
            id: SlotId {
                part: slot.id.part.saturating_add(offset.saturating_mul(step)),
                ..slot.id
            },
            wish: Wish {
                shown: true,
                rev: 1,
                post: Post::of(markup),
                source: None,
            },
            progress: SlotProgress::default(),
            ..slot.clone()
        })
        .collect();
    if let Some(last) = rest.last_mut() {
        last.wish.post.buttons.clone_from(&slot.wish.post.buttons);
    }
    (wish, rest)
}
