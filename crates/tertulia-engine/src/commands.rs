//! Doing commands: one file each, beside the table in the core.
#![expect(clippy::unused_async, reason = "all are called in one way, and some need not wait")]

mod call;
mod halt;
mod permit;
mod setting;
mod show;
mod when;
mod words;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use serde_json::json;
use tertulia_core::commands::{find, usage};
use tertulia_core::fault::Fault;
use tertulia_core::record::{InboxRow, RowBody, Slot};
use tertulia_core::reply;
use tertulia_core::transaction::{DropReason, Transaction};
use tertulia_interface::Interface;
use tertulia_message::command::CommandPlace;
use tertulia_message::dsl::{Message, Metadata};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Ending, Finish, Limits, Reach, Signal, SlotKind, Spent};

use crate::backing;
use crate::hub::{Ask, Shared};
pub(crate) use call::{Answer, Call, Done, Refusal, Then};

/// What the sender of too many messages reads, once.
pub(crate) const TOO_FAST: &str = "That is more than I can take in at once. Please wait for the answers, then go on.";

/// A module for every command of the table, and the way into it.
macro_rules! doers {
    ($($name:ident($level:expr, $place:expr, $arguments:literal, $help:literal);)*) => {
        $(mod $name;)*

        /// Does the command of this name.
        async fn dispatch(name: &str, call: &Call<'_>) -> Done {
            match name {
                $(stringify!($name) => $name::run(call).await,)*
                _ => Err(call.unknown()),
            }
        }
    };
}
tertulia_core::every_command!(doers);

/// Does an accepted command and answers where it was given.
pub(crate) async fn run(shared: &Arc<Shared>, row: InboxRow) {
    let Some(interface) = shared.interface(row.path.interface()) else {
        return;
    };
    let limits = interface.limits(&row.path);
    let Some(answer) = answer(shared, &row).await else {
        return;
    };
    tracing::info!(path = %row.path, id = row.ext_id, "a command is done");
    if let Then::AnswerAgain { body, supersedes } = answer.then {
        again(
            shared,
            &row,
            Transaction::Retry {
                trigger: row.id,
                body,
                supersedes,
            },
        )
        .await;
        return;
    }
    let wall = shared.clock.now().wall;
    let mut slots = answer.slots;
    if limits.reach == Reach::Always && !answer.text.is_empty() {
        slots.extend(reply::slots(&row, SlotKind::Command, &answer.text, limits, wall));
    }
    let transaction = Transaction::Reply {
        trigger: row.id,
        slots: slots.clone(),
        changes: answer.changes.clone(),
    };
    if !commit(shared, &row, transaction).await {
        give_up(shared, &row).await;
        return;
    }
    shared.governed.apply(&answer.changes);
    drop(answer.alone);
    slots.extend(answer.rewished);
    for slot in slots {
        hand_over(shared, slot).await;
    }
    if limits.reach == Reach::WhileConnected {
        tell_reader(shared, &*interface, &row, answer.text, answer.refused).await;
    }
    let (conversation, path) = (row.conversation, row.path);
    // what was said after it has waited for it
    shared.ask(Ask::Nudge(conversation, path, None)).await;
}

/// What the store refuses it would refuse again: the row goes, since what was said after it waits for it.
async fn give_up(shared: &Shared, row: &InboxRow) {
    let drop = Transaction::Drop {
        rows: vec![row.id],
        why: DropReason::Ignored,
    };
    if commit(shared, row, drop).await {
        shared.close_broken(&row.path, &row.ext_id).await;
        shared.ask(Ask::Nudge(row.conversation, row.path.clone(), None)).await;
    }
}

async fn commit(shared: &Shared, row: &InboxRow, transaction: Transaction) -> bool {
    match backing::commit(&shared.store, transaction).await {
        Ok(()) => true,
        Err(error) => {
            tracing::error!(path = %row.path, %error, "what a command does could not be stored");
            shared.failed(error).await;
            false
        }
    }
}

/// The row is a message now, and waits as every other one; the reader of a door waits on.
async fn again(shared: &Shared, row: &InboxRow, transaction: Transaction) {
    if commit(shared, row, transaction).await {
        let request = Some(row.ext_id.clone());
        shared
            .ask(Ask::Nudge(row.conversation, row.path.clone(), request))
            .await;
    } else {
        give_up(shared, row).await;
    }
}

async fn hand_over(shared: &Shared, slot: Slot) {
    if let Some(interface) = shared.interface(slot.path.interface()) {
        let limits = interface.limits(&slot.path);
        shared.to_courier(slot, limits).await;
    }
}

/// A reader that is a program is told by the end whether the command was refused; the text says it to people.
async fn tell_reader(shared: &Shared, interface: &dyn Interface, row: &InboxRow, text: String, refused: bool) {
    let said = Message {
        id: format!("{}.1", row.id.0),
        done: true,
        ..Message::text(text)
    };
    let begin = Message::event("stream_start", "", json!({}));
    let data = if refused { json!({"refused": true}) } else { json!({}) };
    let end = Message::event("stream_end", "", data);
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

/// A notice beside any turn, in answer to a row.
pub(crate) async fn notice(shared: &Shared, row: &InboxRow, text: &str) {
    let Some(limits) = limits(shared, &row.path).filter(|limits| limits.reach == Reach::Always) else {
        return;
    };
    let slots = reply::slots(row, SlotKind::Notice, text, limits, shared.clock.now().wall);
    if commit(shared, row, Transaction::Notice { slots: slots.clone() }).await {
        for slot in slots {
            shared.to_courier(slot, limits).await;
        }
    }
}

fn limits(shared: &Shared, path: &InterfacePath) -> Option<Limits> {
    shared
        .interface(path.interface())
        .map(|interface| interface.limits(path))
}

/// What a command answers; none if it is left for the next start.
async fn answer(shared: &Arc<Shared>, row: &InboxRow) -> Option<Answer> {
    let RowBody::Command {
        name,
        arguments,
        direct,
    } = &row.body
    else {
        return Some(Answer::default());
    };
    let given = Call {
        shared,
        row,
        name,
        arguments,
        direct: *direct,
        path: row.path.clone(),
    };
    match attempt(&given).await {
        Ok(Answer {
            then: Then::Instead { path, name, arguments },
            ..
        }) => {
            let instead = Call {
                name,
                arguments: &arguments,
                path,
                ..given
            };
            match attempt(&instead).await {
                Ok(answer) => Some(answer),
                Err(refusal) => refused(&instead, refusal).await,
            }
        }
        Ok(answer) => Some(answer),
        Err(refusal) => refused(&given, refusal).await,
    }
}

/// Does a command; a panic is one more way to fail.
async fn attempt(call: &Call<'_>) -> Done {
    let done = AssertUnwindSafe(call.run()).catch_unwind().await;
    done.unwrap_or_else(|_| {
        tracing::error!(path = %call.row.path, name = call.name, "a command panicked");
        Err(Refusal::Said(Fault::Internal.public().to_string()))
    })
}

async fn refused(call: &Call<'_>, refusal: Refusal) -> Option<Answer> {
    let text = match refusal {
        Refusal::Left => return None,
        Refusal::Usage => find(call.name)
            .map(|command| format!("Usage: {}", usage(command)))
            .unwrap_or_default(),
        Refusal::Said(text) => text,
        Refusal::Store(error) => {
            tracing::error!(path = %call.row.path, name = call.name, %error, "a command could not read the store");
            call.shared.failed(error).await;
            Fault::Internal.public().to_string()
        }
    };
    Some(Answer {
        refused: true,
        ..Answer::from(text)
    })
}

impl Call<'_> {
    /// Does the command if its giver may, here.
    async fn run(&self) -> Done {
        let Some(command) = find(self.name).filter(|command| command.level <= self.standing().level) else {
            return Err(self.unknown());
        };
        if command.place == CommandPlace::Direct && !self.direct {
            return Err(Refusal::Said(format!(
                "/{} is answered in a direct message only.",
                command.name
            )));
        }
        if command.arguments.is_empty() && !self.arguments.is_empty() {
            return Err(Refusal::Usage);
        }
        dispatch(command.name, self).await
    }
}
