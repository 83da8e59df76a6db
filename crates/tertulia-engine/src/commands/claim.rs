//! `/claim`: whoever knows the code becomes the first admin. The gate has judged the code; only its verdict stands here.

use tertulia_core::access::{Permit, Subject};
use tertulia_core::authorize::RIGHT;
use tertulia_core::transaction::Change;
use tertulia_message::Level;

use super::show::{code, count};
use super::{Answer, Call, Done, Refusal, words};

/// What to do for a new code.
const ANEW: &str = "Run `tertulia claim` on my machine for a new code.";

pub(super) async fn run(call: &Call<'_>) -> Done {
    let alone = call.alone().await?;
    let is_governed = call.access(|access| access.has_admin(call.wall()));
    if is_governed {
        let text = "I have an admin already. Ask an admin to let you in with /allow.";
        return Err(Refusal::Said(text.to_owned()));
    }
    if call.arguments != RIGHT {
        return Err(Refusal::Said(wrong(call.arguments)));
    }
    let person = call.row.person.clone();
    let text = format!(
        "Welcome, {}. You are my admin from now on. /help shows what you can do; /allow lets others in.",
        code(&person.to_string(), 512)
    );
    let permit = Permit {
        level: Level::Admin,
        set_by: person.to_string(),
        set_at: call.wall(),
        expires_at: None,
    };
    let change = Change::Permit {
        subject: Subject::Person(person),
        permit: Some(permit),
    };
    Ok(Answer {
        changes: vec![change],
        alone: Some(alone),
        ..Answer::from(text)
    })
}

fn wrong(left: &str) -> String {
    match words::number(left) {
        None => format!("Send it with the code that my start has printed: `/claim XXXX-XXXX`. {ANEW}"),
        Some(0) => format!("That is not the code, and it can be guessed no more. {ANEW}"),
        Some(left) => format!(
            "That is not the code. {} left.",
            count(u64::from(left), "try is", "tries are")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_code_says_what_is_left() {
        assert_eq!(wrong("4"), "That is not the code. 4 tries are left.");
        assert_eq!(wrong("1"), "That is not the code. 1 try is left.");
        assert!(wrong("0").ends_with(ANEW));
        assert!(wrong("").starts_with("Send it with the code"));
    }
}
