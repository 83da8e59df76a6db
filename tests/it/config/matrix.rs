//! How a Matrix account is configured, what is said where that is wrong, and what of it is shown.

use crate::config::{check_both, check_file, output};
use crate::daemon::Home;
use crate::doctor::{check_failing, doctor};
use crate::reload::outcome;

/// Nobody is there, so nothing of these tests leaves the machine.
const NOWHERE: &str = "http://127.0.0.1:9";
const USER: &str = "@bot:localhost";
const PASSWORD: &str = "canary-of-the-password";
const TOKEN: &str = "canary-of-the-token";
const RECOVERY_KEY: &str = "EsTc LW2K PGiF wKEA 3As5 g5c4 BXwk qeeJ ZJV8 Q9fu gUMN UE4d";

/// Variables that are enough.
const ENOUGH: [(&str, &str); 3] = [
    ("MATRIX_HOMESERVER", NOWHERE),
    ("MATRIX_USER", USER),
    ("MATRIX_PASSWORD", PASSWORD),
];

#[test]
fn keys_and_values_of_an_account_are_checked() {
    let with = |line: &str| format!("[interfaces.matrix]\nenabled = false\n{line}\n");
    for (line, parts) in [
        (
            "homesrver = \"x\"",
            ["matrix.homesrver", "the nearest is interfaces.matrix.homeserver"],
        ),
        (
            "base_url = \"http://x\"",
            ["matrix.base_url", "is not a key of the kind matrix"],
        ),
        ("password = \"secret\"", ["matrix.password", "is a secret"]),
        ("recovery_key = \"secret\"", ["matrix.recovery_key", "is a secret"]),
        ("stream = \"draft\"", ["matrix.stream", "must be edit or off"]),
        (
            "encryption = \"on\"",
            ["matrix.encryption", "must be true or false, not a text"],
        ),
        (
            "device_name = \" \"",
            ["matrix.device_name", "one line of at most 100 characters"],
        ),
        (
            "invites = true",
            ["matrix.invites", "must be a text or a list of texts"],
        ),
        (
            "invites = [1]",
            ["matrix.invites", "must be a list of texts in quotation marks"],
        ),
        ("invites = []", ["matrix.invites", "\"nobody\" accepts no invites"]),
        ("invites = \"admin\"", ["matrix.invites", "the nearest is admins"]),
        (
            "invites = \"Everybody\"",
            ["matrix.invites", "the nearest is everybody"],
        ),
        (
            "invites = [\"nobody\", \"a.org\"]",
            ["matrix.invites", "\"nobody\" beside others"],
        ),
        (
            "invites = [\"a.org\", \"@ada\"]",
            ["matrix.invites lists \"@ada\"", "@ada:example.org"],
        ),
        (
            "always_on = [\"#room:a.org\"]",
            ["matrix.always_on", "!room:example.org/$event"],
        ),
        (
            "always_on = [\"other/!room:a.org\"]",
            ["matrix.always_on", "other/!room:a.org"],
        ),
        (
            "bots = [\"other\"]",
            ["matrix.bots lists \"other\"", "@other:example.org"],
        ),
        ("largest_file_mb = 0", ["matrix.largest_file_mb", "from 1 to 2000"]),
    ] {
        check_file(&with(line), &parts);
    }
    check_file(
        "[interfaces.telegram_bot]\nenabled = false\nhomeserver = \"http://x\"\n",
        &["telegram_bot.homeserver", "is not a key of the kind telegram"],
    );
}

#[test]
fn where_it_is_and_what_it_logs_in_with_must_be_there_and_fit() {
    let at = |lines: &str| format!("[interfaces.matrix]\nhomeserver = \"{NOWHERE}\"\n{lines}\n");
    check_file(
        "[interfaces.matrix]\nuser = \"@bot:localhost\"\n",
        &["interfaces.matrix.homeserver is missing", "MATRIX_HOMESERVER"],
    );
    for (lines, parts) in [
        ("", ["matrix.user and password_file are missing", "token_file"]),
        (
            "user = \"@bot:a.org\"",
            ["matrix.password_file is missing", "MATRIX_PASSWORD"],
        ),
        ("password_file = \"short\"", ["matrix.user is missing", "MATRIX_USER"]),
        (
            "user = \"bot\"\npassword_file = \"short\"",
            ["matrix.user must be the bot's whole id", "@bot:example.org"],
        ),
        (
            "user = \"@b:a\"\npassword_file = \"absent\"",
            ["matrix.password_file", "absent, which is not there"],
        ),
        (
            "user = \"@b:a\"\npassword_file = \"lines\"",
            ["matrix.password_file names ", "more than one line"],
        ),
        ("token_file = \"empty\"", ["matrix.token_file", "which is empty"]),
        (
            "token_file = \"lines\"",
            ["matrix.token_file names ", "more than one line"],
        ),
        (
            "user = \"@b:a\"\ntoken_file = \"short\"",
            ["matrix.user belongs to a password", "whose it is"],
        ),
        (
            "token_file = \"short\"\npassword_file = \"short\"",
            ["matrix.token_file names ", "interfaces.matrix.password_file another"],
        ),
        (
            "token_file = \"short\"\nrecovery_key_file = \"short\"",
            ["matrix.recovery_key_file names ", "is no recovery key"],
        ),
        (
            "token_file = \"short\"\ncommand_prefix = \"bot\"",
            ["matrix.command_prefix", "one to eight signs"],
        ),
        (
            "token_file = \"short\"\nack_reaction = \"I see\"",
            ["matrix.ack_reaction", "one sign without blanks"],
        ),
    ] {
        check_file(&at(lines), &parts);
    }
    for address in ["matrix.org", "ftp://a.org", "https://me:pw@a.org", "https://a.org/?x"] {
        check_file(
            &format!("[interfaces.matrix]\nhomeserver = \"{address}\"\ntoken_file = \"short\"\n"),
            &["matrix.homeserver must be an address such as https://matrix.example.org"],
        );
    }
}

#[test]
fn variables_that_are_wrong_are_named() {
    let with = |name: &'static str, value: &'static str| {
        let others = ENOUGH.into_iter().filter(|(other, _)| *other != name);
        others.chain([(name, value)]).collect::<Vec<_>>()
    };
    for (name, value, part) in [
        (
            "MATRIX_HOMESERVER",
            "matrix.org",
            "MATRIX_HOMESERVER: the value must be an address",
        ),
        (
            "MATRIX_USER",
            "bot",
            "MATRIX_USER: the value must be the bot's whole id",
        ),
        (
            "MATRIX_PASSWORD",
            "canary\nline",
            "MATRIX_PASSWORD: the value is empty, or has more than one line",
        ),
        (
            "MATRIX_TOKEN",
            TOKEN,
            "MATRIX_TOKEN: the value is one way to log in, and MATRIX_PASSWORD another",
        ),
        (
            "MATRIX_RECOVERY_KEY",
            "canary",
            "MATRIX_RECOVERY_KEY: the value is no recovery key",
        ),
    ] {
        check_both(&Home::new(), &[], &with(name, value), &[part]);
    }
}

#[test]
fn an_account_can_be_one_interface_only() {
    let home = Home::new();
    home.write("a", PASSWORD);
    home.write("token", TOKEN);
    let section = |name: &str, lines: &str| {
        format!("[interfaces.{name}]\nkind = \"matrix\"\nhomeserver = \"{NOWHERE}\"\n{lines}\n")
    };
    let user = "user = \"@bot:localhost\"\npassword_file = \"a\"";
    home.write("bot.toml", &[section("one", user), section("two", user)].concat());
    let config = ["--config", "bot.toml"];
    check_both(
        &home,
        &config,
        &[],
        &["interfaces.two.user is of the same account as interfaces.one.user"],
    );
    let token = "token_file = \"token\"";
    home.write("bot.toml", &[section("one", token), section("two", "")].concat());
    check_both(
        &home,
        &config,
        &[("MATRIX_TOKEN", TOKEN)],
        &["MATRIX_TOKEN: the value is of the same account as interfaces.one.token_file"],
    );
}

/// What `check-config` prints.
#[track_caller]
fn checked(home: &Home, environment: &[(&str, &str)]) -> String {
    let mut program = home.program();
    program
        .args(["check-config", "--config", "bot.toml"])
        .envs(environment.iter().copied());
    let output = output(program);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("canary"), "{text}");
    assert!(!home.state().exists(), "something was made");
    text
}

#[test]
fn variables_are_enough_and_half_of_them_are_not() {
    let home = Home::new();
    home.write("bot.toml", "[providers.demo]\n");
    let text = checked(&home, &ENOUGH);
    for part in [
        "interface matrix: @bot:localhost at http://127.0.0.1:9/\n",
        "found: MATRIX_HOMESERVER is set: @bot:localhost is the interface matrix.",
        "message_matrix",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let text = checked(&home, &[ENOUGH[0], ("MATRIX_TOKEN", TOKEN)]);
    assert!(
        text.contains("interface matrix: a Matrix account, by its token, at http"),
        "{text}"
    );
    for (given, sentence) in [
        (&ENOUGH[..1], "neither MATRIX_USER and MATRIX_PASSWORD nor MATRIX_TOKEN"),
        (&ENOUGH[..2], "not MATRIX_PASSWORD: there is no Matrix account"),
        (&[ENOUGH[0], ENOUGH[2]], "not MATRIX_USER, the bot's id"),
        (&ENOUGH[1..], "MATRIX_USER is set, but not MATRIX_HOMESERVER"),
        (&ENOUGH[2..], "MATRIX_PASSWORD is set, but not MATRIX_HOMESERVER"),
    ] {
        let text = checked(&home, given);
        assert!(text.contains(sentence) && !text.contains("interface matrix"), "{text}");
    }
    home.write("bot.toml", "[interfaces.matrix]\nenabled = false\n");
    let text = checked(&home, &ENOUGH);
    assert!(
        !text.contains("interface matrix:") && !text.contains("found:"),
        "{text}"
    );
}

#[test]
fn secrets_come_from_files_credentials_and_variables() {
    let home = Home::new();
    home.write("secrets_matrix_password", &format!("{PASSWORD}\n"));
    let credential = home.write("matrix_recovery_key", RECOVERY_KEY);
    let directory = ("CREDENTIALS_DIRECTORY", credential.parent().unwrap().to_str().unwrap());
    home.write("wrong", "no recovery key");
    let section = format!("[interfaces.matrix]\nhomeserver = \"{NOWHERE}\"\nuser = \"{USER}\"\n");
    home.write("bot.toml", &section);
    let bot = "interface matrix: @bot:localhost at ";
    assert!(checked(&home, &[directory]).contains(bot));
    assert!(checked(&home, &ENOUGH[2..]).contains(bot));
    let own = ("TERTULIA__INTERFACES__MATRIX__PASSWORD", PASSWORD);
    // a user is named, so the token is of another account
    assert!(checked(&home, &[own, ("MATRIX_TOKEN", TOKEN)]).contains(bot));
    home.write("matrix_recovery_key", "canary, and no recovery key");
    let parts = ["interfaces.matrix.recovery_key_file", "is no recovery key"];
    check_both(&home, &["--config", "bot.toml"], &[directory], &parts);
    home.write(
        "bot.toml",
        &format!(
            "{section}invites = \"everybody\"\nencryption = false\nstream = \"off\"\ncommand_prefix = \"§\"\n\
             device_name = \"The Bot\"\nack_reaction = \"👀\"\nbots = [\"@other:a.org\"]\nlargest_file_mb = 2000\n\
             always_on = [\"!a:b\", \"!a:b/$c%2Fd\", \"matrix/!version_twelve\"]\n"
        ),
    );
    assert!(checked(&home, &[own]).contains("interfaces.matrix.invites = [\"everybody\"]"));
    home.write(
        "bot.toml",
        &format!("{section}invites = [\"@ada:a.org\", \"b.org\", \"intranet\"]\n"),
    );
    assert!(checked(&home, &[own]).contains(bot));
}

#[test]
fn a_changed_account_waits_for_the_next_start() {
    let home = Home::new();
    home.write("password", PASSWORD);
    let section = format!(
        "[providers.demo]\n[interfaces.matrix]\nhomeserver = \"{NOWHERE}\"\nuser = \"{USER}\"\npassword_file = \"password\"\n"
    );
    let daemon = home.start(&section, &[]);
    daemon.write("password", "canary-of-another-password");
    daemon.write("bot.toml", &format!("{section}invites = \"nobody\"\n"));
    daemon.reload();
    let log = daemon.log();
    for what in ["interfaces.matrix.invites", "the password of interfaces.matrix"] {
        let note = format!("{what} has changed; that takes effect at the next start.");
        assert!(outcome(&log).contains(&note), "{note:?} is not in {log}");
    }
    let (status, log, _home) = daemon.stop();
    assert!(status.success(), "{log}");
    assert!(!log.contains("canary"), "{log}");
}

#[test]
fn the_doctor_says_that_no_server_answers() {
    let home = Home::new();
    home.write("token", TOKEN);
    home.write(
        "bot.toml",
        &format!("[server]\nport = 0\n[providers.demo]\n[interfaces.matrix]\nhomeserver = \"{NOWHERE}\"\ntoken_file = \"token\"\n"),
    );
    check_failing(
        &home,
        "interface matrix: ",
        &["the homeserver cannot be asked", "homeserver"],
    );
    let (_, text) = doctor(&home, &[], &[]);
    assert!(!text.contains("canary"), "{text}");
    assert!(!home.state().exists(), "something was made");
}
