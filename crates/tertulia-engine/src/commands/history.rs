//! `/history`: the last lines of the conversation.

use tertulia_ports::{HistoryLine, HistoryQuery};

use super::show::code;
use super::{Call, Done, Refusal, when, words};
use crate::backing::patiently;

const USUAL: u32 = 10;
const MOST: u32 = 50;
/// How much of one line is shown, in characters.
const LENGTH: usize = 300;

pub(super) async fn run(call: &Call<'_>) -> Done {
    let limit = words::how_many(call.arguments, USUAL, MOST).ok_or(Refusal::Usage)?;
    let query = HistoryQuery {
        path: call.path.clone(),
        whole_chat: false,
        limit,
    };
    let lines = patiently(|| call.shared.store.history(&query)).await?;
    if lines.is_empty() {
        return Ok("Nothing that was said here is remembered.".into());
    }
    let now = call.wall();
    let shown: Vec<String> = lines.iter().map(|line| shown(line, now)).collect();
    Ok(shown.join("\n").into())
}

fn shown(line: &HistoryLine, now: i64) -> String {
    let speaker = match &line.speaker {
        Some(name) => code(name, 40),
        None if line.from_person => "you".to_owned(),
        None => "me".to_owned(),
    };
    format!("- {speaker}, {}: {}", when::ago(now, line.at), code(&line.text, LENGTH))
}
