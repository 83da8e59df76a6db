//! The address by which somebody brings the bot into their server, with the permissions that it needs and no others.

use crate::config::Config;
use crate::ids::Snowflake;

/// Something that the bot has to be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permission {
    /// Discord's name for it.
    pub name: &'static str,
    /// Its bit.
    pub bit: u64,
    /// What it is needed for.
    pub reason: &'static str,
}

const ALWAYS: [Permission; 5] = [
    Permission {
        name: "VIEW_CHANNEL",
        bit: 1 << 10,
        reason: "to hear",
    },
    Permission {
        name: "SEND_MESSAGES",
        bit: 1 << 11,
        reason: "to answer",
    },
    Permission {
        name: "ATTACH_FILES",
        bit: 1 << 15,
        reason: "to send files",
    },
    Permission {
        name: "READ_MESSAGE_HISTORY",
        bit: 1 << 16,
        reason: "to show answers as replies, and to catch up after an absence",
    },
    Permission {
        name: "SEND_MESSAGES_IN_THREADS",
        bit: 1 << 38,
        reason: "to answer in threads and forum posts",
    },
];

const ADD_REACTIONS: Permission = Permission {
    name: "ADD_REACTIONS",
    bit: 1 << 6,
    reason: "to react to what it has taken",
};

/// What the configuration needs.
#[must_use]
pub fn permissions(config: &Config) -> Vec<Permission> {
    let reactions = config.ack_reaction.as_ref().map(|_| ADD_REACTIONS);
    ALWAYS.into_iter().chain(reactions).collect()
}

/// The address, for the application with this id.
#[must_use]
pub fn invite(application: Snowflake, config: &Config) -> String {
    let bits = permissions(config)
        .iter()
        .fold(0, |bits, permission| bits | permission.bit);
    let scopes = if config.slash_commands {
        "bot+applications.commands"
    } else {
        "bot"
    };
    format!("https://discord.com/oauth2/authorize?client_id={application}&scope={scopes}&permissions={bits}")
}

#[cfg(test)]
mod tests {
    use tertulia_message::Secret;

    use super::*;

    #[test]
    fn no_more_is_asked_for_than_is_needed() {
        let mut config = Config::official(Secret::new("a.b.c"));
        let application = Snowflake::new(7).unwrap();
        assert_eq!(
            invite(application, &config),
            "https://discord.com/oauth2/authorize?client_id=7&scope=bot+applications.commands&permissions=274878008320"
        );
        config.ack_reaction = Some("👀".to_owned());
        config.slash_commands = false;
        assert_eq!(
            invite(application, &config),
            "https://discord.com/oauth2/authorize?client_id=7&scope=bot&permissions=274878008384"
        );
    }
}
