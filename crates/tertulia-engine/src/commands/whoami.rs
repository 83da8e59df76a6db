//! `/whoami`: who the asker is to the bot, and why.

use tertulia_core::access::{Because, Permit};
use tertulia_message::Level;

use super::permit::given;
use super::show::code;
use super::{Call, Done, when};

pub(super) async fn run(call: &Call<'_>) -> Done {
    let standing = call.standing();
    let now = call.wall();
    let person = call.row.person.to_string();
    let why = match &standing.because {
        Because::Configured => "the configuration names you".to_owned(),
        Because::Given(permit) if is_claim(permit, &person) => {
            format!("with the claim code, {}", when::ago(now, permit.set_at))
        }
        Because::Given(permit) => given(permit, now),
        Because::Place(path, None) => format!("everybody in {} has it", code(path.as_str(), 512)),
        Because::Place(path, Some(permit)) => {
            format!(
                "everybody in {} has it, {}",
                code(path.as_str(), 512),
                given(permit, now)
            )
        }
        Because::Interface => format!("everybody on {} has it", code(call.row.path.interface(), 64)),
        Because::Nothing => "nothing gives you another".to_owned(),
    };
    let person = code(&person, 512);
    let level = standing.level.as_str();
    Ok(format!("You are {person}, with the level {level}: {why}.").into())
}

/// True for what `/claim` gives: admin for good, by her own hand.
fn is_claim(permit: &Permit, person: &str) -> bool {
    permit.level == Level::Admin && permit.expires_at.is_none() && permit.set_by == person
}
