//! The vectors about the history.

use serde_json::{Value, json};
use tertulia_message::path::InterfacePath;
use tertulia_ports::{Desk as _, HistoryQuery, Store};
use tertulia_store::SqliteStore;
use tertulia_testkit::conformance::{Outcome, Suite};

use crate::bench::{accepting, begin, directory, message, new_row, open, settle};

/// The most lines that a vector without a limit can mean.
const ALL: u32 = 1_000;

#[test]
fn conformance_of_the_history() {
    Suite::new()
        .operation("load", load)
        .operation("load_chat_level", load_chat_level)
        .operation("save", save)
        .check();
}

fn load(input: &Value) -> Outcome {
    let path = input["path"].as_str().unwrap_or_default().to_owned();
    let saved = input["saved"]
        .as_array()
        .or_else(|| input["saved_same_second"].as_array());
    let texts: Vec<_> = saved
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let limit = input["limit"]
        .as_u64()
        .and_then(|limit| limit.try_into().ok())
        .unwrap_or(ALL);
    let query = HistoryQuery {
        path: InterfacePath::parse(&path)?,
        whole_chat: false,
        limit,
    };
    with_store(async |store| {
        for (number, text) in texts.iter().enumerate() {
            say(store, &path, &number.to_string(), text).await;
        }
        let lines = store.history(&query).await?;
        Ok(lines.into_iter().map(|line| line.text).collect())
    })
}

fn load_chat_level(input: &Value) -> Outcome {
    let query = input["query"].as_str().unwrap_or_default();
    let query = HistoryQuery {
        path: InterfacePath::parse(query)?,
        whole_chat: true,
        limit: ALL,
    };
    let paths: Vec<_> = input["paths"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    with_store(async |store| {
        for (number, path) in paths.iter().enumerate() {
            say(store, path, &number.to_string(), path).await;
        }
        let lines = store.history(&query).await?;
        Ok(lines.into_iter().map(|line| line.path.to_string()).collect())
    })
}

fn save(input: &Value) -> Outcome {
    let path = input["path"].as_str().unwrap_or_default();
    let text = input["text"].as_str().unwrap_or_default();
    let Ok(query) = InterfacePath::parse(path).map(|path| HistoryQuery {
        path,
        whole_chat: false,
        limit: ALL,
    }) else {
        return Ok(json!({ "saved": false }));
    };
    with_store(async |store| {
        say(store, path, "1", text).await;
        Ok(json!({ "saved": !store.history(&query).await?.is_empty() }))
    })
}

/// A person's message, with no answer behind it.
async fn say(store: &SqliteStore, path: &str, id: &str, text: &str) {
    let answers = store.accept(accepting(vec![message(path, id, text)])).await.unwrap();
    let (row, conversation) = new_row(&answers);
    store.commit(begin(row, conversation, text)).await.unwrap();
    store.commit(settle(row, "")).await.unwrap();
}

fn with_store(run: impl AsyncFnOnce(&SqliteStore) -> Outcome) -> Outcome {
    let directory = directory();
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let store = open(directory.path());
        run(&store).await
    })
}
