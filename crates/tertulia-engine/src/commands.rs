//! Doing commands: one file each, beside the table in the core.

mod help;
mod path;
mod whoami;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::json;
use tertulia_core::commands::{find, usage};
use tertulia_core::fault::Fault;
use tertulia_core::record::{InboxRow, RowBody};
use tertulia_core::reply;
use tertulia_core::transaction::Transaction;
use tertulia_message::dsl::{Message, Metadata};
use tertulia_message::{Ending, Finish, Level, Reach, Signal, SlotKind, Spent};

use crate::backing;
use crate::hub::Shared;

/// What the sender of too many messages reads, once.
pub(crate) const TOO_FAST: &str = "That is more than I can take in at once. Please wait for the answers, then go on.";

/// A command with whom and where it was given.
pub(crate) struct Call<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) row: &'a InboxRow,
    pub(crate) level: Level,
    #[expect(dead_code, reason = "the commands that exist take no arguments")]
    pub(crate) arguments: &'a str,
}

/// Does an accepted command and answers where it was given.
pub(crate) async fn run(shared: &Arc<Shared>, row: InboxRow) {
    let Some(interface) = shared.interface(row.path.interface()) else {
        return;
    };
    let limits = interface.limits(&row.path);
    let text = catch_unwind(AssertUnwindSafe(|| answer(shared, &row))).unwrap_or_else(|_| {
        tracing::error!(path = %row.path, "a command panicked");
        Fault::Internal.public().to_string()
    });
    tracing::info!(path = %row.path, id = row.ext_id, "a command is done");
    let slots = if limits.reach == Reach::Always {
        reply::slots(&row, SlotKind::Command, &text, limits, shared.clock.now().wall)
    } else {
        Vec::new()
    };
    let transaction = Transaction::Reply {
        trigger: row.id,
        slots: slots.clone(),
    };
    if let Err(error) = backing::commit(&shared.store, transaction).await {
        tracing::error!(path = %row.path, %error, "a command's reply could not be stored");
        shared.failed(error).await;
        return;
    }
    for slot in slots {
        shared.to_courier(slot, limits).await;
    }
    if limits.reach == Reach::WhileConnected {
        let said = Message {
            id: format!("{}.1", row.id.0),
            done: true,
            ..Message::text(text)
        };
        let begin = Message::event("stream_start", "", json!({}));
        let end = Message::event("stream_end", "", json!({}));
        for (sequence, message) in (1..).zip([begin, said, end]) {
            let metadata = Metadata {
                timestamp: shared.clock.now().wall.saturating_mul(1_000_000),
                sequence,
                trace_id: row.ext_id.clone(),
            };
            let message = Message {
                metadata: Some(metadata),
                ..message
            };
            interface.signal(&row.path, &row.ext_id, Signal::Emit(message)).await;
        }
        let ending = Ending {
            finish: Finish::Stop,
            spent: Spent::default(),
        };
        interface.signal(&row.path, &row.ext_id, Signal::Close(ending)).await;
    }
}

/// A notice beside any turn, in answer to a row.
pub(crate) async fn notice(shared: &Shared, row: &InboxRow, text: &str) {
    let Some(interface) = shared.interface(row.path.interface()) else {
        return;
    };
    let limits = interface.limits(&row.path);
    if limits.reach == Reach::WhileConnected {
        return;
    }
    let slots = reply::slots(row, SlotKind::Notice, text, limits, shared.clock.now().wall);
    if let Err(error) = backing::commit(&shared.store, Transaction::Notice { slots: slots.clone() }).await {
        tracing::error!(path = %row.path, %error, "a notice could not be stored");
        shared.failed(error).await;
        return;
    }
    for slot in slots {
        shared.to_courier(slot, limits).await;
    }
}

fn answer(shared: &Shared, row: &InboxRow) -> String {
    let RowBody::Command { name, arguments } = &row.body else {
        return String::new();
    };
    let level = shared.settings.access.level(&row.person, &row.path);
    let Some(command) = find(name).filter(|command| command.level <= level) else {
        return format!("I do not know /{name}. /help shows what I know.");
    };
    if command.arguments.is_empty() && !arguments.is_empty() {
        return format!("Usage: {}", usage(command));
    }
    let call = Call {
        shared,
        row,
        level,
        arguments,
    };
    match command.name {
        "help" => help::run(&call),
        "path" => path::run(&call),
        "whoami" => whoami::run(&call),
        name => format!("/{name} is not available here."),
    }
}
