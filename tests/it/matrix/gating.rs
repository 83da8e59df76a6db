//! Who is answered where: alone with the bot always, among others when the bot is meant.

use tertulia_testkit::matrix_person::{NewRoom, Saying};

use super::scene::{DEMO, Setup, Someone};

#[tokio::test(flavor = "multi_thread")]
async fn among_others_the_bot_answers_whoever_means_it() {
    let Some(scene) = Setup::new(DEMO).open().start().await else {
        return;
    };
    let (anna, ben) = (scene.plain("anna").await, scene.plain("ben").await);
    let bot = scene.bot().user_id.clone();
    let name = bot.trim_start_matches('@').split(':').next().unwrap().to_owned();
    let room = scene.room(&anna, NewRoom::default()).await;
    anna.say(&room, "alone with it").await;
    scene.hears(&anna, &room, "alone with it").await;
    // a third person, and it is no conversation of two
    anna.member(&room, "invite", ben.user_id()).await;
    ben.own(&room, "join").await;
    anna.say(&room, "among us one").await;
    let named = Saying::new(&format!("among us two, we like {name} much")).mention(anna.user_id());
    ben.says(&room, &named).await;
    let others = Saying::new("among us three").mention(anna.user_id());
    ben.says(&room, &others).await;
    let answer = {
        ben.says(&room, &Saying::new("mentioned apple").mention(&bot)).await;
        scene.hears(&ben, &room, "mentioned apple").await
    };
    ben.say(&room, &format!("{name}: named banana")).await;
    scene.hears(&ben, &room, "You said: named banana").await;
    let replies = Saying::new("replied cherry").reply(answer["event_id"].as_str().unwrap());
    ben.says(&room, &replies).await;
    scene.hears(&ben, &room, "replied cherry").await;
    // commands, with the name before them and without
    ben.say(&room, "!path").await;
    scene.hears(&ben, &room, &room).await;
    ben.say(&room, &format!("{name}: !whoami")).await;
    scene.hears(&ben, &room, ben.user_id()).await;
    ben.say(&room, "!roll 6").await;
    scene.is_done(&ben, &room).await;
    let shown = scene.shown(&ben, &room).await;
    let unasked = shown.iter().find(|shown| {
        let body = shown["body"].as_str().unwrap_or_default();
        body.contains("among us") || body.contains("roll 6")
    });
    assert_eq!(unasked, None);
    // two are left
    anna.member(&room, "kick", ben.user_id()).await;
    anna.say(&room, "alone again").await;
    scene.hears(&anna, &room, "alone again").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sign_of_commands_can_be_chosen() {
    let section = "command_prefix = \"%\"\n";
    let Some(scene) = Setup::new(DEMO).section(section).start().await else {
        return;
    };
    let anna = scene.plain("anna").await;
    let room = scene.room(&anna, NewRoom::default().direct()).await;
    anna.say(&room, "%path").await;
    scene.hears(&anna, &room, &room).await;
    anna.say(&room, "!path").await;
    scene.hears(&anna, &room, "You said: !path").await;
}
