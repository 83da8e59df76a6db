//! Messages that are gone when they are to be edited, and files whose caption was too long.

#![expect(clippy::unwrap_used, reason = "test code")]

use std::collections::BTreeSet;

use tertulia_core::courier::{Courier, Effect, Event, Report};
use tertulia_core::now::Now;
use tertulia_core::record::{ConversationId, Slot, SlotProgress, SlotState, Wish};
use tertulia_core::transaction::Transaction;
use tertulia_message::path::InterfacePath;
use tertulia_message::{
    Act, Button, DeliverError, FileRef, Found, Limits, Markup, Outbound, Post, Reach, Receipt, SlotId, SlotKind,
};

use crate::play::{account, limits, now};

/// A courier and a platform of which people delete messages.
struct Office {
    courier: Courier,
    limits: Limits,
    now: Now,
    /// What was posted: key, text; the platform's id is its place.
    posts: Vec<(String, String)>,
    gone: BTreeSet<usize>,
    /// What the platform says instead of taking an edit, or a post with files.
    always_missing: bool,
    /// Files go without text here.
    no_caption: bool,
    commits: Vec<Transaction>,
    reports: Vec<Report>,
    died: usize,
}

impl Office {
    fn new(keyed: bool) -> Self {
        Self {
            courier: Courier::new("boot"),
            limits: Limits {
                keyed,
                caption: 100,
                files: 1,
                ..limits(Reach::Always)
            },
            now: now(0),
            posts: Vec::new(),
            gone: BTreeSet::new(),
            always_missing: false,
            no_caption: false,
            commits: Vec::new(),
            reports: Vec::new(),
            died: 0,
        }
    }

    fn wish(&mut self, slot: &Slot) {
        let wished = Event::Wished(Box::new(slot.clone()), self.limits);
        self.tell(wished);
    }

    fn tell(&mut self, event: Event) {
        self.courier.handle(event, self.now);
        while let Some(effect) = self.courier.poll() {
            let event = match effect {
                Effect::Commit(transaction, token) => {
                    self.commits.push(transaction);
                    Event::Committed(token)
                }
                Effect::Deliver(slot, outbound) => Event::Delivered(slot, self.deliver(&outbound)),
                Effect::Find(slot, _) => Event::Looked(slot, Found::Absent),
                Effect::Wake(at) => {
                    self.now.mono = self.now.mono.max(at);
                    Event::Tick
                }
                Effect::Report(_, _, report) => {
                    self.reports.push(report);
                    continue;
                }
                Effect::Died(..) => {
                    self.died += 1;
                    continue;
                }
                Effect::Moved(..) => continue,
            };
            self.courier.handle(event, self.now);
        }
    }

    fn deliver(&mut self, outbound: &Outbound) -> Result<Receipt, DeliverError> {
        let id = match &outbound.act {
            Act::Post(post) => self.post(outbound.key.clone(), post)?,
            Act::Edit { id, post } => {
                let id: usize = id.parse().unwrap();
                if self.always_missing || self.gone.contains(&id) {
                    return Err(DeliverError::Missing("no such message".into()));
                }
                self.posts.get_mut(id).unwrap().1 = post.markup.plain();
                id
            }
            Act::Delete { id } => {
                let id = id.parse().unwrap();
                if !self.gone.insert(id) {
                    return Err(DeliverError::Missing("no such message".into()));
                }
                id
            }
        };
        Ok(Receipt { id: id.to_string() })
    }

    fn post(&mut self, key: String, post: &Post) -> Result<usize, DeliverError> {
        if self.no_caption && !post.files.is_empty() && !post.markup.is_blank() {
            return Err(DeliverError::TooLong);
        }
        let known = self.posts.iter().position(|(known, _)| *known == key);
        if let Some(known) = known.filter(|_| self.limits.keyed) {
            return Ok(known);
        }
        self.posts.push((key, post.markup.plain()));
        Ok(self.posts.len() - 1)
    }

    /// What people see.
    fn shown(&self) -> Vec<&str> {
        let posts = self.posts.iter().enumerate();
        let shown = posts.filter(|(id, _)| !self.gone.contains(id));
        shown.map(|(_, (_, text))| text.as_str()).collect()
    }
}

fn slot(open: bool, rev: u32, text: &str) -> Slot {
    Slot {
        id: SlotId {
            trigger: 1,
            kind: SlotKind::Answer,
            part: 0,
        },
        account: account(),
        conversation: ConversationId(1),
        path: InterfacePath::parse("chat/a").unwrap(),
        re: "x".into(),
        token: None,
        wish: Wish {
            shown: true,
            rev,
            post: Post::of(Markup::text(text)),
            source: None,
        },
        progress: SlotProgress::default(),
        expires_at: i64::MAX,
        open,
    }
}

#[test]
fn what_was_deleted_at_the_end_is_posted_whole() {
    for keyed in [false, true] {
        let mut office = Office::new(keyed);
        office.wish(&slot(true, 1, "begin"));
        office.gone.insert(0);
        office.wish(&slot(false, 2, "begin and end"));
        assert_eq!(office.shown(), ["begin and end"], "keyed: {keyed}");
        assert_eq!((office.posts.len(), office.died), (2, 0));
        assert!(office.courier.is_empty());
    }
}

#[test]
fn what_was_deleted_in_the_middle_comes_back_and_grows_on() {
    for keyed in [false, true] {
        let mut office = Office::new(keyed);
        office.wish(&slot(true, 1, "begin"));
        office.tell(Event::Live(slot(true, 1, "").id, Markup::text("begin and")));
        office.gone.insert(0);
        office.reports.clear();
        office.tell(Event::Live(slot(true, 1, "").id, Markup::text("begin and go")));
        assert_eq!(office.shown(), ["begin"], "keyed: {keyed}");
        assert_eq!(office.reports[..1], [Report::Dropped], "keyed: {keyed}");
        assert_eq!(office.reports.last(), Some(&Report::Shown));
        office.tell(Event::Live(slot(true, 1, "").id, Markup::text("begin and go on")));
        assert_eq!(office.shown(), ["begin and go on"]);
        office.wish(&slot(false, 2, "begin and end"));
        assert_eq!((office.shown(), office.died), (vec!["begin and end"], 0));
        assert!(office.courier.is_empty());
    }
}

#[test]
fn what_is_to_vanish_and_is_gone_already_has_vanished() {
    for keyed in [false, true] {
        let mut office = Office::new(keyed);
        office.wish(&slot(true, 1, "begin"));
        office.gone.insert(0);
        office.wish(&slot(true, 2, "begin and"));
        assert_eq!(office.shown(), ["begin and"], "keyed: {keyed}");
        office.gone.insert(1);
        let mut vanishing = slot(false, 3, "");
        vanishing.wish.shown = false;
        office.wish(&vanishing);
        assert_eq!((office.posts.len(), office.died), (2, 0), "keyed: {keyed}");
        assert!(office.courier.is_empty());
    }
}

#[test]
fn a_platform_where_nothing_can_be_edited_is_posted_to_twice_at_most() {
    for keyed in [false, true] {
        let mut office = Office::new(keyed);
        office.always_missing = true;
        office.wish(&slot(true, 1, "begin"));
        for nth in 0..50 {
            office.tell(Event::Live(slot(true, 1, "").id, Markup::text(format!("begin {nth}"))));
        }
        office.wish(&slot(false, 2, "begin and end"));
        assert_eq!((office.posts.len(), office.died), (2, 1), "keyed: {keyed}");
        let Some(Transaction::Progress {
            progress,
            durable: true,
            ..
        }) = office.commits.last()
        else {
            unreachable!("{:?}", office.commits)
        };
        assert_eq!(progress.state, SlotState::Dead);
        assert!(office.courier.is_empty());
    }
}

/// The platform takes a repeated key for the message that is gone, and a process before may have posted the second one.
#[test]
fn a_key_of_a_message_that_is_gone_is_not_used_again() {
    let mut office = Office::new(true);
    office.wish(&slot(true, 1, "begin"));
    office.gone.insert(0);
    office.wish(&slot(false, 2, "begin and end"));
    let keys: BTreeSet<&String> = office.posts.iter().map(|(key, _)| key).collect();
    assert_eq!(keys.len(), 2);
    // the process died before it learnt of the second post
    office.courier = Courier::new("next boot");
    let mut restored = slot(false, 3, "changed since");
    restored.progress.ext_id = Some("0".into());
    let restored = Event::Restored(Box::new(restored), office.limits);
    office.tell(restored);
    assert_eq!(office.shown(), ["changed since"]);
    // and before it learnt even of the first
    office.courier = Courier::new("boot after that");
    let restored = Event::Restored(Box::new(slot(false, 4, "changed again")), office.limits);
    office.tell(restored);
    assert_eq!((office.shown(), office.posts.len()), (vec!["changed again"], 2));
}

#[test]
fn what_shall_not_be_shown_is_not_posted_anew() {
    let mut office = Office::new(false);
    office.wish(&slot(true, 1, "begin"));
    office.always_missing = true;
    let mut gone = slot(false, 2, "begin");
    gone.wish.shown = false;
    office
        .courier
        .handle(Event::Wished(Box::new(gone), office.limits), office.now);
    let Some(Effect::Deliver(id, _)) = office.courier.poll() else {
        unreachable!("nothing is deleted")
    };
    office.tell(Event::Delivered(id, Err(DeliverError::Missing("too old".into()))));
    assert_eq!((office.posts.len(), office.died), (1, 0));
    assert!(office.courier.is_empty());
}

fn with_file(text: &str) -> Slot {
    let mut slot = slot(false, 1, text);
    slot.wish.post.files.push(FileRef {
        handle: "h".into(),
        name: "a.txt".into(),
        mime: None,
        size: None,
    });
    slot.wish.post.buttons.push(Button {
        label: "b".into(),
        token: "b.1".into(),
    });
    slot
}

#[test]
fn a_caption_that_is_too_long_stands_behind_its_file() {
    for (text, parts) in [("short".to_owned(), 1), ("word ".repeat(150), 2)] {
        let mut office = Office::new(true);
        office.no_caption = true;
        office.wish(&with_file(&text));
        let shown = office.shown();
        assert_eq!((shown[0], shown.len()), ("", parts + 1));
        assert_eq!(
            shown.join(" ").split_whitespace().count(),
            text.split_whitespace().count()
        );
        let Some(Transaction::Split { wish, rest, .. }) = office
            .commits
            .iter()
            .find(|commit| matches!(commit, Transaction::Split { .. }))
        else {
            unreachable!("{:?}", office.commits)
        };
        assert_eq!((wish.post.files.len(), wish.post.buttons.len()), (1, 0));
        let rest: Vec<_> = rest
            .iter()
            .map(|slot| (slot.wish.post.files.len(), slot.wish.post.buttons.len()))
            .collect();
        let mut expected = vec![(0, 0); parts];
        expected[parts - 1] = (0, 1);
        assert_eq!(rest, expected);
    }
}

/// A file is never split itself.
#[test]
fn a_file_that_is_refused_without_words_is_given_up() {
    let mut office = Office::new(true);
    office.no_caption = true;
    let slot = with_file("");
    office
        .courier
        .handle(Event::Wished(Box::new(slot.clone()), office.limits), office.now);
    assert!(matches!(office.courier.poll(), Some(Effect::Deliver(..))));
    office.tell(Event::Delivered(slot.id, Err(DeliverError::TooLong)));
    assert_eq!((office.posts.len(), office.died), (0, 1));
}
