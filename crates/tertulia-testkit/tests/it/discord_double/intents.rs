//! What the bot may listen to, and what it hears then.

use serde_json::{Value, json};
use tertulia_testkit::discord_double::{Privileged, Said, Settings};

use super::socket::{ALL, Socket, session};
use super::{get, scene, with};

const GUILDS: u64 = 1;
const GUILD_MESSAGES: u64 = 1 << 9;
const CONTENT: u64 = 1 << 15;

#[tokio::test]
async fn intents_are_checked() {
    let settings = Settings {
        privileged: Privileged::none(),
        ..Settings::default()
    };
    let double = with(settings).await;
    for (intents, code) in [(CONTENT, 4014), (1 << 1, 4014), (1 << 8, 4014), (1 << 30, 4013)] {
        let mut socket = Socket::open(&double.gateway_url()).await;
        socket.identify(&double, GUILDS | intents).await;
        assert_eq!(socket.closed().await, Some(code), "{intents:b}");
    }
    assert_eq!(double.counts().identifies, 0, "none of them began a session");
}

#[tokio::test]
async fn without_the_intent_contents_are_empty_unless_they_are_for_the_bot() {
    let (double, ann, channel) = scene().await;
    let bot = double.bot_id();
    let (mut blind, _) = session(&double, GUILDS | GUILD_MESSAGES | 1 << 12).await;
    let file = Said::text("look").file("a.txt", "text/plain", b"a".to_vec());
    double.send(ann, channel, file.clone());
    double.say(ann, channel, &format!("<@{bot}> hello"));
    double.send(ann, double.conversation(ann), file);
    let hidden = blind.event("MESSAGE_CREATE").await["d"].clone();
    assert_eq!((&hidden["content"], &hidden["attachments"]), (&json!(""), &json!([])));
    assert_eq!(hidden["author"]["username"], "Ann");
    let mentioned = blind.event("MESSAGE_CREATE").await["d"].clone();
    assert_eq!(mentioned["content"], format!("<@{bot}> hello"));
    assert_eq!(mentioned["mentions"][0]["id"], bot.to_string());
    let private = blind.event("MESSAGE_CREATE").await["d"].clone();
    assert_eq!(
        (&private["content"], &private["guild_id"]),
        (&json!("look"), &Value::Null)
    );
    assert_eq!(private["attachments"][0]["filename"], "a.txt");
}

#[tokio::test]
async fn calls_show_contents_by_the_application() {
    for (privileged, content) in [(Privileged::all(), "hi"), (Privileged::none(), "")] {
        let double = with(Settings {
            privileged,
            ..Settings::default()
        })
        .await;
        let (ann, channel) = (double.person("Ann"), double.channel(double.guild("Friends"), "general"));
        let said = double.say(ann, channel, "hi");
        let message = get(&double, &format!("/channels/{channel}/messages/{said}")).await;
        assert_eq!(message["content"], content);
    }
}

#[tokio::test]
async fn only_what_was_asked_for_is_told() {
    let (double, ann, channel) = scene().await;
    let (mut socket, _) = session(&double, GUILD_MESSAGES | CONTENT).await;
    let guild = double.guild("Unheard");
    let (_, question) = (double.channel(guild, "more"), double.say(ann, channel, "one"));
    double.react(ann, question, "👀");
    double.say(ann, double.conversation(ann), "private");
    double.say(ann, channel, "two");
    for expected in ["one", "two"] {
        assert_eq!(socket.event("MESSAGE_CREATE").await["d"]["content"], expected);
    }
    let sessions = double.sessions();
    assert_eq!(
        (sessions[0].intents, sessions[0].seq, sessions[0].is_connected),
        (GUILD_MESSAGES | CONTENT, 3, true)
    );
    assert_ne!(sessions[0].intents, ALL);
}
