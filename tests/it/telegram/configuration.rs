//! How a bot is configured, what is said where that is wrong, and what the doctor finds.

use std::net::TcpListener;

use crate::config::{check_both, check_file, output};
use crate::daemon::{Daemon, Home};
use crate::doctor::{check_failing, doctor, server};
use crate::reload::outcome;

/// Nobody is there, so nothing of these tests leaves the machine.
const NOWHERE: &str = "http://127.0.0.1:9";
const TOKEN: &str = "7000001:canary-of-the-token_1";
const OTHER: &str = "7000002:canary-of-another_2";

#[test]
fn keys_and_values_of_a_bot_are_checked() {
    let with = |line: &str| format!("[interfaces.telegram_bot]\nenabled = false\n{line}\n");
    for (line, parts) in [
        (
            "tokn_file = \"x\"",
            [
                "telegram_bot.tokn_file",
                "the nearest is interfaces.telegram_bot.token_file",
            ],
        ),
        ("token = \"7:secret\"", ["telegram_bot.token", "is a secret"]),
        ("stream = \"drft\"", ["telegram_bot.stream", "the nearest is draft"]),
        ("always_on = [\"@group\"]", ["telegram_bot.always_on", "-100123/45"]),
        ("always_on = [\"-100123/0\"]", ["telegram_bot.always_on", "-100123/0"]),
        (
            "largest_file_mb = 2001",
            ["telegram_bot.largest_file_mb", "from 1 to 2000"],
        ),
        (
            "largest_file_mb = 21",
            ["telegram_bot.largest_file_mb", "Bot API server of your own"],
        ),
    ] {
        check_file(&with(line), &parts);
    }
    check_file(
        "[interfaces.ollama_serve]\nstream = \"off\"\n",
        &["ollama_serve.stream", "not a key of the kind ollama_serve"],
    );
    check_file(
        "[interfaces.bot]\nkind = \"telegam\"\n",
        &["interfaces.bot.kind", "the nearest is telegram"],
    );
    check_file(
        "[interfaces.bot]\ntoken_file = \"empty\"\n",
        &["interfaces.bot.kind", "kinds are ollama_serve, telegram, matrix"],
    );
}

#[test]
fn a_token_must_be_there_and_be_one() {
    check_file(
        "[interfaces.telegram_bot]\n",
        &[
            "interfaces.telegram_bot.token_file is missing",
            "TELEGRAM_TOKEN",
            "@BotFather",
        ],
    );
    check_file(
        "[interfaces.telegram_bot]\ntoken_file = \"absent\"\n",
        &["interfaces.telegram_bot.token_file", "absent, which is not there"],
    );
    check_file(
        "[interfaces.telegram_bot]\ntoken_file = \"short\"\n",
        &[
            "interfaces.telegram_bot.token_file names ",
            "/short, whose token is not of the form",
            "@BotFather",
        ],
    );
    let malformed = [("TELEGRAM_TOKEN", "not-a-token/../x")];
    check_both(
        &Home::new(),
        &[],
        &malformed,
        &["TELEGRAM_TOKEN: the token is not of the form", "@BotFather"],
    );
    let of_section = [("TERTULIA__INTERFACES__TELEGRAM_BOT__TOKEN", "7:")];
    let parts = [
        "TERTULIA__INTERFACES__TELEGRAM_BOT__TOKEN: ",
        "interfaces.telegram_bot.token is not of the form",
    ];
    check_both(&Home::new(), &[], &of_section, &parts);
    check_both(
        &Home::new(),
        &[],
        &[
            ("TELEGRAM_TOKEN", TOKEN),
            ("TERTULIA__INTERFACES__TELEGRAM_BOT__BASE_URL", "nonsense"),
        ],
        &["interfaces.telegram_bot.base_url must be an http or https address"],
    );
}

#[test]
fn a_bot_can_be_one_interface_only() {
    let home = Home::new();
    home.write("a", TOKEN);
    home.write("b", "7000001:the-same-bot-by-an-older-token");
    let two = "[interfaces.one]\nkind = \"telegram\"\ntoken_file = \"a\"\n[interfaces.two]\nkind = \"telegram\"\n";
    home.write("bot.toml", &format!("{two}token_file = \"b\"\n"));
    let config = ["--config", "bot.toml"];
    let parts = ["interfaces.two.token_file names b, whose token is of the same bot as interfaces.one.token_file"];
    check_both(&home, &config, &[], &parts);
    home.write("bot.toml", two);
    let parts = ["TELEGRAM_TOKEN: the token is of the same bot as interfaces.one.token_file"];
    check_both(&home, &config, &[("TELEGRAM_TOKEN", TOKEN)], &parts);
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
    text
}

#[test]
fn a_bot_is_shown_without_its_token() {
    let home = Home::new();
    home.write("bot.toml", "[providers.demo]\n");
    let bot = "interface telegram_bot: a Telegram bot at https://api.telegram.org";
    assert!(!checked(&home, &[]).contains("telegram"));
    assert!(checked(&home, &[("TELEGRAM_TOKEN", TOKEN)]).contains(bot));
    let credential = home.write("secrets_telegram_bot_token", TOKEN);
    let directory = credential.parent().unwrap().to_str().unwrap();
    assert!(checked(&home, &[("CREDENTIALS_DIRECTORY", directory)]).contains(bot));

    home.write("token", OTHER);
    let more = "[interfaces.more]\nkind = \"telegram\"\ntoken_file = \"token\"\n";
    home.write("bot.toml", more);
    // the variable is for those who say nothing else
    let text = checked(&home, &[("TELEGRAM_TOKEN", TOKEN)]);
    assert!(
        text.contains("interface more: ") && !text.contains("telegram_bot"),
        "{text}"
    );
    home.write("bot.toml", &format!("[interfaces.telegram_bot]\n{more}"));
    let text = checked(&home, &[("TELEGRAM_TOKEN", TOKEN)]);
    assert!(text.contains("interface more: ") && text.contains(bot), "{text}");
    home.write("bot.toml", "[interfaces.telegram_bot]\nenabled = false\n");
    let text = checked(&home, &[("TELEGRAM_TOKEN", TOKEN)]);
    assert!(!text.contains("interface telegram_bot: "), "{text}");
    home.write(
        "bot.toml",
        "[interfaces.telegram_bot]\nbase_url = \"http://me:canary@127.0.0.1:8081/\"\nlargest_file_mb = 2000\n\
         always_on = [\"-1001\", \"-1002/3\", \"telegram_bot/-1003/4\"]\nstream = \"off\"\n",
    );
    let text = checked(&home, &[("TELEGRAM_TOKEN", TOKEN)]);
    assert!(text.contains("a Telegram bot at http://127.0.0.1:8081/"), "{text}");
}

#[test]
fn a_changed_bot_waits_for_the_next_start() {
    let home = Home::new();
    home.write("token", TOKEN);
    let bot =
        format!("[providers.demo]\n[interfaces.telegram_bot]\ntoken_file = \"token\"\nbase_url = \"{NOWHERE}\"\n");
    let daemon = home.start(&bot, &[]);
    daemon.write("token", OTHER);
    daemon.write("bot.toml", &format!("{bot}stream = \"off\"\n"));
    daemon.reload();
    let log = daemon.log();
    for what in ["interfaces.telegram_bot.stream", "the token of interfaces.telegram_bot"] {
        let note = format!("{what} has changed; that takes effect at the next start.");
        assert!(outcome(&log).contains(&note), "{note:?} is not in {log}");
    }
    assert!(!log.contains("canary"), "{log}");
}

#[test]
fn the_doctor_says_why_a_bot_cannot_work() {
    let home = Home::new();
    home.write("token", TOKEN);
    home.write("other", OTHER);
    let bot = |address: &str| {
        let section = "[server]\nport = 0\n[providers.demo]\n[interfaces.telegram_bot]\ntoken_file = \"token\"\n";
        home.write("bot.toml", &format!("{section}base_url = \"{address}\"\n"));
    };
    let refused = "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 58\r\nconnection: close\r\n\r\n\
        {\"ok\":false,\"error_code\":401,\"description\":\"Unauthorized\"}";
    bot(&server(refused));
    check_failing(
        &home,
        "interface telegram_bot: ",
        &["does not accept the token", "@BotFather"],
    );
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    bot(&format!("http://{free}"));
    check_failing(
        &home,
        "interface telegram_bot: ",
        &["cannot be asked: not sent: no connection", "base_url"],
    );
    let (_, text) = doctor(&home, &[], &[]);
    assert!(!text.contains("canary"), "{text}");
}

#[test]
fn the_state_of_a_bot_that_cannot_reach_telegram_is_no_failed_start() {
    let home = Home::new();
    let environment = [
        ("TELEGRAM_TOKEN", TOKEN),
        ("TERTULIA__INTERFACES__TELEGRAM_BOT__BASE_URL", NOWHERE),
    ];
    let daemon: Daemon = home.start("[providers.demo]\n[log]\nlevel = \"debug\"\n", &environment);
    let (status, log, _home) = daemon.stop();
    assert!(status.success(), "{log}");
    assert!(!log.contains("canary"), "{log}");
}
