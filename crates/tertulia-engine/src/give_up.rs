//! Ends the turn whose session dies again and again: its failure is told, and the conversation goes on behind it.

use std::sync::Arc;

use tertulia_core::fault::Fault;
use tertulia_core::record::{ConversationId, InboxRow, Work};
use tertulia_core::transaction::{Begin, Outcome, Settle, Transaction};
use tertulia_message::path::InterfacePath;
use tertulia_ports::StoreError;

use crate::backing::{commit, patiently};
use crate::commands;
use crate::hub::{Ask, Shared};
use crate::session_task;

/// Ends the conversation's present turn as failed, then looks for the next one.
pub(crate) async fn run(shared: Arc<Shared>, conversation: ConversationId, path: InterfacePath) {
    if let Some(interface) = shared.interface(path.interface()) {
        session_task::clear(&*interface, &path).await;
    }
    match end_turn(&shared, conversation).await {
        Ok(Some(row)) => {
            if shared.requests.take(&row.ext_id).is_some() {
                shared.close_broken(&row.path, &row.ext_id).await;
            }
            shared.ask(Ask::Nudge(conversation, path, None)).await;
        }
        Ok(None) => {}
        Err(error) => {
            tracing::error!(%path, %error, "a turn could not be given up; it is tried again with the next message");
            shared.failed(error).await;
        }
    }
}

/// The notice comes first: when the turn is settled, nobody would make up for it.
async fn end_turn(shared: &Shared, conversation: ConversationId) -> Result<Option<InboxRow>, StoreError> {
    let Some(work) = patiently(|| shared.store.next_work(conversation, 0)).await? else {
        return Ok(None);
    };
    let Some(row) = work.rows.first().cloned() else {
        return Ok(None);
    };
    tracing::error!(path = %row.path, id = row.ext_id, "a message kills its session; it is given up");
    let attempt = work.unfinished.as_ref().map_or(1, |unfinished| unfinished.attempt);
    if work.unfinished.is_none() {
        commit(&shared.store, begin(shared, &row, &work)).await?;
    }
    commands::notice(shared, &row, Fault::Internal.public().as_str()).await;
    let settle = Settle {
        trigger: row.id,
        attempt,
        outcome: Outcome::Failed,
        live: false,
        entries: Vec::new(),
        usage: Vec::new(),
        slots: Vec::new(),
        now: shared.clock.now().wall,
    };
    commit(&shared.store, Transaction::Settle(Box::new(settle))).await?;
    Ok(Some(row))
}

fn begin(shared: &Shared, row: &InboxRow, work: &Work) -> Transaction {
    Transaction::Begin(Begin {
        trigger: row.id,
        rows: work.rows.iter().map(|row| row.id).collect(),
        conversation: row.conversation,
        epoch: work.epoch,
        boot: shared.boot.clone(),
        settings: shared.turn_settings(&shared.present(), &row.path, Some(work)),
        entries: Vec::new(),
        now: shared.clock.now().wall,
    })
}
