//! Mentions in a text, and whom they ping.

use std::collections::BTreeSet;

use serde_json::Value;

use super::refusal::Refusal;

/// One mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mention {
    /// An account.
    User(u64),
    /// A role.
    Role(u64),
    /// `@everyone` or `@here`.
    Everyone,
}

/// The mentions in a text; those in code are none.
pub(super) fn found(text: &str) -> BTreeSet<Mention> {
    let outside = |text: &str, fence: &str| text.split(fence).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let bare: Vec<String> = outside(text, "```")
        .iter()
        .flat_map(|text| outside(text, "`"))
        .collect();
    bare.iter().flat_map(|text| in_bare(text)).collect()
}

fn in_bare(text: &str) -> Vec<Mention> {
    let tags = text.split('<').skip(1).filter_map(|rest| rest.split_once('>'));
    let mut mentions: Vec<Mention> = tags.filter_map(|(tag, _)| tagged(tag)).collect();
    if text.contains("@everyone") || text.contains("@here") {
        mentions.push(Mention::Everyone);
    }
    mentions
}

fn tagged(tag: &str) -> Option<Mention> {
    let tag = tag.strip_prefix('@')?;
    match tag.strip_prefix('&') {
        Some(role) => role.parse().ok().map(Mention::Role),
        None => tag.strip_prefix('!').unwrap_or(tag).parse().ok().map(Mention::User),
    }
}

/// What `allowed_mentions` allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one switch for each word that the platform knows"
)]
pub(super) struct Allowed {
    users: bool,
    roles: bool,
    everyone: bool,
    named: BTreeSet<u64>,
    /// Whether the author of the message that is replied to is pinged.
    pub(super) replied_user: bool,
}

impl Allowed {
    /// What holds where nothing is said: everything for normal messages, accounts only for interactions.
    pub(super) fn unsaid(is_interaction: bool) -> Self {
        Self {
            users: true,
            roles: !is_interaction,
            everyone: !is_interaction,
            named: BTreeSet::new(),
            replied_user: true,
        }
    }

    /// Reads the field of a body.
    pub(super) fn read(body: &Value, is_interaction: bool) -> Result<Self, Refusal> {
        let field = match body.get("allowed_mentions") {
            None | Some(Value::Null) => return Ok(Self::unsaid(is_interaction)),
            Some(field) => field,
        };
        let list = |name: &str| field.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let parse = list("parse");
        let parses = |word: &str| parse.iter().any(|entry| entry.as_str() == Some(word));
        for (name, plural) in [("users", "users"), ("roles", "roles")] {
            if parses(plural) && !list(name).is_empty() {
                let words = format!("parse:[\"{plural}\"] and {name}: [ids...] are mutually exclusive.");
                return Err(Refusal::form(
                    "allowed_mentions",
                    "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
                    words,
                ));
            }
            if list(name).len() > 100 {
                return Err(Refusal::too_long(&format!("allowed_mentions.{name}"), 100));
            }
        }
        let known = ["users", "roles", "everyone"];
        if parse
            .iter()
            .any(|entry| !entry.as_str().is_some_and(|word| known.contains(&word)))
        {
            let words = "Value must be one of ('roles', 'users', 'everyone').";
            return Err(Refusal::form("allowed_mentions.parse.0", "BASE_TYPE_CHOICES", words));
        }
        let ids = list("users").into_iter().chain(list("roles"));
        Ok(Self {
            users: parses("users"),
            roles: parses("roles"),
            everyone: parses("everyone"),
            named: ids.filter_map(|id| id.as_str()?.parse().ok()).collect(),
            replied_user: field.get("replied_user").and_then(Value::as_bool).unwrap_or_default(),
        })
    }

    /// Whom a text pings, in words.
    pub(super) fn pings(&self, text: &str) -> Vec<String> {
        let pinged = found(text).into_iter().filter_map(|mention| match mention {
            Mention::User(id) => (self.users || self.named.contains(&id)).then(|| format!("<@{id}>")),
            Mention::Role(id) => (self.roles || self.named.contains(&id)).then(|| format!("<@&{id}>")),
            Mention::Everyone => self.everyone.then(|| "@everyone".to_owned()),
        });
        pinged.collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn mentions_are_found_outside_code() {
        let text = "hi <@5> and <@!6>, <@&7> `<@8>` ```\n<@9> @everyone``` @here <#10> <@x>";
        let all = [Mention::User(5), Mention::User(6), Mention::Role(7), Mention::Everyone];
        assert_eq!(found(text), all.into_iter().collect());
    }

    #[test]
    fn what_is_not_said_pings() {
        let text = "<@5> <@&7> @everyone";
        let cases = [
            (json!({}), false, vec!["<@5>", "<@&7>", "@everyone"]),
            (json!({}), true, vec!["<@5>"]),
            (json!({"allowed_mentions": {"parse": []}}), false, vec![]),
            (json!({"allowed_mentions": {"parse": ["roles"]}}), false, vec!["<@&7>"]),
            (
                json!({"allowed_mentions": {"parse": [], "users": ["5"]}}),
                false,
                vec!["<@5>"],
            ),
        ];
        for (body, is_interaction, expected) in cases {
            assert_eq!(
                Allowed::read(&body, is_interaction).unwrap().pings(text),
                expected,
                "{body}"
            );
        }
        let both = json!({"allowed_mentions": {"parse": ["users"], "users": ["5"]}});
        assert_eq!(Allowed::read(&both, false).unwrap_err().code, 50035);
    }
}
