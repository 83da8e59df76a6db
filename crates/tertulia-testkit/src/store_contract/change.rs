//! What commands change.

use tertulia_core::access::{Permit, Subject};
use tertulia_core::preferences::{Key, Preference, Scope};
use tertulia_core::record::{ConversationId, InboxId, Slot};
use tertulia_core::transaction::{Change, Transaction};
use tertulia_message::{Level, PersonId, SlotKind};
use tertulia_ports::TurnQuery;

use super::bench::{Bench, OFFICE, account, begin, path, slot};

fn place(at: &str) -> Scope {
    Scope::Place(path(at))
}

fn preference(value: &str) -> Preference {
    Preference {
        value: value.to_owned(),
        set_by: "telegram_bot/7".to_owned(),
        set_at: 5,
    }
}

fn set(scope: Scope, key: Key, value: Option<&str>) -> Change {
    Change::Set {
        scope,
        key,
        preference: value.map(preference),
    }
}

fn permit(subject: &Subject, level: Option<Level>) -> Change {
    Change::Permit {
        subject: subject.clone(),
        permit: level.map(given),
    }
}

fn given(level: Level) -> Permit {
    Permit {
        level,
        set_by: "telegram_bot/7".to_owned(),
        set_at: 5,
        expires_at: (level == Level::User).then_some(9_000),
    }
}

async fn values(bench: &Bench) -> Vec<(Scope, Key, String)> {
    let preferences = bench.store.governed().await.unwrap().preferences.0;
    let all = preferences.into_iter();
    all.map(|((scope, key), preference)| {
        assert_eq!(preference, self::preference(&preference.value));
        (scope, key, preference.value)
    })
    .collect()
}

pub(super) async fn what_is_set_is_read_back(bench: Bench) {
    let scopes = [
        Scope::Everywhere,
        Scope::Interface("telegram_bot".to_owned()),
        place("telegram_bot/5"),
        place("telegram_bot/5/1"),
    ];
    let changes = scopes.iter().map(|scope| set(scope.clone(), Key::Model, Some("first")));
    bench.change(changes.collect()).await;
    bench
        .change(vec![
            set(scopes[1].clone(), Key::Model, Some("second")),
            set(scopes[2].clone(), Key::Model, None),
            set(scopes[3].clone(), Key::System, Some("")),
            set(scopes[3].clone(), Key::Tools, None),
        ])
        .await;
    let mut expected = vec![
        (scopes[0].clone(), Key::Model, "first".to_owned()),
        (scopes[1].clone(), Key::Model, "second".to_owned()),
        (scopes[3].clone(), Key::Model, "first".to_owned()),
        (scopes[3].clone(), Key::System, String::new()),
    ];
    expected.sort();
    assert_eq!(values(&bench).await, expected);
}

pub(super) async fn permits_are_given_and_taken_back(bench: Bench) {
    let subjects = [
        Subject::Person(PersonId::new("telegram_bot", "9/9")),
        Subject::Place(path("telegram_bot/5")),
        Subject::Place(path("telegram_bot/5/1")),
    ];
    let changes = subjects.iter().map(|subject| permit(subject, Some(Level::User)));
    bench.change(changes.collect()).await;
    bench
        .change(vec![
            permit(&subjects[0], Some(Level::Admin)),
            permit(&subjects[1], None),
            permit(&subjects[2], Some(Level::Guest)),
        ])
        .await;
    let expected = [
        (subjects[0].clone(), given(Level::Admin)),
        (subjects[2].clone(), given(Level::Guest)),
    ];
    assert_eq!(bench.store.governed().await.unwrap().permits, expected);
}

pub(super) async fn settings_and_permits_move_with_the_chat(bench: Bench) {
    let at = |at: &str| set(place(at), Key::Model, Some(at));
    let here = |at: &str| Subject::Place(path(at));
    bench
        .change(vec![
            at("telegram_bot/5"),
            at("telegram_bot/5/1"),
            at("telegram_bot/55"),
            at("telegram_bot/6"),
            set(place("telegram_bot/5"), Key::System, Some("moves")),
            permit(&here("telegram_bot/5"), Some(Level::User)),
            permit(&here("telegram_bot/6/1"), Some(Level::Guest)),
            permit(&here("telegram_bot/5/1"), Some(Level::User)),
        ])
        .await;
    bench
        .commit(Transaction::Moved {
            from: path("telegram_bot/5"),
            to: path("telegram_bot/6"),
        })
        .await;
    let expected = [
        ("telegram_bot/55", Key::Model, "telegram_bot/55"),
        ("telegram_bot/6", Key::Model, "telegram_bot/6"),
        ("telegram_bot/6", Key::System, "moves"),
        ("telegram_bot/6/1", Key::Model, "telegram_bot/5/1"),
    ];
    let mut expected = expected.map(|(at, key, value)| (place(at), key, value.to_owned()));
    expected.sort();
    assert_eq!(values(&bench).await, expected, "what stands at the new address wins");
    let permits = bench.store.governed().await.unwrap().permits;
    let expected = [
        (here("telegram_bot/6"), given(Level::User)),
        (here("telegram_bot/6/1"), given(Level::Guest)),
    ];
    assert_eq!(permits, expected);
}

pub(super) async fn a_new_epoch_hides_what_was_said(bench: Bench) {
    bench.exchange("telegram_bot/5", "a", "old", "1").await;
    let (row, conversation) = bench.begun("telegram_bot/5", "b").await;
    bench.change(vec![Change::NewEpoch(conversation)]).await;
    assert_eq!(bench.texts("telegram_bot/5").await, Vec::<String>::new());
    // A turn keeps the epoch it began with.
    bench.commit(super::bench::settled(row, "2", Vec::new())).await;
    let (row, _) = bench.say("telegram_bot/5", "c", "new").await;
    let work = bench.work(conversation).await.unwrap();
    assert_eq!((work.epoch, work.history), (1, Vec::new()));
    let begin = tertulia_core::transaction::Begin {
        epoch: 1,
        ..begin(row, conversation, "new")
    };
    bench.commit(Transaction::Begin(begin)).await;
    bench.commit(super::bench::settled(row, "3", Vec::new())).await;
    assert_eq!(bench.texts("telegram_bot/5").await, ["new", "3"]);
    assert_eq!(
        bench.store.turn(&TurnQuery::Last(conversation, row)).await.unwrap(),
        None
    );
}

pub(super) async fn a_reply_changes_everything_or_nothing(bench: Bench) {
    bench.exchange("telegram_bot/5", "a", "kept", "1").await;
    let nowhere = ConversationId(99);
    let impossible = [
        Change::NewEpoch(nowhere),
        Change::Forget(vec![nowhere]),
        Change::Said {
            conversation: nowhere,
            text: "hi".to_owned(),
            now: 1,
        },
    ];
    for change in impossible {
        let changes = vec![
            set(Scope::Everywhere, Key::Model, Some("m")),
            Change::Forget(vec![ConversationId(1)]),
            change,
        ];
        let reply = bench.reply(changes).await;
        bench.refuses(reply).await;
        assert_eq!(values(&bench).await, []);
        assert_eq!(bench.texts("telegram_bot/5").await, ["kept", "1"]);
    }
    // The second reply of a row comes too late, whatever it says.
    let (row, _) = bench.say(OFFICE, "late", "/help").await;
    let reply = |changes: Vec<Change>, part: u32| Transaction::Reply {
        trigger: row,
        slots: vec![slot(row, SlotKind::Command, part, "x")],
        changes,
    };
    bench.commit(reply(Vec::new(), 0)).await;
    bench
        .commit(reply(vec![set(Scope::Everywhere, Key::Model, Some("m"))], 1))
        .await;
    assert_eq!(values(&bench).await, []);
    assert_eq!(bench.slots().await.len(), 1);
}

pub(super) async fn what_operators_say_stands_where_it_was_said(bench: Bench) {
    bench.exchange("telegram_bot/5", "a", "hi", "1").await;
    let (row, office) = bench.say(OFFICE, "say", "/help").await;
    let said = Slot {
        account: account("2"),
        conversation: ConversationId(1),
        re: "say".to_owned(),
        ..slot(row, SlotKind::Say, 0, "listen")
    };
    let told = Slot {
        conversation: office,
        path: path(OFFICE),
        re: "say".to_owned(),
        ..slot(row, SlotKind::Command, 0, "done")
    };
    let words = |text: &str| Change::Said {
        conversation: ConversationId(1),
        text: text.to_owned(),
        now: 4_000,
    };
    bench
        .twice(Transaction::Reply {
            trigger: row,
            slots: vec![said.clone(), told.clone()],
            changes: vec![words("listen"), words("")],
        })
        .await;
    assert_eq!(bench.slots().await, [said, told]);
    assert_eq!(bench.texts("telegram_bot/5").await, ["hi", "1", "listen"]);
    bench.say("telegram_bot/5", "b", "next").await;
    let history = bench.memory(ConversationId(1)).await;
    let last = history.last().unwrap();
    assert_eq!((last.turn, history.len()), (None, 3));
    let (row, _) = bench.say(OFFICE, "nowhere", "/help").await;
    let nowhere = Slot {
        conversation: ConversationId(99),
        path: path("telegram_bot/unknown"),
        ..slot(row, SlotKind::Say, 0, "x")
    };
    bench
        .refuses(Transaction::Reply {
            trigger: row,
            slots: vec![nowhere],
            changes: Vec::new(),
        })
        .await;
    assert_eq!(bench.store.restore().await.unwrap().commands[0].id, InboxId(row.0));
}

pub(super) async fn greetings_are_known_for_a_day(bench: Bench) {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let person = |id: &str| PersonId::new("telegram_bot", id);
    let greet = async |id: &str, now: i64| {
        let greeted = Transaction::Greeted {
            person: person(id),
            now,
        };
        bench.twice(greeted).await;
    };
    greet("1", 10).await;
    greet("2", 20).await;
    greet("1", 30).await;
    let greeted = async || bench.store.governed().await.unwrap().greeted;
    assert_eq!(greeted().await, [(person("1"), 30), (person("2"), 20)]);
    greet("3", DAY + 20).await;
    assert_eq!(greeted().await.len(), 3);
    greet("3", DAY + 21).await;
    assert_eq!(greeted().await, [(person("1"), 30), (person("3"), DAY + 21)]);
}
