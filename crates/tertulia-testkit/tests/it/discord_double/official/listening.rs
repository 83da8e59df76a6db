//! Its gateway.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use serenity::all::{
    ActionRowComponent, ButtonStyle, ChannelId, Command, CommandOptionType, CreateActionRow, CreateButton,
    CreateCommand, CreateCommandOption, CreateInteractionResponse, CreateInteractionResponseFollowup,
    CreateInteractionResponseMessage, CreateMessage, EditInteractionResponse, Event, GatewayError, GatewayIntents,
    Interaction, InteractionCreateEvent,
};
use tertulia_testkit::discord_double::{Order, Privileged, Said, Settings};

use super::{Running, client, http};
use crate::discord_double::{PATIENCE, scene, with};

const ALL: GatewayIntents = GatewayIntents::non_privileged().union(GatewayIntents::MESSAGE_CONTENT);

#[tokio::test]
async fn every_event_is_understood() {
    let (double, ann, channel) = scene().await;
    let asked = double.say(ann, channel, "hi");
    let _ = (
        double.thread_from(ann, asked, "games"),
        double.large_guild("Many", 200_000),
    );
    let mut running = Running::start(&double, ALL).await;
    for _ in 0..2 {
        running
            .wanted(|event| matches!(event, Event::GuildCreate(_)).then_some(()))
            .await;
    }
    let (guild, other) = (double.guild("New"), double.other_bot("other"));
    let (place, forum) = (double.channel(guild, "new"), double.forum(guild, "help"));
    let thread = double.forum_post(ann, forum, "title", "text");
    let file = Said::text("look")
        .file("a.png", "image/png", b"png".to_vec())
        .replying(asked);
    let ids = [
        double.send(ann, place, file),
        double.send(other, channel, Said::text("beep").embed("title", "text")),
        double.send(ann, double.conversation(ann), Said::text("").sticker("wave")),
        double.send(ann, channel, Said::text("").of_kind(7)),
    ];
    double.react(ann, asked, "👀");
    assert!(double.change(ids[0], "changed"));
    double.archive(thread, true);
    double.delete_channel(forum);
    assert!(double.delete(ids[0]));
    double.set_unavailable(guild, true);
    double.leave(guild);
    let mut heard = BTreeSet::new();
    let wanted = [
        "CHANNEL_CREATE",
        "CHANNEL_DELETE",
        "GUILD_DELETE",
        "MESSAGE_CREATE",
        "MESSAGE_DELETE",
        "MESSAGE_UPDATE",
        "MESSAGE_REACTION_ADD",
        "THREAD_CREATE",
        "THREAD_UPDATE",
    ];
    while !wanted.iter().all(|name| heard.contains(*name)) {
        let name = running.wanted(|event| match event {
            Event::Unknown(unknown) => panic!("{unknown:?}"),
            event => Some(event.name().unwrap_or_default()),
        });
        heard.insert(name.await);
    }
}

#[tokio::test]
async fn commands_and_buttons_are_answered() {
    let (double, ann, channel) = scene().await;
    let http = http(&double);
    let option = CreateCommandOption::new(CommandOptionType::String, "text", "what").required(true);
    let ask = CreateCommand::new("ask").description("asks").add_option(option);
    Command::create_global_command(&http, ask).await.unwrap();
    let mut running = Running::start(&double, ALL).await;
    running
        .wanted(|event| matches!(event, Event::GuildCreate(_)).then_some(()))
        .await;
    let id = double.slash(ann, channel, "ask", &[("text", json!("why"))]).unwrap();
    let interaction = |event| match event {
        Event::InteractionCreate(InteractionCreateEvent { interaction, .. }) => Some(interaction),
        _ => None,
    };
    let Interaction::Command(command) = running.wanted(interaction).await else {
        panic!("no command");
    };
    assert_eq!(
        (command.id.get(), command.data.options[0].value.as_str()),
        (id, Some("why"))
    );
    let deferred = CreateInteractionResponse::Defer(CreateInteractionResponseMessage::new());
    command.create_response(&http, deferred).await.unwrap();
    command
        .edit_response(&http, EditInteractionResponse::new().content("because"))
        .await
        .unwrap();
    let follow_up = CreateInteractionResponseFollowup::new().content("and more");
    command.create_followup(&http, follow_up).await.unwrap();
    assert_eq!(command.get_response(&http).await.unwrap().content, "because");
    assert_eq!(double.bot_shows(channel), ["because", "and more"]);
    let button = CreateButton::new("stop").label("Stop").style(ButtonStyle::Danger);
    let message = CreateMessage::new()
        .content("x")
        .components(vec![CreateActionRow::Buttons(vec![button])]);
    let made = ChannelId::new(channel).send_message(&http, message).await.unwrap();
    assert!(matches!(
        made.components[0].components[0],
        ActionRowComponent::Button(_)
    ));
    double.press(ann, made.id.get(), "stop").unwrap();
    let Interaction::Component(pressed) = running.wanted(interaction).await else {
        panic!("no button");
    };
    assert_eq!((pressed.data.custom_id.as_str(), pressed.message.id), ("stop", made.id));
    pressed
        .create_response(&http, CreateInteractionResponse::Acknowledge)
        .await
        .unwrap();
    assert!(double.violations().is_empty(), "{:?}", double.violations());
}

#[tokio::test]
async fn a_session_is_resumed() {
    for compress in [false, true] {
        let double = with(Settings {
            compress,
            ..Settings::default()
        })
        .await;
        let (ann, channel) = (double.person("Ann"), double.channel(double.guild("Friends"), "general"));
        let mut running = Running::start(&double, ALL).await;
        running
            .wanted(|event| matches!(event, Event::GuildCreate(_)).then_some(()))
            .await;
        double.say(ann, channel, "one");
        assert_eq!(running.message().await.content, "one");
        for (order, resumes) in [(Order::Reconnect, 1), (Order::Close(1000), 2)] {
            double.order(&order);
            double.say(ann, channel, "two");
            assert_eq!(running.message().await.content, "two");
            let resumed = async {
                while double.counts().resumes < resumes {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            tokio::time::timeout(PATIENCE, resumed)
                .await
                .expect("a resumed session");
        }
        assert_eq!(double.counts().identifies, 1);
    }
}

#[tokio::test]
async fn what_must_not_be_retried_ends_the_client() {
    let double = with(Settings {
        privileged: Privileged::none(),
        ..Settings::default()
    })
    .await;
    let (mut running, _events) = client(&double, ALL).await;
    let ended = running.start().await;
    let Err(serenity::Error::Gateway(GatewayError::DisallowedGatewayIntents)) = ended else {
        panic!("{ended:?}");
    };
    let (mut running, _events) = client(&double, GatewayIntents::non_privileged()).await;
    double.at_identify(Order::Close(4004));
    let ended = running.start().await;
    let Err(serenity::Error::Gateway(GatewayError::InvalidAuthentication)) = ended else {
        panic!("{ended:?}");
    };
}
