//! `/history`: the last lines of the conversation.

use std::borrow::Cow;

use serde_json::Value;
use tertulia_ports::{HistoryLine, HistoryQuery};

use super::show::code;
use super::{Call, Done, when, words};
use crate::backing::patiently;

const USUAL: u32 = 10;
const MOST: u32 = 50;
/// How much of one line is shown, in characters.
const LENGTH: usize = 300;

pub(super) async fn run(call: &Call<'_>) -> Done {
    let limit = words::how_many(call.arguments, USUAL, MOST, "lines")?;
    let query = HistoryQuery {
        path: call.path.clone(),
        whole_chat: false,
        limit,
    };
    let lines = patiently(|| call.shared.store.history(&query)).await?;
    if lines.is_empty() {
        return Ok(format!("Nothing that was said {} is remembered.", call.place()).into());
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
    format!(
        "- {speaker}, {}: {}",
        when::ago(now, line.at),
        code(&unnamed(line), LENGTH)
    )
}

/// What was said, without the name that the model is told before it in groups; behind what is quoted, if anything is.
pub(super) fn unnamed(line: &HistoryLine) -> Cow<'_, str> {
    let text = line.text.as_str();
    let Some(name) = &line.speaker else { return text.into() };
    // every line of a quotation is marked, so that the first empty one is its end
    let end = text.find("\n\n").filter(|_| text.starts_with("> "));
    let (quotation, said) = text.split_at(end.map_or(0, |end| end + 2));
    let name = format!("{}: ", Value::from(name.as_str()));
    match said.strip_prefix(&name) {
        Some(said) if quotation.is_empty() => said.into(),
        Some(said) => format!("{quotation}{said}").into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speaker_is_named_once() {
        for (speaker, text, expected) in [
            (Some("bob"), "\"bob\": hi", "- `bob`, just now: `hi`"),
            (Some("b\"b"), "\"b\\\"b\": hi", "- `b\"b`, just now: `hi`"),
            (Some("bob"), "hi", "- `bob`, just now: `hi`"),
            (Some("bob"), "\"eve\": hi", "- `bob`, just now: `\"eve\": hi`"),
            (
                Some("bob"),
                "> In reply to you:\n> no\n\n\"bob\": hi",
                "- `bob`, just now: `> In reply to you: > no hi`",
            ),
            (
                Some("bob"),
                "> no\n\nwell, \"bob\": hi",
                "- `bob`, just now: `> no well, \"bob\": hi`",
            ),
            (None, "\"bob\": hi", "- me, just now: `\"bob\": hi`"),
        ] {
            let line = HistoryLine {
                path: "x/y".parse().unwrap(),
                speaker: speaker.map(str::to_owned),
                from_person: speaker.is_some(),
                text: text.to_owned(),
                at: 0,
            };
            assert_eq!(shown(&line, 0), expected);
        }
    }
}
