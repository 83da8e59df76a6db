//! `/at`: a command about another conversation, answered here.

use tertulia_core::commands::find;
use tertulia_ports::ConversationQuery;

use super::show::code;
use super::{Answer, Call, Done, Refusal, Then, words};
use crate::backing::patiently;

/// Commands that are about no conversation, or about the one in which they are given.
const SENSELESS: [&str; 11] = [
    "at",
    "help",
    "start",
    "whoami",
    "claim",
    "retry",
    "say",
    "chats",
    "usage",
    "deadletters",
    "reload",
];

pub(super) async fn run(call: &Call<'_>) -> Done {
    let (path, command) = words::first(call.arguments);
    let (name, arguments) = words::first(command);
    let name = name.strip_prefix('/').unwrap_or(name).to_lowercase();
    if name.is_empty() {
        return Err(Refusal::Usage);
    }
    let path = call.read_path(path)?;
    let Some(command) = find(&name) else {
        return Err(Call::unknown_name(&name));
    };
    if command.name == "retry" {
        let text = "What is answered again is answered where it was asked, so /retry has to be given there.";
        return Err(Refusal::Said(text.to_owned()));
    }
    if SENSELESS.contains(&command.name) {
        let text = format!("/{} is not about a conversation: give it by itself.", command.name);
        return Err(Refusal::Said(text));
    }
    let query = if path.parent().is_some() {
        ConversationQuery::At(path.clone())
    } else {
        ConversationQuery::Chat(path.clone())
    };
    if patiently(|| call.shared.store.conversations(&query)).await?.is_empty() {
        let text = format!("Nobody has ever spoken to me in {}.", code(path.as_str(), 512));
        return Err(Refusal::Said(text));
    }
    Ok(Answer {
        then: Then::Instead {
            path,
            name: command.name,
            arguments: arguments.to_owned(),
        },
        ..Answer::default()
    })
}
