//! What follows from the end of a gateway's connection.

/// What is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Connect again and go on with the session: nothing is missed.
    Resume,
    /// Connect again and begin a new session: what was missed has to be caught up with.
    Identify,
    /// A new try would not help; the text tells the operator what would.
    Stop(&'static str),
}

/// What follows from this code; `None` if the connection ended without one.
#[must_use]
pub fn next(code: Option<u16>) -> Next {
    match code {
        Some(4004) => Next::Stop("Discord does not take the token: make a new one in the developer portal, under Bot"),
        Some(4010) => Next::Stop("Discord does not take the number of the shard"),
        Some(4011) => Next::Stop("the bot is in so many servers that Discord wants several shards"),
        Some(4012) => Next::Stop("Discord no longer speaks this version of its gateway: a newer release is needed"),
        Some(4013) => Next::Stop("Discord does not know one of the intents: a newer release is needed"),
        Some(4014) => Next::Stop(
            "the bot is configured to hear everything, and may not: switch on Message Content Intent in the developer portal, \
             under Bot, or hear mentions only",
        ),
        // not identified, a number out of order, or too late
        Some(4003 | 4007 | 4009) => Next::Identify,
        _ => Next::Resume,
    }
}

/// What follows from the gateway's word that a session is invalid.
#[must_use]
pub fn invalid(can_resume: bool) -> Next {
    if can_resume { Next::Resume } else { Next::Identify }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_these_codes_stop_the_interface() {
        for code in (0..=u16::MAX).map(Some).chain([None]) {
            let stops = matches!(next(code), Next::Stop(_));
            let expected = matches!(code, Some(4004 | 4010..=4014));
            assert_eq!(stops, expected, "{code:?}");
        }
    }

    #[test]
    fn a_session_goes_on_where_it_can() {
        for code in [
            None,
            Some(1000),
            Some(1001),
            Some(1006),
            Some(4000),
            Some(4001),
            Some(4002),
            Some(4005),
            Some(4008),
        ] {
            assert_eq!(next(code), Next::Resume, "{code:?}");
        }
        for code in [4003, 4007, 4009] {
            assert_eq!(next(Some(code)), Next::Identify, "{code}");
        }
        assert_eq!((invalid(true), invalid(false)), (Next::Resume, Next::Identify));
    }
}
