//! The long poll: what it gets is on disk before the next call confirms it.

mod absence;
mod counts;
mod errands;
mod intake;
mod line;

use std::convert::Infallible;
use std::time::Duration;

use serde_json::{Value, json};
use tertulia_interface::{Inlet, ListenError};
use tokio::sync::{Mutex, mpsc};

use crate::error::CallError;
use crate::menu;
use crate::telegram::Telegram;
use errands::Errand;
use intake::Intake;
use line::Line;
use tertulia_interface::backoff::Backoff;

/// Errands that wait; more are dropped.
const ERRANDS: usize = 256;
/// The longest pause between tries of what nobody waits for.
const LAZY: Duration = Duration::from_mins(10);

/// Runs until Telegram refuses us; whoever drops it stops it.
pub(crate) async fn listen(telegram: &Telegram, inlet: &Inlet) -> ListenError {
    let mut line = Line::new(&telegram.name, inlet);
    let me = match line.call(|| telegram.me()).await {
        Ok(me) => me,
        Err(refused) => return refused,
    };
    tracing::info!(interface = telegram.name, bot = me.username, "Telegram is reached");
    if !me.can_read_all_group_messages && !telegram.config.always_on.is_empty() {
        tracing::warn!(
            interface = telegram.name,
            "always_on has no effect in groups where the bot is no administrator: its privacy mode is on (see /setprivacy of @BotFather)"
        );
    }
    let knows_drafts = probe_drafts(telegram).await;
    let (errands, queue) = mpsc::channel(ERRANDS);
    let intake = Intake::begin(telegram, inlet, me, line, errands).await;
    tokio::select! {
        refused = intake.run() => refused,
        never = beside(telegram, inlet, queue, knows_drafts) => match never {},
    }
}

/// What the intake does not wait for.
async fn beside(telegram: &Telegram, inlet: &Inlet, queue: mpsc::Receiver<Errand>, knows_drafts: bool) -> Infallible {
    let queue = Mutex::new(queue);
    let work = || errands::work(telegram, inlet, &queue);
    let begin = async {
        menu::publish(telegram, inlet).await;
        if !knows_drafts {
            learn_drafts(telegram).await;
        }
    };
    // several at once: one that hangs until its deadline does not keep back the others
    tokio::join!(work(), work(), work(), begin);
    std::future::pending().await
}

async fn learn_drafts(telegram: &Telegram) {
    let mut backoff = Backoff::up_to(LAZY);
    loop {
        backoff.wait().await;
        if probe_drafts(telegram).await {
            return;
        }
    }
}

/// Asks for a draft of nothing: whoever knows the method misses its parameters. True if the answer tells.
async fn probe_drafts(telegram: &Telegram) -> bool {
    let asked: Result<Value, CallError> = telegram
        .api
        .call_by_name("sendMessageDraft", &json!({}), Duration::ZERO)
        .await;
    let has_drafts = match asked {
        Ok(_) | Err(CallError::Refused { code: 400, .. }) => true,
        Err(CallError::Refused { code: 404, description }) if !description.is_empty() => false,
        Err(_) => return false,
    };
    telegram.note_drafts(has_drafts);
    tracing::debug!(
        interface = telegram.name,
        has_drafts,
        "asked whether the server has drafts"
    );
    true
}
