//! Random commands, greetings, retries and imports.

use tertulia_core::access::{Permit, Subject};
use tertulia_core::preferences::{Key, Preference, Scope};
use tertulia_core::provider::Usage;
use tertulia_core::record::{ConversationId, InboxId, MessageBody, RowBody};
use tertulia_core::transaction::{Change, ImportedLine, Transaction, UsageRow};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Level, PersonId};
use tertulia_ports::{ConversationQuery, SlotQuery, Store, TurnQuery};

use super::Dice;

impl Dice {
    pub(super) fn change(&mut self) -> Change {
        let (conversation, now) = (self.conversation(), i64::from(self.small(9)));
        let place = Scope::Place(self.path());
        match self.roll(8) {
            0 if self.roll(3) == 0 => Change::NewEpoch(conversation),
            0 | 1 => Change::Forget(vec![conversation]),
            2 => Change::Set {
                scope: self.of(&[Scope::Everywhere, Scope::Interface("tg".to_owned()), place]),
                key: self.of(&Key::ALL),
                preference: self.coin().then(|| Preference {
                    value: self.text(),
                    set_by: "tg/7".to_owned(),
                    set_at: now,
                }),
            },
            3 => Change::Permit {
                subject: self.of(&[
                    Subject::Person(PersonId::new("tg", "7")),
                    Subject::Place(InterfacePath::parse("tg/4").unwrap()),
                    Subject::Place(InterfacePath::parse("tg/1/2").unwrap()),
                ]),
                permit: self.coin().then(|| Permit {
                    level: Level::User,
                    set_by: "tg/7".to_owned(),
                    set_at: now,
                    expires_at: Some(now),
                }),
            },
            4 => Change::Rewish(vec![(self.slot_id(), self.wish())]),
            5 => Change::Revive {
                slots: vec![self.slot_id(), self.slot_id()],
                expires_at: now,
            },
            6 => Change::Bury(vec![self.slot_id()]),
            _ => Change::Said {
                conversation,
                text: self.text(),
                now,
            },
        }
    }

    pub(super) fn govern(&mut self) -> Transaction {
        let (trigger, now) = (InboxId(i64::try_from(self.roll(30)).unwrap()), i64::from(self.small(9)));
        match self.roll(4) {
            0 => Transaction::Greeted {
                person: PersonId::new("tg", self.of(&["7", "8"])),
                now: now * 20_000_000,
            },
            1 => Transaction::Spent(UsageRow {
                trigger,
                attempt: 1,
                round: self.small(3),
                person: "tg/7".to_owned(),
                provider: "p".to_owned(),
                model: self.text(),
                usage: Usage {
                    tokens_in: self.coin().then_some(3),
                    tokens_out: self.coin().then_some(5),
                    cache_read: self.coin().then_some(2),
                    cache_written: self.coin().then_some(1),
                    cost: self.coin().then_some(7),
                },
                at: now,
            }),
            2 => Transaction::Retry {
                trigger,
                body: Box::new(RowBody::Message(MessageBody {
                    text: self.text(),
                    ..MessageBody::default()
                })),
                supersedes: self.row(),
            },
            _ => Transaction::Reply {
                trigger,
                slots: Vec::new(),
                changes: vec![self.change()],
            },
        }
    }

    pub(super) fn lines(&mut self) -> Vec<ImportedLine> {
        let count = self.roll(3);
        let mut line = |_| ImportedLine {
            key: self.small(20).to_string(),
            path: self.path(),
            speaker: self.coin().then(|| "Ana".to_owned()),
            text: self.text(),
            at: i64::from(self.small(4)),
        };
        (0..count).map(&mut line).collect()
    }
}

/// What the desk reads is the same on both.
pub(super) async fn agrees(real: &dyn Store, model: &dyn Store, place: &str) {
    assert_eq!(
        real.governed().await.unwrap(),
        model.governed().await.unwrap(),
        "{place}"
    );
    assert_eq!(real.usage(3).await.unwrap(), model.usage(3).await.unwrap(), "{place}");
    let chat = InterfacePath::parse("tg/1").unwrap();
    for query in [ConversationQuery::Latest(4), ConversationQuery::Chat(chat)] {
        let (ours, theirs) = (
            real.conversations(&query).await.unwrap(),
            model.conversations(&query).await.unwrap(),
        );
        assert_eq!(ours, theirs, "{place}");
    }
    for number in 1..=7 {
        let (id, before) = (ConversationId(number), InboxId(25));
        for query in [TurnQuery::Last(id, before), TurnQuery::Of(InboxId(number * 3))] {
            let (ours, theirs) = (real.turn(&query).await.unwrap(), model.turn(&query).await.unwrap());
            assert_eq!(ours, theirs, "{place}, {query:?}");
        }
        for query in [
            SlotQuery::Unsent(id, before),
            SlotQuery::Due(id, before),
            SlotQuery::Dead(5),
        ] {
            let (ours, theirs) = (real.slots(&query).await.unwrap(), model.slots(&query).await.unwrap());
            assert_eq!(ours, theirs, "{place}, conversation {number}");
        }
    }
}
