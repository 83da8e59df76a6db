//! `/export`: the conversation as a file, or as text where none can be sent.

use std::sync::Arc;

use tertulia_core::reply;
use tertulia_message::{FileRef, Limits, Reach, SlotKind};
use tertulia_ports::{HistoryLine, HistoryQuery};

use super::history::unnamed;
use super::show::{code, count, line};
use super::{Answer, Call, Done, limits, when};
use crate::backing::patiently;

/// The newest lines that are in it at most.
const MOST: u32 = 2000;
/// How large a file may be, and how much text goes into messages of a platform that takes no files, in bytes.
const FILE: usize = 2_000_000;
const MESSAGES: usize = 16_000;
const NAME: &str = "conversation.md";
const LEFT_OUT: &str = "*What was said before is left out.*\n\n";

pub(super) async fn run(call: &Call<'_>) -> Done {
    let query = HistoryQuery {
        path: call.path.clone(),
        whole_chat: false,
        limit: MOST + 1,
    };
    let lines = patiently(|| call.shared.store.history(&query)).await?;
    if lines.is_empty() {
        return Ok(format!("Nothing that was said {} is remembered.", call.place()).into());
    }
    let here = limits(call.shared, &call.row.path);
    let is_chat = here.is_some_and(|limits| limits.reach == Reach::Always);
    match here {
        Some(limits) if is_chat && limits.files > 0 => file(call, &lines, limits).await,
        _ => Ok(document(call, &lines, if is_chat { MESSAGES } else { FILE }).0.into()),
    }
}

async fn file(call: &Call<'_>, lines: &[HistoryLine], limits: Limits) -> Done {
    let (text, shown) = document(call, lines, FILE);
    let content: Arc<[u8]> = text.into_bytes().into();
    let size = content.len() as u64;
    let handle = patiently(|| call.shared.store.keep_file(Arc::clone(&content))).await?;
    let caption = format!(
        "{} of what was said {}.",
        count(shown, "message", "messages"),
        call.place()
    );
    let file = FileRef {
        handle,
        name: NAME.to_owned(),
        mime: Some("text/markdown".to_owned()),
        size: Some(size),
    };
    Ok(Answer {
        slots: reply::with_files(call.row, SlotKind::Command, &caption, &[file], limits, call.wall()),
        ..Answer::default()
    })
}

/// The newest lines that fit, and how many they are.
fn document(call: &Call<'_>, lines: &[HistoryLine], room: usize) -> (String, u64) {
    let title = format!("# {}\n\n", code(call.path.as_str(), 512));
    let (body, shown) = newest(lines, room.saturating_sub(title.len() + LEFT_OUT.len()));
    let left_out = if shown < lines.len() { LEFT_OUT } else { "" };
    (format!("{title}{left_out}{body}"), shown as u64)
}

fn newest(lines: &[HistoryLine], room: usize) -> (String, usize) {
    let mut left = room;
    let mut sections = Vec::new();
    for line in lines.iter().rev().take(MOST as usize) {
        let section = section(line);
        let Some(rest) = left.checked_sub(section.len()) else {
            break;
        };
        left = rest;
        sections.push(section);
    }
    sections.reverse();
    (sections.concat(), sections.len())
}

/// One line under its speaker. The words stay as they were written: the model's are Markdown already.
fn section(said: &HistoryLine) -> String {
    let speaker = match &said.speaker {
        Some(name) => line(name, 100).replace(['*', '`', '_', '<', '[', '\\', '#'], ""),
        None if said.from_person => "You".to_owned(),
        None => "Bot".to_owned(),
    };
    format!("**{speaker}**, {}:\n\n{}\n\n", when::stamp(said.at), unnamed(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(speaker: Option<&str>, text: &str) -> HistoryLine {
        HistoryLine {
            path: "x/y".parse().unwrap(),
            speaker: speaker.map(str::to_owned),
            from_person: speaker.is_some(),
            text: text.to_owned(),
            at: 1_700_000_000_000,
        }
    }

    #[test]
    fn every_line_stands_under_its_speaker() {
        let lines = [said(Some("a*n\nn"), "\"a*n\\nn\": hi"), said(None, "**hello**")];
        let expected = "**an n**, 2023-11-14 22:13 UTC:\n\nhi\n\n**Bot**, 2023-11-14 22:13 UTC:\n\n**hello**\n\n";
        assert_eq!(newest(&lines, 1000), (expected.to_owned(), 2));
    }

    #[test]
    fn the_newest_lines_are_kept() {
        let lines: Vec<_> = (0..9).map(|nth| said(None, &format!("line {nth}"))).collect();
        let length = section(&lines[0]).len();
        let (text, shown) = newest(&lines, 3 * length + 1);
        assert_eq!(shown, 3);
        assert!(text.contains("line 6") && text.contains("line 8") && !text.contains("line 5"));
        let many = vec![said(None, "x"); MOST as usize + 1];
        assert_eq!(newest(&many, FILE).1, MOST as usize);
    }
}
