//! Accepting.

use std::sync::atomic::Ordering;

use tertulia_core::record::RowBody;
use tertulia_core::transaction::{Accepted, Transaction};
use tertulia_message::{
    FileRef, Generation, Mark, PersonId, Picture, Request, RequestHistory, Role, Secret, SlotKind, SuppliedCall,
    SuppliedMessage, ToolOffer, What,
};

use super::bench::{Bench, account, begin, event, message, settled, slot};

pub(super) async fn a_row_is_accepted_once(bench: Bench) {
    let both = bench
        .accept(vec![
            message("telegram_bot/5", "a", "hi"),
            message("telegram_bot/5", "a", "hi"),
        ])
        .await;
    let [Accepted::New(row, conversation), Accepted::Duplicate] = both[..] else {
        panic!("{both:?}")
    };
    assert_eq!(
        bench.accept(vec![message("telegram_bot/5", "a", "hi")]).await,
        [Accepted::Duplicate]
    );
    bench.exchange("telegram_bot/6", "b", "q", "a").await;
    assert_eq!(
        bench.accept(vec![message("telegram_bot/6", "b", "q")]).await,
        [Accepted::Duplicate]
    );
    assert_eq!(bench.waiting(conversation).await, [row]);
    let restored = bench.store.restore().await.unwrap();
    assert_eq!(restored.conversations.len(), 1);
    assert_eq!(restored.conversations[0].1.as_str(), "telegram_bot/5");
}

pub(super) async fn accounts_do_not_shadow_each_other(bench: Bench) {
    bench.say("telegram_bot/5", "a", "hi").await;
    let answer = bench
        .accept_with(account("2"), vec![message("telegram_bot/5", "a", "hi")], Vec::new())
        .await;
    assert!(matches!(answer[..], [Accepted::New(..)]), "{answer:?}");
}

pub(super) async fn rows_come_back_as_they_were(bench: Bench) {
    let file = FileRef {
        handle: "h".to_owned(),
        name: "n".to_owned(),
        mime: Some("a/b".to_owned()),
        size: Some(5),
    };
    let mut first = message("telegram_bot/5", "a", "hi");
    first.files = vec![file];
    first.reply_to = Some("z".to_owned());
    first.token = Some(Secret::new("token"));
    first.join = Some("album".to_owned());
    bench
        .accept(vec![
            first.clone(),
            event("web/1", "r", What::Request(Box::new(request()))),
        ])
        .await;
    let conversations = bench.store.restore().await.unwrap().conversations;
    let row = bench.work(conversations[0].0).await.unwrap().rows.remove(0);
    assert_eq!((row.path, row.ext_id, row.person), (first.path, first.id, first.sender));
    assert_eq!(
        (row.account, row.join, row.token),
        (first.account, first.join, first.token)
    );
    assert_eq!((row.accepted_at, row.conversation), (1_000, conversations[0].0));
    let RowBody::Message(body) = row.body else {
        panic!("{:?}", row.body)
    };
    assert_eq!(
        (body.text.as_str(), body.speaker.as_str(), body.direct),
        ("hi", "Ana", true)
    );
    assert_eq!((body.files, body.reply_to), (first.files, first.reply_to));
    let row = bench.work(conversations[1].0).await.unwrap().rows.remove(0);
    assert_eq!(row.body, RowBody::Request(Box::new(request())));
}

pub(super) fn request() -> Request {
    let picture = Picture {
        mime: "image/png".to_owned(),
        bytes: vec![1, 2, 3].into(),
    };
    let said = SuppliedMessage {
        role: Role::User,
        text: "look".to_owned(),
        thinking: "hm".to_owned(),
        pictures: vec![picture],
        calls: vec![SuppliedCall {
            id: "1".to_owned(),
            name: "t".to_owned(),
            arguments: "{}".to_owned(),
        }],
        call_id: Some("2".to_owned()),
        tool_name: Some("u".to_owned()),
    };
    let offer = ToolOffer {
        name: "t".to_owned(),
        description: "d".to_owned(),
        parameters: true.into(),
    };
    let generation = Generation {
        temperature: Some(0.5),
        top_p: Some(0.25),
        max_tokens: Some(9),
        stop: vec!["x".to_owned()],
        seed: Some(-1),
        format: Some("json".into()),
        think: Some(false.into()),
    };
    Request {
        history: RequestHistory::Stored(vec![said]),
        model: "m".to_owned(),
        system: Some("s".to_owned()),
        tools: vec![offer],
        generation,
    }
}

pub(super) async fn only_the_author_amends_and_only_while_it_waits(bench: Bench) {
    let (row, conversation) = bench.say("telegram_bot/5", "a", "one").await;
    let edit = |text: &str| {
        event(
            "telegram_bot/5",
            "e",
            What::Edit {
                of: "a".to_owned(),
                text: text.to_owned(),
            },
        )
    };
    let mut foreign = edit("forged");
    foreign.sender = PersonId::new("telegram_bot", "8");
    assert_eq!(bench.accept(vec![foreign]).await, [Accepted::Amended]);
    assert_eq!(text_of(&bench, conversation).await, "one");
    assert_eq!(bench.accept(vec![edit("two")]).await, [Accepted::Amended]);
    assert_eq!(text_of(&bench, conversation).await, "two");
    bench.commit(Transaction::Begin(begin(row, conversation, "two"))).await;
    assert_eq!(bench.accept(vec![edit("three")]).await, [Accepted::Amended]);
    assert_eq!(text_of(&bench, conversation).await, "two");
    let (_, command) = bench.say("telegram_bot/6", "c", "/help me").await;
    let amend = What::Edit {
        of: "c".to_owned(),
        text: "x".to_owned(),
    };
    bench.accept(vec![event("telegram_bot/6", "f", amend)]).await;
    let commands = bench.store.restore().await.unwrap().commands;
    assert_eq!(commands[0].conversation, command);
    let expected = RowBody::Command {
        name: "help".to_owned(),
        arguments: "me".to_owned(),
        direct: true,
        button: None,
    };
    assert_eq!(commands[0].body, expected);
    let unknown = What::Edit {
        of: "never".to_owned(),
        text: "x".to_owned(),
    };
    assert_eq!(
        bench.accept(vec![event("telegram_bot/6", "g", unknown)]).await,
        [Accepted::Amended]
    );
}

async fn text_of(bench: &Bench, conversation: tertulia_core::record::ConversationId) -> String {
    match &bench.work(conversation).await.unwrap().rows[0].body {
        RowBody::Message(body) => body.text.clone(),
        other => panic!("{other:?}"),
    }
}

pub(super) async fn withdrawing_drops_or_forgets(bench: Bench) {
    let redact = |of: &str| event("telegram_bot/5", "x", What::Redact { of: of.to_owned() });
    let (_, conversation) = bench.say("telegram_bot/5", "a", "one").await;
    assert_eq!(bench.accept(vec![redact("a")]).await, [Accepted::Amended]);
    assert_eq!(bench.work(conversation).await, None);
    bench.exchange("telegram_bot/5", "b", "two", "2").await;
    bench.exchange("telegram_bot/5", "c", "three", "3").await;
    assert_eq!(bench.lines("telegram_bot/5", false, 10).await.len(), 4);
    assert_eq!(
        bench.accept(vec![redact("b"), redact("never")]).await,
        [Accepted::Amended; 2]
    );
    let texts: Vec<_> = bench
        .lines("telegram_bot/5", false, 10)
        .await
        .into_iter()
        .map(|line| line.text)
        .collect();
    assert_eq!(texts, ["three", "3"]);
    let (row, _) = bench.say("telegram_bot/5", "d", "four").await;
    assert_eq!(bench.memory(conversation).await.len(), 2);
    let begin = Transaction::Begin(begin(row, conversation, "four"));
    bench.accept(vec![redact("d")]).await;
    // Read before it was withdrawn: as if it had been taken first.
    bench.commit(begin).await;
    bench.accept(vec![redact("d")]).await;
    assert_eq!(bench.waiting(conversation).await, [row]);
    bench.commit(settled(row, "4", Vec::new())).await;
    assert_eq!(bench.work(conversation).await, None);
}

pub(super) async fn marks_move_with_the_events(bench: Bench) {
    let mark = |key: &str, value: Option<&[u8]>| Mark {
        key: key.to_owned(),
        value: value.map(<[u8]>::to_vec),
    };
    let marks = vec![
        mark("gap/2", Some(b"b")),
        mark("gap/1", Some(b"a")),
        mark("since", Some(b"")),
        mark("g", None),
    ];
    bench
        .accept_with(account("1"), vec![message("telegram_bot/5", "a", "hi")], marks)
        .await;
    let of = async |identity: &str, prefix: &str| bench.store.marks(&account(identity), prefix).await.unwrap();
    assert_eq!(
        of("1", "gap/").await,
        [mark("gap/1", Some(b"a")), mark("gap/2", Some(b"b"))]
    );
    assert_eq!(of("1", "").await.len(), 3);
    assert_eq!(of("1", "gap_").await, []);
    assert_eq!(of("2", "").await, []);
    bench
        .accept_with(
            account("1"),
            Vec::new(),
            vec![mark("gap/1", None), mark("gap/2", Some(b"c"))],
        )
        .await;
    assert_eq!(of("1", "gap").await, [mark("gap/2", Some(b"c"))]);
}

pub(super) async fn tokens_grow_old(bench: Bench) {
    let mut event = message("telegram_bot/5", "a", "hi");
    event.token = Some(Secret::new("token"));
    let answers = bench.accept(vec![event]).await;
    let [Accepted::New(row, conversation)] = answers[..] else {
        panic!("{answers:?}")
    };
    bench
        .commit(Transaction::Notice {
            slots: vec![slot(row, SlotKind::Notice, 0, "wait")],
        })
        .await;
    let minutes = |n: i64| 1_000 + n * 60_000;
    bench.now.store(minutes(15) - 1, Ordering::Relaxed);
    assert_eq!(bench.slots().await[0].token, Some(Secret::new("token")));
    bench.now.store(minutes(15), Ordering::Relaxed);
    assert_eq!(bench.work(conversation).await.unwrap().rows[0].token, None);
    assert_eq!(bench.slots().await[0].token, None);
}
