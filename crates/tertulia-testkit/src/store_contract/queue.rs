//! How much may wait in a conversation.

use tertulia_core::transaction::{Accepted, Transaction};
use tertulia_message::{SlotKind, What};

use super::accept::request;
use super::bench::{Bench, begin, event, message, settled, slot};

pub(super) async fn the_queue_is_bounded(mut bench: Bench) {
    bench.bound = 2;
    let say = |id: &str| message("telegram_bot/5", id, id);
    let answers = bench.accept(vec![say("a"), say("b"), say("c"), say("d")]).await;
    let [
        Accepted::New(row, conversation),
        Accepted::New(..),
        Accepted::Flood {
            first: true,
            row: dropped,
            ..
        },
        rest,
    ] = answers[..]
    else {
        panic!("{answers:?}")
    };
    assert!(matches!(rest, Accepted::Flood { first: false, .. }), "{rest:?}");
    bench.say("telegram_bot/6", "e", "elsewhere").await;
    bench.commit(Transaction::Begin(begin(row, conversation, "a"))).await;
    assert!(matches!(
        bench.accept(vec![say("f")]).await[..],
        [Accepted::Flood { first: false, .. }]
    ));
    assert_eq!(bench.accept(vec![say("c")]).await, [Accepted::Duplicate]);
    bench
        .commit(Transaction::Notice {
            slots: vec![slot(dropped, SlotKind::Notice, 0, "slow down")],
        })
        .await;
    assert_eq!(bench.slots().await.len(), 1);
    bench.commit(settled(row, "1", Vec::new())).await;
    let answers = bench.accept(vec![say("g"), say("h")]).await;
    assert!(
        matches!(answers[..], [Accepted::New(..), Accepted::Flood { first: true, .. }]),
        "{answers:?}"
    );
}

pub(super) async fn commands_are_bounded_apart(mut bench: Bench) {
    bench.bound = 2;
    let (row, conversation) = bench.begun("telegram_bot/5", "a").await;
    let (next, _) = bench.say("telegram_bot/5", "b", "there").await;
    assert!(flooded(&bench, "c", "more").await);
    let (command, _) = bench.say("telegram_bot/5", "d", "/stop").await;
    bench.say("telegram_bot/5", "e", "/help").await;
    assert!(flooded(&bench, "f", "/help").await);
    // Room in one of the two is none in the other.
    bench.commit(settled(row, "1", Vec::new())).await;
    assert!(flooded(&bench, "g", "/help").await);
    bench.say("telegram_bot/5", "h", "more").await;
    let reply = Transaction::Reply {
        trigger: command,
        slots: Vec::new(),
        changes: Vec::new(),
    };
    bench.commit(reply).await;
    let what = What::Request(Box::new(request()));
    let answers = bench.accept(vec![event("telegram_bot/5", "i", what)]).await;
    assert!(matches!(answers[..], [Accepted::Flood { .. }]), "{answers:?}");
    bench.say("telegram_bot/5", "j", "/help").await;
    assert_eq!(bench.waiting(conversation).await, [next]);
}

async fn flooded(bench: &Bench, id: &str, text: &str) -> bool {
    let answers = bench.accept(vec![message("telegram_bot/5", id, text)]).await;
    matches!(answers[..], [Accepted::Flood { .. }])
}

pub(super) async fn each_bound_tells_once(mut bench: Bench) {
    bench.bound = 1;
    let texts = ["hi", "more", "/stop", "more", "/stop", "more", "/stop"];
    let events = texts.iter().zip("abcdefg".chars());
    let events = events.map(|(text, id)| message("telegram_bot/5", &id.to_string(), text));
    let answers = bench.accept(events.collect()).await;
    let told = answers.iter().map(|answer| match answer {
        Accepted::Flood { first, .. } => Some(*first),
        _ => None,
    });
    let (new, told_now, silent) = (None, Some(true), Some(false));
    let expected = [new, told_now, new, silent, told_now, silent, silent];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}
