//! One conversation's slots, and what is to be done with them next.

use std::collections::BTreeMap;
use std::time::Duration;

use tertulia_message::{Act, Limits, Markup, Outbound, Post, ReplyRef, SlotId, SlotKind};

use super::{RESENT_MARK, key};
use crate::now::{Mono, Now};
use crate::record::{Slot, SlotProgress, SlotState};
use crate::transaction::Transaction;

/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// An open slot that was refused for good waits for its turn to be settled.
pub(super) const UNTIL_SETTLED: Mono = Duration::from_secs(u64::MAX / 4);

/// One conversation's slots in the order of their messages.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) items: BTreeMap<SlotId, Item>,
    /// The slot whose operation or transaction is under way.
    pub(super) busy: Option<SlotId>,
}

/// A slot in the courier's hands.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about one platform message"
)]
pub(super) struct Item {
    pub(super) slot: Slot,
    pub(super) limits: Limits,
    /// Its post may go out without another transaction: `sending` is on disk and surely nothing was sent.
    pub(super) cleared: bool,
    /// A keyed platform may have this post already, perhaps with an older body: a repeated post proves nothing
    /// about what is shown.
    pub(super) maybe_posted: bool,
    /// Text to show while the turn is running.
    pub(super) live: Option<Markup>,
    /// A live edit may or may not have arrived, and could overtake: the next edit is sent twice.
    pub(super) unsure_live: bool,
    /// The message was gone when it was to be edited, and is posted anew: once, for what is deleted again and again must not
    /// come back for ever.
    pub(super) reposted: bool,
    /// The platform refused the formatting.
    pub(super) plain: bool,
    /// Not to be tried before.
    pub(super) retry_at: Mono,
    /// What is under way.
    pub(super) doing: Doing,
    /// Counts edits, for their keys.
    pub(super) serial: u64,
}

/// What is under way for a slot.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Doing {
    /// Nothing.
    Nothing,
    /// A post of this revision.
    Post(u32),
    /// An edit to this revision.
    Edit(u32),
    /// A deletion for this revision.
    Delete(u32),
    /// A fleeting edit.
    Live,
    /// A look-up.
    Look,
    /// A transaction after a confirmed operation; report it if the turn is running.
    Confirming,
    /// A transaction before a post.
    Clearing,
    /// Any other transaction.
    Noting,
    /// A transaction that renames the conversation.
    Renaming(tertulia_message::path::InterfacePath),
    /// A transaction that gives the slot up.
    Burying,
}

/// What to do next.
#[derive(Debug)]
pub(super) enum Step {
    Sleep(Mono),
    Commit(SlotId, Transaction),
    Call(SlotId, Call),
}

/// A call of the platform.
#[derive(Debug)]
pub(super) enum Call {
    Deliver(Outbound),
    Find(Outbound),
}

impl Lane {
    pub(super) fn has_due(&self) -> bool {
        self.items.values().any(|item| item.is_due() && !item.is_held())
    }

    /// The first thing to do in the order of the slots. A slot that has to wait holds the ones behind it, unless it
    /// waits for its turn.
    pub(super) fn next_step(&mut self, now: Now, gate: Mono, boot: &str) -> Option<Step> {
        let (id, item) = self
            .items
            .iter_mut()
            .find(|(_, item)| (item.is_due() && (!item.is_held() || item.is_expired(now))) || item.live.is_some())?;
        if item.is_due() && item.is_expired(now) {
            return Some(Step::Commit(*id, item.expire()));
        }
        let ready_at = gate.max(item.retry_at);
        if now.mono < ready_at {
            item.live = None;
            return Some(Step::Sleep(ready_at.min(item.expires(now))));
        }
        Some(item.step(boot))
    }

    /// Takes back a call that found no place.
    pub(super) fn undo_call(&mut self, slot: SlotId) {
        if let Some(item) = self.items.get_mut(&slot) {
            // it surely was not sent, and what is on disk says so already
            item.cleared |= matches!(item.doing, Doing::Post(_)) && !item.limits.keyed;
            item.doing = Doing::Nothing;
        }
    }
}

impl Item {
    pub(super) fn new(mut slot: Slot, limits: Limits, restored: bool) -> Self {
        if restored {
            // pauses grow within one process: else a message would wait for minutes because the process died often
            slot.progress.tries = 0;
        }
        let cleared = !restored && slot.progress.state == SlotState::Sending;
        Self {
            slot,
            limits,
            cleared,
            maybe_posted: restored,
            live: None,
            unsure_live: false,
            reposted: false,
            plain: false,
            retry_at: Duration::ZERO,
            doing: Doing::Nothing,
            serial: 0,
        }
    }

    /// Takes a newer wish; how far the slot got is known better here.
    pub(super) fn wish(&mut self, newer: Slot) {
        if newer.wish.rev >= self.slot.wish.rev {
            self.slot.wish = newer.wish;
        }
        if self.slot.open && !newer.open {
            self.retry_at = Duration::ZERO;
        }
        self.slot.open = newer.open;
        self.plain = false;
    }

    pub(super) fn is_due(&self) -> bool {
        self.slot.is_due()
    }

    /// Refused for good as it is; its turn will replace it.
    fn is_held(&self) -> bool {
        self.retry_at >= UNTIL_SETTLED
    }

    /// When it expires, if the wall clock does not jump.
    fn expires(&self, now: Now) -> Mono {
        let left = self.slot.expires_at.saturating_sub(now.wall);
        now.mono
            .saturating_add(Duration::from_millis(u64::try_from(left).unwrap_or(0)))
    }

    fn is_expired(&self, now: Now) -> bool {
        now.wall >= self.slot.expires_at
    }

    pub(super) fn is_needed(&self) -> bool {
        let is_dead = self.slot.progress.state == SlotState::Dead;
        // the turn knows nothing of a slot that was given up, and its last wish would begin anew
        let is_open = self.slot.open && (!is_dead || self.reposted);
        self.doing != Doing::Nothing || is_open || self.is_due()
    }

    pub(super) fn can_show_live(&self) -> bool {
        let ready = self.doing == Doing::Nothing && !self.is_due();
        let is_dead = self.slot.progress.state == SlotState::Dead;
        ready && self.slot.open && !is_dead && self.slot.progress.ext_id.is_some()
    }

    /// Not before a pause that grows with every try.
    pub(super) fn back_off(&mut self, first: Duration, now: Now) {
        let tries = &mut self.slot.progress.tries;
        let factor = 1u32.checked_shl(*tries).unwrap_or(u32::MAX);
        let pause = now.jitter(first.saturating_mul(factor).min(LONGEST_PAUSE));
        self.retry_at = now.mono.saturating_add(pause);
        *tries = tries.saturating_add(1).min(30);
    }

    fn step(&mut self, boot: &str) -> Step {
        let id = self.slot.id;
        if !self.is_due() {
            return self.live_edit(boot);
        }
        if self.is_unknown() && !self.limits.keyed {
            self.doing = Doing::Look;
            return Step::Call(id, Call::Find(self.post_outbound()));
        }
        match self.slot.progress.ext_id.clone() {
            None if !self.slot.wish.shown => {
                self.doing = Doing::Noting;
                self.slot.progress.state = SlotState::Idle;
                self.slot.progress.got_rev = self.slot.wish.rev;
                Step::Commit(id, self.progress_transaction(false))
            }
            None => self.post(),
            Some(ext_id) => self.change(ext_id, boot),
        }
    }

    /// True if a post may have arrived or not.
    fn is_unknown(&self) -> bool {
        matches!(self.slot.progress.state, SlotState::Sending | SlotState::Unsure) && !self.cleared
    }

    fn post(&mut self) -> Step {
        let id = self.slot.id;
        if !self.cleared && !self.limits.keyed {
            self.doing = Doing::Clearing;
            self.slot.progress.state = SlotState::Sending;
            return Step::Commit(id, self.progress_transaction(true));
        }
        self.cleared = false;
        self.doing = Doing::Post(self.slot.wish.rev);
        Step::Call(id, Call::Deliver(self.post_outbound()))
    }

    fn change(&mut self, ext_id: String, boot: &str) -> Step {
        self.serial += 1;
        let rev = self.slot.wish.rev;
        let act = if self.slot.wish.shown {
            self.doing = Doing::Edit(rev);
            Act::Edit {
                id: ext_id,
                post: self.body(),
            }
        } else {
            self.doing = Doing::Delete(rev);
            Act::Delete { id: ext_id }
        };
        let key = key::of_change(&self.slot, boot, self.serial);
        Step::Call(self.slot.id, Call::Deliver(self.outbound(key, act)))
    }

    fn live_edit(&mut self, boot: &str) -> Step {
        self.serial += 1;
        self.doing = Doing::Live;
        let markup = self.live.take().unwrap_or_default();
        let id = self.slot.progress.ext_id.clone().unwrap_or_default();
        let post = Post {
            markup: self.dress(markup),
            ..self.slot.wish.post.clone()
        };
        let key = key::of_change(&self.slot, boot, self.serial);
        Step::Call(self.slot.id, Call::Deliver(self.outbound(key, Act::Edit { id, post })))
    }

    fn post_outbound(&self) -> Outbound {
        let key = key::of_post(&self.slot);
        // to a platform with keys the first one stands for the message that is gone
        let again = self.reposted && self.limits.keyed;
        let key = if again { format!("{key}-again") } else { key };
        self.outbound(key, Act::Post(self.body()))
    }

    fn outbound(&self, key: String, act: Act) -> Outbound {
        // what is said elsewhere answers nothing there: the command's id means nothing, or something else, at that place
        let answers = self.slot.id.kind != SlotKind::Say && !self.slot.re.is_empty();
        let re = answers.then(|| ReplyRef {
            id: self.slot.re.clone(),
            token: self.slot.token.clone(),
        });
        Outbound {
            path: self.slot.path.clone(),
            key,
            re,
            act,
            files: Vec::new(),
        }
    }

    fn body(&self) -> Post {
        let post = self.slot.wish.post.clone();
        Post {
            markup: self.dress(post.markup.clone()),
            ..post
        }
    }

    /// The content as it is sent: plain if formatting was refused, marked if it may stand there twice.
    fn dress(&self, markup: Markup) -> Markup {
        let mut markup = if self.plain {
            Markup::text(markup.plain())
        } else {
            markup
        };
        if self.slot.progress.forced {
            markup.blocks.extend(Markup::text(RESENT_MARK).blocks);
        }
        markup
    }

    pub(super) fn progress_transaction(&self, durable: bool) -> Transaction {
        Transaction::Progress {
            slot: self.slot.id,
            progress: self.slot.progress.clone(),
            durable,
        }
    }

    /// Gives the slot up after its time. Where nobody knows whether it arrived, that is kept: whoever has it tried again sends
    /// what may stand there twice.
    fn expire(&mut self) -> Transaction {
        self.slot.progress.forced |= self.is_unknown() && !self.limits.keyed;
        self.bury("not delivered in time")
    }

    /// Gives the slot up; the conversation stays open for others.
    pub(super) fn bury(&mut self, error: &str) -> Transaction {
        self.doing = Doing::Burying;
        self.slot.progress = SlotProgress {
            state: SlotState::Dead,
            error: Some(error.to_owned()),
            ..self.slot.progress.clone()
        };
        self.progress_transaction(true)
    }
}
