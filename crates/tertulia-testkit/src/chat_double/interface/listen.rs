//! Hands in what the double hands out, and confirms it only when it is on disk.

use std::time::Duration;

use tertulia_interface::{AcceptError, Batch, Inlet, Verdict};
use tertulia_message::{Inbound, Mark, What};

use super::DoubleInterface;
use super::inbound::inbound;
use crate::chat_double::calls::{NewPost, Spot};
use crate::chat_double::people::Update;
use crate::chat_double::place::Place;

/// The mark that holds the number of the last accepted update, in decimal.
const CURSOR: &str = "cursor";
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Runs for ever; whoever drops it stops it.
pub(super) async fn listen(interface: &DoubleInterface, inlet: Inlet) {
    let mut cursor = first_cursor(interface, &inlet).await;
    loop {
        let arrival = interface.double.arrivals().notified();
        tokio::pin!(arrival);
        arrival.as_mut().enable();
        // asking confirms everything up to the cursor, and the cursor moves only after `accept`
        let updates = interface
            .double
            .updates(interface.now(), cursor, interface.settings.batch);
        let Some(last) = updates.last() else {
            arrival.await;
            continue;
        };
        cursor = Some(last.id);
        hand_in(interface, &inlet, &updates, last.id).await;
    }
}

async fn first_cursor(interface: &DoubleInterface, inlet: &Inlet) -> Option<u64> {
    let marks = again(|| inlet.marks(&interface.account, CURSOR)).await;
    let mark = marks.into_iter().find(|mark| mark.key == CURSOR)?;
    String::from_utf8(mark.value?).ok()?.parse().ok()
}

async fn hand_in(interface: &DoubleInterface, inlet: &Inlet, updates: &[Update], cursor: u64) {
    let events: Vec<Inbound> = updates
        .iter()
        .filter_map(|update| inbound(&interface.account, &update.event).ok())
        .collect();
    let batch = Batch {
        account: interface.account.clone(),
        events,
        marks: vec![Mark {
            key: CURSOR.to_owned(),
            value: Some(cursor.to_string().into_bytes()),
        }],
        missed: false,
    };
    let verdicts = again(|| inlet.accept(batch.clone())).await;
    for (event, verdict) in batch.events.iter().zip(verdicts) {
        if let Verdict::Denied { say: Some(text) } = verdict {
            show_denial(interface, event, text);
        }
    }
}

/// Asks until it succeeds, with growing pauses.
async fn again<T, F: Future<Output = Result<T, AcceptError>>>(mut ask: impl FnMut() -> F) -> T {
    let mut pause = FIRST_PAUSE;
    loop {
        if let Ok(answer) = ask().await {
            return answer;
        }
        tokio::time::sleep(pause).await;
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// Tells a person that they may not, once; whether it arrives is of no consequence.
fn show_denial(interface: &DoubleInterface, event: &Inbound, text: String) {
    if matches!(event.what, What::Press { .. }) {
        return interface.double.answer_press(interface.now(), &event.id, &text);
    }
    let Ok(place) = Place::try_from(&event.path) else {
        return;
    };
    let denial = NewPost {
        spot: Spot::from(&place),
        text,
        formatted: false,
        buttons: Vec::new(),
        key: Some(format!("denied.{}", event.id)),
        in_reply_to: Some(event.id.clone()),
    };
    drop(interface.double.post(interface.now(), &denial));
}
