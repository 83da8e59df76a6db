//! What is taken, and what is refused with which words.

use super::*;

fn usual() -> Config {
    Config::official(Secret::new("MTIz.canary.sig-_9"))
}

#[track_caller]
fn check(change: impl FnOnce(&mut Config), expected: Result<(), Error>) {
    let mut config = usual();
    change(&mut config);
    assert_eq!(config.check(), expected, "{config:?}");
}

#[test]
fn nothing_shows_a_secret() {
    let mut config = usual();
    config.base_url = "https://x:canary@host".to_owned();
    let error = config.check().unwrap_err();
    assert!(!format!("{config:?} {error} {error:?}").contains("canary"));
}

#[test]
fn what_is_usual_is_right() {
    check(|_| {}, Ok(()));
    for address in ["https://discord.com", "http://127.0.0.1:8080", "http://[::1]:1/x"] {
        check(|config| config.base_url = address.to_owned(), Ok(()));
    }
    for address in ["ws://127.0.0.1:8080/gateway", "wss://gateway.discord.gg"] {
        check(|config| config.gateway_url = Some(address.to_owned()), Ok(()));
    }
    for sign in ["👀", "👨‍👩‍👧‍👦", "1️⃣", "seen:123456789012345678"] {
        check(|config| config.ack_reaction = Some(sign.to_owned()), Ok(()));
    }
}

#[test]
fn what_cannot_be_right_is_refused() {
    for odd in ["", "a", "a.b", "a.b.", "a.b.c.d", "Bot a.b.c", "a.b.c\n"] {
        check(|config| config.token = Secret::new(odd), Err(Error::Token));
    }
    for odd in [
        "",
        "discord.com",
        "ftp://host",
        "https://",
        "https://:80",
        "https://a b",
        "https://u:p@h",
        "https://h?x",
    ] {
        check(|config| config.base_url = odd.to_owned(), Err(Error::BaseUrl));
    }
    for odd in ["", "https://host", "ws://", "ws://a b"] {
        check(
            |config| config.gateway_url = Some(odd.to_owned()),
            Err(Error::GatewayUrl),
        );
    }
    for odd in ["", " ", "ok", "+1", "👀 👀", "seen:x", ":1", "a b:1"] {
        check(
            |config| config.ack_reaction = Some(odd.to_owned()),
            Err(Error::Reaction),
        );
    }
    let (age, number) = (Duration::from_hours(24 * 15), 1001);
    check(|config| config.catch_up.age = age, Err(Error::CatchUp));
    check(|config| config.catch_up.number = number, Err(Error::CatchUp));
}

#[test]
fn places_are_heard_as_configured() {
    let mut config = usual();
    let [channel, thread, other] = ["1", "1/2", "3"].map(|text| always_on(text).unwrap());
    config.always_on = vec![channel];
    assert!(config.is_always_on(channel) && config.is_always_on(thread) && !config.is_always_on(other));
    config.always_on = vec![thread];
    assert!(!config.is_always_on(channel) && config.is_always_on(thread));
    config.hears = Hears::Everything;
    assert!(config.is_always_on(other));
    for odd in ["", "x", "1/2/3", "0", "#general"] {
        assert_eq!(always_on(odd), Err(Error::AlwaysOn), "{odd}");
    }
}
