//! Which texts are ids of Matrix: opaque, case-sensitive, and hardly any character is forbidden in them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The most bytes of an id, with its sign and its server.
pub(crate) const LONGEST: usize = 255;

/// What needs no escape in an address.
pub(crate) const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// True for the id of a room. Those of version 12 name no server.
#[must_use]
pub(crate) fn is_room(id: &str) -> bool {
    is_id(id, '!')
}

/// True for the id of an event. Those of version 3 may hold slashes.
#[must_use]
pub(crate) fn is_event(id: &str) -> bool {
    is_id(id, '$')
}

/// True for the id of a user: `@name:server`.
#[must_use]
pub(crate) fn is_user(id: &str) -> bool {
    is_id(id, '@') && id.split_once(':').is_some_and(|(_, server)| is_server(server))
}

/// True for the address of a file, `mxc://server/file`, in the characters that the specification allows: nothing in it can
/// lead to another address of the server.
#[must_use]
pub(crate) fn is_mxc(address: &str) -> bool {
    let parts = address.strip_prefix("mxc://").and_then(|rest| rest.split_once('/'));
    let is_media = |id: &str| {
        !id.is_empty()
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    address.len() <= 2 * LONGEST && parts.is_some_and(|(server, id)| is_server(server) && is_media(id))
}

/// The name of a user on its server: what stands between `@` and `:`.
#[must_use]
pub(crate) fn localpart(user: &str) -> &str {
    let rest = user.strip_prefix('@').unwrap_or(user);
    rest.split_once(':').map_or(rest, |(local, _)| local)
}

/// The address that clients show as a mention of this user.
#[must_use]
pub(crate) fn address_of_user(user: &str) -> String {
    format!("https://matrix.to/#/{}", utf8_percent_encode(user, ESCAPED))
}

fn is_id(id: &str, sign: char) -> bool {
    let is_long_enough = id.strip_prefix(sign).is_some_and(|rest| !rest.is_empty());
    is_long_enough && id.len() <= LONGEST && !id.contains('\0')
}

fn is_server(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    !name.is_empty() && name.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_every_version_are_ids() {
        for room in [
            "!ARlQiADSfQtcdliJOI:localhost",
            "!OfuhrYsFZBMIfcLqyM:matrix.example-1.org:8448",
            "!fCKpQPngGgiQLSVktH:[::1]:8448",
            "!YB72YacBKatT7m7eTwA8Unbw8U3XOi07fD2eFbJpGWw",
            "!a%2Fb/../\n é:host",
        ] {
            assert!(is_room(room) && !is_event(room) && !is_user(room), "{room}");
        }
        for event in [
            "$179602822910sTYQt:localhost",
            "$GlOt9U8//ws+D58OHWR32LkFlHqFURTHYFUL9GyrtyE",
            "$/e9PG9BshG/dIzEhtQ1zAzHezs/G7WnTBFN51gPclYQ",
            "$-7YYUljEmby6_y00ghClJ5p7xivu-8EIE7MXeHmAn5g",
        ] {
            assert!(is_event(event) && !is_room(event), "{event}");
        }
        for user in ["@a/b:localhost", "@bot:matrix.org", "@x:[::1]:8448"] {
            assert!(is_user(user), "{user}");
        }
    }

    #[test]
    fn nothing_else_is_an_id() {
        let long = format!("!{}", "x".repeat(LONGEST));
        for odd in ["", "!", "room", "#alias:host", "!a\0b:host", long.as_str()] {
            assert!(!is_room(odd), "{odd:?}");
        }
        for odd in ["@bot", "@bot:", "bot:host", "@bot:ho st", "@bot:host/x"] {
            assert!(!is_user(odd), "{odd:?}");
        }
    }

    #[test]
    fn an_address_of_a_file_leads_nowhere_else() {
        assert!(is_mxc("mxc://localhost/AbC-_09") && is_mxc("mxc://[::1]:8448/x"));
        for odd in [
            "",
            "https://host/x",
            "mxc://host",
            "mxc://host/",
            "mxc:///x",
            "mxc://host/a/b",
            "mxc://host/..%2f",
            "mxc://host/x?y",
            "mxc://ho st/x",
            "mxc://user@host/x",
        ] {
            assert!(!is_mxc(odd), "{odd:?}");
        }
    }

    #[test]
    fn mentions_are_escaped() {
        assert_eq!(localpart("@a/b:localhost"), "a/b");
        assert_eq!(
            address_of_user("@a/b\"<:localhost"),
            "https://matrix.to/#/%40a%2Fb%22%3C%3Alocalhost"
        );
    }
}
