//! `/whoami`: who the asker is to the bot, and why.

use tertulia_core::access::{Because, Permit};

use super::show::code;
use super::{Call, Done, when};

pub(super) async fn run(call: &Call<'_>) -> Done {
    let standing = call.standing();
    let now = call.wall();
    let given = |permit: &Permit| {
        let by = code(&permit.set_by, 100);
        let end = permit.expires_at.map_or_else(String::new, |end| {
            format!(", for another {}", when::length(end.saturating_sub(now)))
        });
        format!("given by {by} {}{end}", when::ago(now, permit.set_at))
    };
    let why = match &standing.because {
        Because::Configured => "the configuration names you".to_owned(),
        Because::Given(permit) => given(permit),
        Because::Place(path, None) => format!("everybody in {} has it", code(path.as_str(), 512)),
        Because::Place(path, Some(permit)) => {
            format!("everybody in {} has it, {}", code(path.as_str(), 512), given(permit))
        }
        Because::Interface => format!("everybody on {} has it", code(call.row.path.interface(), 64)),
        Because::Nothing => "nothing gives you another".to_owned(),
    };
    let person = code(&call.row.person.to_string(), 512);
    let level = standing.level.as_str();
    Ok(format!("You are {person}, with the level {level}: {why}.").into())
}
