//! `/say`: the bot says something in another conversation.

use tertulia_core::reply;
use tertulia_core::transaction::Change;
use tertulia_message::Reach;
use tertulia_message::path::InterfacePath;
use tertulia_ports::ConversationFacts;

use super::show::{code, is_bidi};
use super::{Answer, Call, Done, Refusal, words};

/// The longest text, in characters.
const LENGTH: usize = 10_000;

pub(super) async fn run(call: &Call<'_>) -> Done {
    let (path, text) = words::first(call.arguments);
    let text = speakable(text);
    let text = text.trim();
    if path.is_empty() || text.is_empty() {
        return Err(Refusal::Usage);
    }
    if text.chars().count() > LENGTH {
        return Err(Refusal::Said(format!("I can say at most {LENGTH} characters at once.")));
    }
    let path = call.read_path(path)?;
    let limits = call
        .shared
        .interface(path.interface())
        .map(|interface| interface.limits(&path))
        .filter(|limits| limits.reach == Reach::Always)
        .ok_or_else(|| {
            let shown = code(path.as_str(), 512);
            Refusal::Said(format!("{shown} can be answered, but not written to by myself."))
        })?;
    let there = reachable(call, &path).await?;
    let wall = call.wall();
    let place = reply::Place {
        account: there.account,
        conversation: there.id,
        path: there.path,
        limits,
    };
    let slots = reply::say(call.row, &place, text, wall);
    let said = Change::Said {
        conversation: there.id,
        text: text.to_owned(),
        now: wall,
    };
    Ok(Answer {
        changes: vec![said],
        slots,
        ..Answer::from(format!("I say it in {}.", code(place.path.as_str(), 512)))
    })
}

/// The text without what no platform shows: it could hide what stands beside it.
fn speakable(text: &str) -> String {
    let is_plain = |letter: &char| matches!(letter, '\n' | '\t') || !(letter.is_control() || is_bidi(*letter));
    text.chars().filter(is_plain).collect()
}

async fn reachable(call: &Call<'_>, path: &InterfacePath) -> Result<ConversationFacts, Refusal> {
    let shown = code(path.as_str(), 512);
    let known = call.conversation_at(path).await?.ok_or_else(|| {
        Refusal::Said(format!(
            "Nobody has ever spoken to me in {shown}, so I cannot write there."
        ))
    })?;
    if known.account.identity.is_empty() {
        let text = format!("{shown} is known from an older bot only: somebody has to speak to me there first.");
        return Err(Refusal::Said(text));
    }
    match &known.blocked {
        None => Ok(known),
        Some(why) => Err(Refusal::Said(format!(
            "I cannot write in {shown} until something comes from there: {}.",
            code(why, 200)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_can_be_seen() {
        assert_eq!(speakable("a\tb\n**c** 👩\u{200d}💻"), "a\tb\n**c** 👩\u{200d}💻");
        assert_eq!(speakable("\u{202e}a\u{7}\u{1b}[2J\r\nb\u{2066}"), "a[2J\nb");
    }
}
