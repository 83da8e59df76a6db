//! Doing commands: one file each, beside the table in the core.
#![expect(clippy::unused_async, reason = "all are called in one way, and some need not wait")]

mod call;
mod halt;
mod permit;
mod press;
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
use tertulia_message::command::CommandPlace;
use tertulia_message::dsl::{Message, Metadata};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Ending, Finish, Limits, Reach, Signal, SlotKind, Spent};

use crate::backing;
use crate::hub::{Ask, Shared};
use crate::session_task::{DOOR_DEADLINE, show};
pub(crate) use call::{Answer, Call, Done, Refusal, Then};
pub(crate) use press::is_pressed;
pub(crate) use show::is_bidi;

/// What the sender of too many messages reads, once.
pub(crate) const TOO_FAST: &str = "That is more than I can take in at once. Please wait for the answers, then go on.";

/// What somebody reads who presses a button that is another one's.
pub(crate) const NOT_YOURS: &str = "This button is for whoever asked.";

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

/// What became of a command on disk.
enum Stored {
    /// It is done.
    Done {
        text: String,
        refused: bool,
        /// All that the courier has to hear of.
        slots: Vec<Slot>,
    },
    /// Its row is a message now, and waits as every other one; the reader of a door waits on.
    Again,
    /// It is left for the next start.
    Left,
    /// The store refuses it, and would refuse it again.
    Refused,
}

/// Does an accepted command and answers where it was given. However it ends: what was said after it has waited for it.
pub(crate) async fn run(shared: &Arc<Shared>, row: InboxRow) {
    let stored = unpanicked(&row, store(shared, &row)).await;
    let nudge = |request| Ask::Nudge(row.conversation, row.path.clone(), request);
    match stored.unwrap_or(Stored::Refused) {
        Stored::Left => {}
        Stored::Again => {
            shared.ask(nudge(Some(row.ext_id.clone()))).await;
            unpanicked(&row, press::tell(shared, &row, "")).await;
        }
        Stored::Refused => {
            give_up(shared, &row).await;
            shared.ask(nudge(None)).await;
        }
        Stored::Done { text, refused, slots } => {
            tracing::info!(path = %row.path, id = row.ext_id, "a command is done");
            unpanicked(&row, hand_over(shared, slots)).await;
            shared.ask(nudge(None)).await;
            unpanicked(&row, press::tell(shared, &row, &text)).await;
            unpanicked(&row, tell_reader(shared, &row, text, refused)).await;
        }
    }
}

/// What a step gives; none if it panics.
async fn unpanicked<T>(row: &InboxRow, step: impl Future<Output = T>) -> Option<T> {
    let done = AssertUnwindSafe(step).catch_unwind().await;
    if done.is_err() {
        tracing::error!(path = %row.path, id = row.ext_id, "what was to be done for a command panicked");
    }
    done.ok()
}

/// Does it as far as the disk; what it changes holds from then on.
async fn store(shared: &Arc<Shared>, row: &InboxRow) -> Stored {
    let Some(limits) = limits(shared, &row.path) else {
        return Stored::Left;
    };
    let Some(answer) = answer(shared, row).await else {
        return Stored::Left;
    };
    let trigger = row.id;
    if let Then::AnswerAgain { body, supersedes } = answer.then {
        let retry = Transaction::Retry {
            trigger,
            body,
            supersedes,
        };
        return if commit(shared, row, retry).await {
            Stored::Again
        } else {
            Stored::Refused
        };
    }
    let mut slots = answer.slots;
    if limits.reach == Reach::Always && !answer.text.is_empty() && press::button(row).is_none() {
        let wall = shared.clock.now().wall;
        slots.extend(reply::slots(row, SlotKind::Command, &answer.text, limits, wall));
    }
    let transaction = Transaction::Reply {
        trigger,
        slots: slots.clone(),
        changes: answer.changes.clone(),
    };
    if !commit(shared, row, transaction).await {
        return Stored::Refused;
    }
    shared.governed.apply(&answer.changes);
    drop(answer.alone);
    slots.extend(answer.rewished);
    Stored::Done {
        text: answer.text,
        refused: answer.refused,
        slots,
    }
}

/// What was refused, or panicked, would be so again: whoever gave it is told, or the row goes without a word.
async fn give_up(shared: &Shared, row: &InboxRow) {
    if unpanicked(row, tell_failed(shared, row)).await != Some(true) {
        let drop = Transaction::Drop {
            rows: vec![row.id],
            why: DropReason::Ignored,
        };
        commit(shared, row, drop).await;
    }
    shared.close_broken(&row.path, &row.ext_id).await;
}

/// True if the row is done with a word about its failure.
async fn tell_failed(shared: &Shared, row: &InboxRow) -> bool {
    let fault = Fault::Internal.public();
    let limits = limits(shared, &row.path).filter(|limits| limits.reach == Reach::Always);
    let wall = shared.clock.now().wall;
    let slots = limits
        .filter(|_| press::button(row).is_none())
        .map_or_else(Vec::new, |limits| {
            reply::slots(row, SlotKind::Command, fault.as_str(), limits, wall)
        });
    let told = Transaction::Reply {
        trigger: row.id,
        slots: slots.clone(),
        changes: Vec::new(),
    };
    let is_stored = commit(shared, row, told).await;
    if is_stored {
        hand_over(shared, slots).await;
        press::tell(shared, row, fault.as_str()).await;
    }
    is_stored
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

async fn hand_over(shared: &Shared, slots: Vec<Slot>) {
    for slot in slots {
        if let Some(limits) = limits(shared, &slot.path) {
            shared.to_courier(slot, limits).await;
        }
    }
}

/// A reader that is a program is told by the end whether the command was refused; the text says it to people. One that does
/// not listen holds nobody.
async fn tell_reader(shared: &Shared, row: &InboxRow, text: String, refused: bool) {
    let door = shared.interface(row.path.interface());
    let Some(door) = door.filter(|door| door.limits(&row.path).reach == Reach::WhileConnected) else {
        return;
    };
    for signal in signals(shared, row, text, refused) {
        if !show(&*door, &row.path, &row.ext_id, signal, DOOR_DEADLINE).await {
            return;
        }
    }
}

fn signals(shared: &Shared, row: &InboxRow, text: String, refused: bool) -> Vec<Signal> {
    let said = Message {
        id: format!("{}.1", row.id.0),
        done: true,
        ..Message::text(text)
    };
    let begin = Message::event("stream_start", "", json!({}));
    let data = if refused { json!({"refused": true}) } else { json!({}) };
    let end = Message::event("stream_end", "", data);
    let emit = |(sequence, message)| {
        let metadata = Metadata {
            timestamp: shared.clock.now().wall.saturating_mul(1_000_000),
            sequence,
            trace_id: row.ext_id.clone(),
        };
        Signal::Emit(Message {
            metadata: Some(metadata),
            ..message
        })
    };
    let close = Signal::Close(Ending {
        finish: Finish::Stop,
        spent: Spent::default(),
    });
    let messages = (1..).zip([begin, said, end]).map(emit);
    messages.chain([close]).collect()
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
        ..
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
