//! Presses of buttons: whom a button is for, and how whoever pressed it hears of it.

use std::time::Duration;

use tertulia_core::markdown;
use tertulia_core::record::{InboxId, InboxRow, RowBody};
use tertulia_message::{Level, Signal};
use tertulia_ports::TurnQuery;

use super::{Call, NOT_YOURS, Refusal};
use crate::backing::patiently;
use crate::hub::Shared;
use crate::session_task::show;

/// How long the platform may take to show it: the presser waits for a few seconds at most.
const DEADLINE: Duration = Duration::from_secs(5);
/// The most characters that platforms show.
const MOST: usize = 200;

/// True for a command that a button gave.
pub(crate) fn is_pressed(body: &RowBody) -> bool {
    matches!(body, RowBody::Command { button: Some(_), .. })
}

/// The turn below whose answer the button stood that gave the command; none if it was typed.
pub(super) fn button(row: &InboxRow) -> Option<InboxId> {
    match row.body {
        RowBody::Command { button, .. } => button,
        RowBody::Message(_) | RowBody::Request(_) => None,
    }
}

/// Refuses what is pressed by somebody else than whoever asked, or an admin, and what is pressed elsewhere. Nothing that the
/// button says is believed; false if it names no turn.
pub(super) async fn is_bound(call: &Call<'_>, turn: InboxId) -> Result<bool, Refusal> {
    let query = TurnQuery::Of(turn);
    let asked = patiently(|| call.shared.store.turn(&query)).await?;
    let Some(asked) = asked.and_then(|asked| asked.rows.into_iter().next()) else {
        return Ok(false);
    };
    let may = asked.person == call.row.person || call.standing().level >= Level::Admin;
    if asked.conversation != call.row.conversation || !may {
        return Err(Refusal::Said(NOT_YOURS.to_owned()));
    }
    Ok(true)
}

/// Tells whoever pressed a button what became of it; best effort, and nothing where the command was typed.
pub(super) async fn tell(shared: &Shared, row: &InboxRow, text: &str) {
    if button(row).is_none() {
        return;
    }
    let Some(interface) = shared.interface(row.path.interface()) else {
        return;
    };
    let signal = Signal::Pressed(shown(text));
    show(&*interface, &row.path, &row.ext_id, signal, DEADLINE).await;
}

/// What is said in Markdown, as few plain characters.
fn shown(text: &str) -> String {
    let plain = markdown::parse(text).plain();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST {
        return line;
    }
    line.chars().take(MOST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_plain_and_short() {
        assert_eq!(shown(""), "");
        assert_eq!(shown("I do **not**\n\nknow `/x`."), "I do not know /x.");
        let long = shown(&"é ".repeat(300));
        assert_eq!(long.chars().count(), MOST);
        assert!(long.ends_with('…'));
    }
}
