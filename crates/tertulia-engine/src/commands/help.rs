//! `/help`: what the asker can do here.

use tertulia_core::commands::{COMMANDS, find, usage};
use tertulia_message::command::{CommandPlace, CommandSpec};
use tertulia_message::{Level, Reach};

use super::{Call, Done, Refusal};

/// What works only where the bot is spoken to alone, and what nobody needs once there is an admin.
const CLAIM: &str = "claim";

pub(super) async fn run(call: &Call<'_>) -> Done {
    let level = call.standing().level;
    if !call.arguments.is_empty() {
        let name = call.arguments.trim_start_matches('/').to_lowercase();
        let command = find(&name).filter(|command| command.level <= level);
        return command.map(|command| usage(command).into()).ok_or(Refusal::Usage);
    }
    let can_claim = can_claim(call);
    let known: Vec<&CommandSpec> = COMMANDS
        .iter()
        .filter(|command| command.level <= level && (can_claim || command.name != CLAIM))
        .collect();
    Ok(listed(&known, call.direct).into())
}

/// True where a code could make somebody the first admin: those at an HTTP door are nobody in particular.
fn can_claim(call: &Call<'_>) -> bool {
    let door = call.shared.interface(call.row.path.interface());
    let is_chat = door.is_some_and(|door| door.limits(&call.row.path).reach == Reach::Always);
    call.direct && is_chat && !call.access(|access| access.has_admin(call.wall()))
}

/// The commands by level; in a group those that work elsewhere are marked.
fn listed(known: &[&CommandSpec], direct: bool) -> String {
    let groups: [(&str, &[Level]); 3] = [
        ("Write to me, and I answer. Commands:", &[Level::Guest, Level::User]),
        ("For trusted people:", &[Level::Trusted]),
        ("For admins:", &[Level::Admin]),
    ];
    let lines = |levels: &[Level]| {
        let of_level = known.iter().filter(|command| levels.contains(&command.level));
        of_level.map(|command| line(command, direct)).collect::<Vec<_>>()
    };
    let shown: Vec<String> = groups
        .into_iter()
        .map(|(title, levels)| (title, lines(levels)))
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(title, lines)| format!("{title}\n\n{}", lines.join("\n")))
        .collect();
    shown.join("\n\n")
}

fn line(command: &CommandSpec, direct: bool) -> String {
    let elsewhere = !direct && command.place == CommandPlace::Direct;
    let mark = if elsewhere { " (in a direct message)" } else { "" };
    format!("- {}{mark}", usage(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_by_level_with_where_they_work() {
        let all: Vec<&CommandSpec> = COMMANDS.iter().collect();
        let in_group = listed(&all, false);
        assert!(in_group.contains("For admins:"), "{in_group}");
        assert!(!in_group.contains("For trusted people:"), "{in_group}");
        assert!(
            in_group
                .lines()
                .any(|line| line.starts_with("- /chats") && line.ends_with("(in a direct message)"))
        );
        assert!(!listed(&all, true).contains("(in a direct message)"));
    }
}
