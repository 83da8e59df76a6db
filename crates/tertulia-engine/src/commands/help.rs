//! `/help`: what the asker can do here.

use tertulia_core::commands::{COMMANDS, find, usage};

use super::{Call, Done, Refusal};

pub(super) async fn run(call: &Call<'_>) -> Done {
    let level = call.standing().level;
    if !call.arguments.is_empty() {
        let name = call.arguments.trim_start_matches('/').to_lowercase();
        let command = find(&name).filter(|command| command.level <= level);
        return command.map(|command| usage(command).into()).ok_or(Refusal::Usage);
    }
    let lines = COMMANDS.iter().filter(|command| command.level <= level);
    let lines: Vec<String> = lines.map(|command| format!("- {}", usage(command))).collect();
    Ok(format!("Write to me, and I answer. Commands:\n\n{}", lines.join("\n")).into())
}
