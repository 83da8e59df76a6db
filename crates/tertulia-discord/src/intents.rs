//! What the bot asks the gateway to send: as little as the configuration allows, and why.

use crate::config::{Config, Hears};

/// One kind of events that the gateway sends only to those who ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intent {
    /// Discord's name for it.
    pub name: &'static str,
    /// Its bit.
    pub bit: u64,
    /// What it is needed for.
    pub reason: &'static str,
    /// True if somebody has to switch it on in the developer portal; without that the gateway closes with 4014.
    pub is_privileged: bool,
}

/// Where servers, channels, threads and roles are.
const GUILDS: Intent = Intent {
    name: "GUILDS",
    bit: 1,
    reason: "to know channels, threads and the bot's role",
    is_privileged: false,
};

const GUILD_MESSAGES: Intent = Intent {
    name: "GUILD_MESSAGES",
    bit: 1 << 9,
    reason: "to hear in servers",
    is_privileged: false,
};

const DIRECT_MESSAGES: Intent = Intent {
    name: "DIRECT_MESSAGES",
    bit: 1 << 12,
    reason: "to hear in direct conversations",
    is_privileged: false,
};

const MESSAGE_CONTENT: Intent = Intent {
    name: "MESSAGE_CONTENT",
    bit: 1 << 15,
    reason: "to read what is not said to the bot, since it is configured to hear everything somewhere",
    is_privileged: true,
};

/// What the configuration needs.
#[must_use]
pub fn intents(config: &Config) -> Vec<Intent> {
    let mut needed = vec![GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES];
    if config.hears == Hears::Everything || !config.always_on.is_empty() {
        needed.push(MESSAGE_CONTENT);
    }
    needed
}

/// The number that the gateway is told.
#[must_use]
pub fn bits(intents: &[Intent]) -> u64 {
    intents.iter().fold(0, |bits, intent| bits | intent.bit)
}

#[cfg(test)]
mod tests {
    use tertulia_message::Secret;

    use super::*;

    #[test]
    fn only_a_bot_that_hears_everything_somewhere_needs_a_privilege() {
        let mut config = Config::official(Secret::new("a.b.c"));
        let has_privileged = |config: &Config| intents(config).iter().any(|intent| intent.is_privileged);
        assert_eq!(bits(&intents(&config)), 4609);
        assert!(!has_privileged(&config));
        config.always_on = vec![crate::always_on("1").unwrap()];
        assert_eq!(bits(&intents(&config)), 37377);
        config.always_on.clear();
        config.hears = Hears::Everything;
        assert!(has_privileged(&config));
    }
}
