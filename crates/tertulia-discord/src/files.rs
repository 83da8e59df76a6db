//! Files by which they can be fetched: an address holds for a while only, and is renewed by reading the message again.

use std::fmt;
use std::str::FromStr;

use crate::ids::{NotAnId, Snowflake};
use crate::wire::Message;

/// Where Discord serves files; no other address is ever fetched.
const SERVED_AT: [&str; 2] = ["https://cdn.discordapp.com/", "https://media.discordapp.net/"];
/// An address that is about to expire is renewed, in seconds.
const MARGIN: i64 = 60;

/// What a file can be fetched by.
#[derive(Clone, PartialEq, Eq)]
pub struct Handle {
    /// The channel or the thread of its message.
    pub channel: Snowflake,
    /// Its message.
    pub message: Snowflake,
    /// The file's own id.
    pub file: Snowflake,
    /// Where it was served when the message was read.
    pub url: String,
}

impl Handle {
    /// True if the address no longer holds at this time, in milliseconds since 1970. One that does not say counts as good.
    #[must_use]
    pub fn is_expired(&self, now: i64) -> bool {
        let query = self.url.split_once('?').map_or("", |(_, query)| query);
        let expiry = query.split('&').find_map(|pair| pair.strip_prefix("ex="));
        let expiry = expiry.and_then(|hex| i64::from_str_radix(hex, 16).ok());
        expiry.is_some_and(|at| at.saturating_sub(MARGIN).saturating_mul(1000) <= now)
    }

    /// The same file with the address that its message has now; none if the message has it no more.
    #[must_use]
    pub fn renewed(&self, message: &Message) -> Option<Self> {
        let copies = message.forwarded.iter();
        let mut files = message
            .attachments
            .iter()
            .chain(copies.flat_map(|copy| &copy.attachments));
        let file = files.find(|file| file.id == self.file)?;
        Some(Self {
            url: file.url.clone(),
            ..self.clone()
        })
    }

    /// True if the address is one of Discord's, or of `also`, an address of the operator's own.
    #[must_use]
    pub fn is_served_by(&self, also: Option<&str>) -> bool {
        let also = also.map(|base| format!("{}/", base.trim_end_matches('/')));
        let bases = SERVED_AT.iter().copied().chain(also.as_deref());
        let is_plain = self.url.bytes().all(|byte| byte.is_ascii_graphic());
        is_plain && bases.into_iter().any(|base| self.url.starts_with(base))
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            channel,
            message,
            file,
            url,
        } = self;
        write!(formatter, "{channel}/{message}/{file} {url}")
    }
}

impl FromStr for Handle {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let (ids, url) = text.split_once(' ').ok_or(NotAnId)?;
        let ids: Vec<&str> = ids.split('/').collect();
        let [channel, message, file] = ids.as_slice() else {
            return Err(NotAnId);
        };
        Ok(Self {
            channel: channel.parse()?,
            message: message.parse()?,
            file: file.parse()?,
            url: url.to_owned(),
        })
    }
}

impl fmt::Debug for Handle {
    /// Without the address: whoever has it has the file.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/{}", self.channel, self.message, self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handle(url: &str) -> Handle {
        format!("1/2/3 {url}").parse().unwrap()
    }

    #[test]
    fn handles_round_trip() {
        let text = "1/2/3 https://cdn.discordapp.com/attachments/1/3/a.png?ex=65d903de&is=x&hm=y";
        let handle: Handle = text.parse().unwrap();
        assert_eq!(handle.to_string(), text);
        assert!(!format!("{handle:?}").contains("hm="));
        for odd in ["", "1/2/3", "1/2 x", "1/2/3/4 x", "1/2/x y"] {
            assert!(odd.parse::<Handle>().is_err(), "{odd}");
        }
    }

    #[test]
    fn addresses_expire_as_they_say() {
        let signed = handle("https://cdn.discordapp.com/a.png?is=1&ex=65d903de&hm=y");
        let at = 0x65d9_03de * 1000;
        assert!(!signed.is_expired(at - 61_000) && signed.is_expired(at - 60_000) && signed.is_expired(at));
        assert!(!handle("https://cdn.discordapp.com/stickers/3.png").is_expired(at));
    }

    #[test]
    fn only_discord_s_own_addresses_are_fetched() {
        assert!(handle("https://cdn.discordapp.com/a").is_served_by(None));
        assert!(handle("http://127.0.0.1:80/a").is_served_by(Some("http://127.0.0.1:80")));
        for odd in [
            "https://cdn.discordapp.com.evil.org/a",
            "http://cdn.discordapp.com/a",
            "https://cdn.discordapp.com@evil.org/",
            "https://127.0.0.1/",
            "https://cdn.discordapp.com/\n",
        ] {
            assert!(!handle(odd).is_served_by(Some("http://127.0.0.1:80")), "{odd}");
        }
    }

    #[test]
    fn an_address_is_renewed_from_the_message_and_its_copies() {
        let json = r#"{"id":"2","channel_id":"1","attachments":[{"id":"4","url":"u4"}],
            "message_snapshots":[{"message":{"attachments":[{"id":"3","url":"u3"}]}}]}"#;
        let message = Message::read(json).unwrap();
        assert_eq!(handle("old").renewed(&message).unwrap().url, "u3");
        let mut other = handle("old");
        other.file = "9".parse().unwrap();
        assert_eq!(other.renewed(&message), None);
    }
}
