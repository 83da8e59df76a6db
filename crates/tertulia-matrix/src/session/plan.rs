//! How a session is come by: decided from what is kept and what is configured, before the server is asked anything.

use crate::config::Login;

use super::folder::Kept;

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The very first start: choose a device, write it down, log in as it.
    Begin { user: String },
    /// Log in as the device that is written down: the first login has not come to its end.
    LogIn(Kept),
    /// Go on with this token, which must be of the session that is kept.
    Resume { kept: Kept, token: String },
    /// Ask the server whose the configured token is, and write that down.
    Learn { token: String },
}

/// What keeps us from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// There are keys, and nothing says whose.
    KeysOfNobody,
    /// The session is of another account than the configured one.
    OtherUser { kept: String, configured: String },
}

/// Decides. Keys and session belong together: neither is used without the other.
pub(super) fn plan(kept: Option<Kept>, has_keys: bool, login: &Login) -> Result<Step, Obstacle> {
    let Some(kept) = kept else {
        return match login {
            _ if has_keys => Err(Obstacle::KeysOfNobody),
            Login::Password { user, .. } => Ok(Step::Begin { user: user.clone() }),
            Login::Token(token) => Ok(Step::Learn {
                token: token.expose().to_owned(),
            }),
        };
    };
    match login {
        Login::Password { user, .. } if !is_same_user(&kept.user, user) => Err(Obstacle::OtherUser {
            kept: kept.user,
            configured: user.clone(),
        }),
        Login::Password { .. } => Ok(match kept.token.clone() {
            Some(token) => Step::Resume { kept, token },
            None => Step::LogIn(kept),
        }),
        Login::Token(token) => Ok(Step::Resume {
            kept,
            token: token.expose().to_owned(),
        }),
    }
}

/// Servers fold the case of what they are asked to log in.
pub(super) fn is_same_user(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// The id of a new device: ten letters, as servers make them, of what chance gives.
pub(super) fn new_device(chance: u64) -> String {
    let letters = (0..10_u32).map(|place| chance / 26_u64.pow(place) % 26);
    letters
        .filter_map(|letter| u8::try_from(letter).ok())
        .map(|letter| char::from(b'A' + letter))
        .collect()
}

#[cfg(test)]
mod tests {
    use tertulia_message::Secret;

    use super::*;

    fn kept(token: Option<&str>) -> Kept {
        Kept {
            user: "@bot:h".into(),
            device: "ABC".into(),
            token: token.map(str::to_owned),
        }
    }

    fn password(user: &str) -> Login {
        Login::Password {
            user: user.into(),
            password: Secret::new("pass"),
        }
    }

    fn token() -> Login {
        Login::Token(Secret::new("token"))
    }

    #[test]
    fn the_password_is_used_until_there_is_a_session_and_then_no_more() {
        let begun = plan(None, false, &password("@bot:h"));
        assert_eq!(begun, Ok(Step::Begin { user: "@bot:h".into() }));
        let crashed = plan(Some(kept(None)), false, &password("@bot:h"));
        assert_eq!(crashed, Ok(Step::LogIn(kept(None))));
        let resumed = plan(Some(kept(Some("old"))), true, &password("@Bot:h"));
        let step = Step::Resume {
            kept: kept(Some("old")),
            token: "old".into(),
        };
        assert_eq!(resumed, Ok(step));
    }

    #[test]
    fn a_configured_token_goes_on_with_the_session_that_is_kept() {
        let step = Step::Learn { token: "token".into() };
        assert_eq!(plan(None, false, &token()), Ok(step));
        let step = Step::Resume {
            kept: kept(Some("old")),
            token: "token".into(),
        };
        assert_eq!(plan(Some(kept(Some("old"))), true, &token()), Ok(step));
    }

    #[test]
    fn what_does_not_belong_together_is_not_used() {
        for login in [password("@bot:h"), token()] {
            assert_eq!(plan(None, true, &login), Err(Obstacle::KeysOfNobody));
        }
        let other = Obstacle::OtherUser {
            kept: "@bot:h".into(),
            configured: "@rob:h".into(),
        };
        for token in [None, Some("old")] {
            assert_eq!(plan(Some(kept(token)), true, &password("@rob:h")), Err(other.clone()));
        }
    }

    #[test]
    fn devices_are_ten_letters() {
        for chance in [0, 1, 26_u64.pow(9), u64::MAX] {
            let device = new_device(chance);
            assert!(
                device.len() == 10 && device.bytes().all(|byte| byte.is_ascii_uppercase()),
                "{device}"
            );
        }
        assert_ne!(new_device(1), new_device(2));
    }
}
