//! `/status`: what holds here, and where each of it comes from.

use tertulia_core::preferences::Key;
use tertulia_message::Level;
use tertulia_ports::ConversationFacts;

use super::setting::{held, stale};
use super::show::{code, count};
use super::{Call, Done, when};
use crate::listen::InterfaceState;

pub(super) async fn run(call: &Call<'_>) -> Done {
    let holding = call.shared.governed.resolve(&call.path, None);
    let mut settings: Vec<String> = Key::ALL
        .into_iter()
        .map(|key| held(key, &holding, &call.row.path))
        .collect();
    settings.extend(stale(&holding, &call.row.path));
    let conversation = call.conversation().await?;
    let mut parts = vec![
        bullets(settings),
        bullets(conversation.map_or_else(Vec::new, |known| facts(&known))),
    ];
    if call.direct && call.standing().level == Level::Admin {
        parts.push(bullets(interfaces(call)));
        parts.push(bullets(providers(call)));
    }
    let version = env!("CARGO_PKG_VERSION");
    let uptime = i64::try_from(call.shared.clock.now().mono.as_millis()).unwrap_or(i64::MAX);
    parts.push(format!("Tertulia {version}, up for {}.", when::length(uptime)));
    parts.retain(|part| !part.is_empty());
    Ok(parts.join("\n\n").into())
}

fn facts(known: &ConversationFacts) -> Vec<String> {
    let work = if known.running {
        "An answer is being written"
    } else {
        "No answer is being written"
    };
    let waiting = count(u64::from(known.waiting), "message waits", "messages wait");
    let entries = count(known.entries, "message is", "messages are");
    let mut facts = vec![
        format!("{work}; {waiting}"),
        format!("{entries} remembered since the last /new"),
    ];
    if let Some(why) = &known.blocked {
        facts.push(format!("I cannot write here at the moment: {}", code(why, 200)));
    }
    facts
}

fn interfaces(call: &Call<'_>) -> Vec<String> {
    let states = call.shared.listeners.states().into_iter();
    states
        .map(|(name, state)| {
            let state = match state {
                InterfaceState::Listening => "listens".to_owned(),
                InterfaceState::Trying(why) => format!("is tried again: {}", code(&why, 200)),
                InterfaceState::Down(why) => format!("is down until the next start: {}", code(&why, 200)),
            };
            format!("Interface {}: {state}", code(&name, 64))
        })
        .collect()
}

fn providers(call: &Call<'_>) -> Vec<String> {
    let present = call.shared.present();
    let all = present.live.providers.iter();
    all.map(|(name, part)| {
        let missing = part.provider.missing_setting();
        let missing = missing.map_or_else(String::new, |missing| format!("; {} is missing", code(missing, 64)));
        let description = code(&part.provider.describe(), 300);
        format!("Provider {}: {description}{missing}", code(name, 64))
    })
    .collect()
}

fn bullets(lines: Vec<String>) -> String {
    let lines: Vec<String> = lines.into_iter().map(|line| format!("- {line}")).collect();
    lines.join("\n")
}
