//! Lines of older bots.

use tertulia_core::chat::ChatMessage;
use tertulia_core::record::ConversationId;
use tertulia_core::transaction::{Change, Imported, ImportedLine, Transaction};
use tertulia_ports::ConversationQuery;

use super::bench::{Bench, path};

fn line(key: &str, at: &str, text: &str, time: i64) -> ImportedLine {
    ImportedLine {
        key: key.to_owned(),
        path: path(at),
        speaker: (!text.starts_with('>')).then(|| "Ana".to_owned()),
        text: text.to_owned(),
        at: time,
    }
}

async fn import(bench: &Bench, lines: Vec<ImportedLine>) -> (u64, u64) {
    let Imported { added, known } = bench.store.import(lines).await.unwrap();
    (added, known)
}

pub(super) async fn lines_come_in_once_and_in_order(bench: Bench) {
    let at = "telegram_bot/5";
    let lines = vec![
        line("3", at, ">three", 30),
        line("1", at, "one", 10),
        line("1", at, "one again", 10),
        line("2b", at, "two", 20),
        line("2c", at, "and two", 20),
        line("0", at, "", 5),
    ];
    assert_eq!(import(&bench, lines.clone()).await, (5, 1));
    assert_eq!(import(&bench, lines).await, (0, 6));
    assert_eq!(import(&bench, vec![line("2a", at, ">between", 15)]).await, (1, 0));
    assert_eq!(import(&bench, Vec::new()).await, (0, 0));
    let expected = ["one", ">between", "two", "and two", ">three"];
    assert_eq!(bench.texts(at).await, expected);
    let newest = bench.lines(at, false, 1).await;
    assert_eq!((newest[0].at, newest[0].from_person), (30, false));
    // What was forgotten does not come back.
    bench.change(vec![Change::Forget(vec![ConversationId(1)])]).await;
    assert_eq!(import(&bench, vec![line("1", at, "one", 10)]).await, (0, 1));
    assert_eq!(bench.texts(at).await, Vec::<String>::new());
}

pub(super) async fn imported_lines_stand_before_all_others(bench: Bench) {
    let at = "telegram_bot/5";
    bench.exchange(at, "a", "live", "1").await;
    let lines = vec![line("2", at, ">second", 9_000), line("1", at, "first", 8_000)];
    assert_eq!(import(&bench, lines).await, (2, 0));
    let thread = vec![line("t", "telegram_bot/5/1", "between", 8_500)];
    assert_eq!(import(&bench, thread).await, (1, 0));
    bench.exchange(at, "b", "more", "2").await;
    assert_eq!(bench.texts(at).await, ["first", ">second", "live", "1", "more", "2"]);
    let whole = bench.lines(at, true, 5).await;
    let texts: Vec<_> = whole.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, [">second", "live", "1", "more", "2"]);
    let whole = bench.lines(at, true, 6).await;
    assert_eq!(whole[0].text, "between");
    bench.say(at, "c", "next").await;
    let history = bench.memory(ConversationId(1)).await;
    assert_eq!(history[0].speaker.as_deref(), Some("Ana"));
    assert_eq!(history[0].message, ChatMessage::user("first"));
    assert_eq!(history[1].message, ChatMessage::assistant(">second"));
    assert!(history[..2].iter().all(|entry| entry.turn.is_none()));
    assert_eq!(history.len(), 6);
    // The limit cuts imported lines one by one: they belong to no turn.
    let cut = bench.store.next_work(ConversationId(1), 5).await.unwrap().unwrap();
    assert_eq!(cut.history, history[1..]);
}

pub(super) async fn a_conversation_is_made_where_there_is_none(bench: Bench) {
    let at = "matrix/room/1";
    import(&bench, vec![line("1", at, "hi", 10)]).await;
    let query = ConversationQuery::At(path(at));
    let facts = bench.store.conversations(&query).await.unwrap();
    assert_eq!(
        (facts[0].id, facts[0].entries, facts[0].last_at),
        (ConversationId(1), 1, 0)
    );
    assert_eq!(
        (facts[0].account.interface.as_str(), facts[0].account.identity.as_str()),
        ("matrix", "")
    );
    bench
        .commit(Transaction::Moved {
            from: path(at),
            to: path("matrix/room/2"),
        })
        .await;
    assert_eq!(bench.texts("matrix/room/2").await, ["hi"]);
}
