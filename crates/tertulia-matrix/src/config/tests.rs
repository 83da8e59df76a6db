//! What is taken, and what is refused with which words.

use super::*;

fn usual() -> Config {
    let login = Login::Token(Secret::new("canary"));
    Config::new("http://127.0.0.1:8008", login, "/var/lib/tertulia/matrix")
}

fn password(user: &str, password: &str) -> Login {
    Login::Password {
        user: user.to_owned(),
        password: Secret::new(password),
    }
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
    config.recovery_key = Some(Secret::new("canary"));
    config.homeserver = "https://x:canary@host".to_owned();
    let password = password("@bot:localhost", "canary");
    let error = config.check().unwrap_err();
    assert!(!format!("{config:?} {password:?} {error} {error:?}").contains("canary"));
}

#[test]
fn what_is_usual_is_right() {
    check(|_| {}, Ok(()));
    for address in ["https://matrix.org", "https://host:8448/", "http://[::1]:8008/base"] {
        check(|config| config.homeserver = address.to_owned(), Ok(()));
    }
    for prefix in ["!", "!!", "/", "§", "."] {
        check(|config| config.command_prefix = prefix.to_owned(), Ok(()));
    }
    for sign in ["👀", "👨‍👩‍👧‍👦", "+1"] {
        check(|config| config.ack_reaction = Some(sign.to_owned()), Ok(()));
    }
    let listed = ["@ada:host.org", "host.org", "host.org:8448", "[::1]:8448"].map(str::to_owned);
    check(|config| config.invites = Invites::Listed(listed.to_vec()), Ok(()));
    let key = "EsTc LW2K PGiF wKEA 3As5 g5c4 BXwk qeeJ ZJV8 Q9fu gUMN UE4d";
    check(|config| config.recovery_key = Some(Secret::new(key)), Ok(()));
}

#[test]
fn what_cannot_be_right_is_refused() {
    for odd in ["", " ", "a b", "\n", &"x".repeat(41)] {
        check(
            |config| config.ack_reaction = Some(odd.to_owned()),
            Err(Error::Reaction),
        );
    }
    for odd in [
        "",
        "matrix.org",
        "ftp://host",
        "https://",
        "https://:80",
        "https://a b",
        "https://u:p@host",
        "https://h/?x",
    ] {
        check(|config| config.homeserver = odd.to_owned(), Err(Error::Homeserver));
    }
    for odd in ["", "bot", "@bot", "bot:host", "@bot:host name"] {
        check(|config| config.login = password(odd, "x"), Err(Error::User));
        check(|config| config.bots = vec![odd.to_owned()], Err(Error::User));
    }
    for odd in ["", "a\nb"] {
        check(
            |config| config.login = password("@bot:localhost", odd),
            Err(Error::Secret),
        );
    }
    for odd in ["", "a", "!a", "! ", "!!!!!!!!!", "7"] {
        check(|config| config.command_prefix = odd.to_owned(), Err(Error::Prefix));
    }
    for odd in ["", "ada", "@ada", "a b", "*"] {
        let expected = if odd == "ada" { Ok(()) } else { Err(Error::Inviter) };
        check(
            |config| config.invites = Invites::Listed(vec![odd.to_owned()]),
            expected,
        );
    }
    for odd in [
        "",
        "correct horse",
        "0sTc LW2K PGiF wKEA 3As5 g5c4 BXwk qeeJ ZJV8 Q9fu gUMN UE4d",
    ] {
        check(
            |config| config.recovery_key = Some(Secret::new(odd)),
            Err(Error::RecoveryKey),
        );
    }
}

#[test]
fn invites_are_accepted_by_policy() {
    let listed = Invites::Listed(vec!["@ada:a.org".to_owned(), "b.org".to_owned()]);
    let cases = [
        (&Invites::Nobody, "@ada:a.org", true, false),
        (&Invites::Everybody, "@eve:e.org", false, true),
        (&Invites::Admins, "@eve:e.org", false, false),
        (&Invites::Admins, "@eve:e.org", true, true),
        (&listed, "@ada:a.org", false, true),
        (&listed, "@bob:a.org", false, false),
        (&listed, "@bob:b.org", false, true),
        (&listed, "@bob:b.org:8448", false, false),
        (&listed, "@bob:sub.b.org", false, false),
        (&listed, "@eve:e.org", true, true),
    ];
    for (policy, inviter, is_admin, expected) in cases {
        assert_eq!(
            policy.accepts(inviter, is_admin),
            expected,
            "{policy:?} {inviter} {is_admin}"
        );
    }
}

#[test]
fn a_room_that_is_always_on_covers_its_threads() {
    let config = Config {
        always_on: vec![always_on("!a:h").unwrap(), always_on("!b:h/$e%2Ff").unwrap()],
        ..usual()
    };
    let is_on =
        |room: &str, thread: Option<&str>| config.is_always_on(&Place::new(room, thread.map(str::to_owned)).unwrap());
    assert!(is_on("!a:h", None) && is_on("!a:h", Some("$x")));
    assert!(is_on("!b:h", Some("$e/f")) && !is_on("!b:h", None) && !is_on("!b:h", Some("$x")));
    for odd in ["", "#a:h", "!a:h/x", "!a:h/$e/$f", "!a b:h"] {
        assert_eq!(always_on(odd), Err(Error::AlwaysOn), "{odd}");
    }
}
