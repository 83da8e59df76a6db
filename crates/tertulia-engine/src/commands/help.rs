//! `/help`: what the asker can do here.

use tertulia_core::commands::{COMMANDS, usage};

use super::Call;

pub(super) fn run(call: &Call<'_>) -> String {
    let lines = COMMANDS
        .iter()
        .filter(|command| command.level <= call.level)
        .map(|command| format!("- {}", usage(command)));
    let lines: Vec<String> = lines.collect();
    format!("Write to me, and I answer. Commands:\n\n{}", lines.join("\n"))
}
