//! Where the bot hears what, and where it answers.

use tertulia_testkit::telegram_double::{At, Said};

use super::scene::{BOT, DEMO, Scene};

#[tokio::test(flavor = "multi_thread")]
async fn in_a_group_it_hears_what_is_said_to_it() {
    let scene = Scene::start(DEMO).await;
    let telegram = &scene.telegram;
    let (ann, group) = (telegram.person("Ann"), telegram.supergroup("Friends"));
    scene.let_in(group);
    telegram.say(ann, group, "apple");
    telegram.say(ann, group, "@double_bot banana");
    let answer = scene.hears(group, "You said: ").await;
    assert!(
        answer.text.contains("banana") && !answer.text.contains("apple"),
        "{answer:?}"
    );
    telegram.send(ann, group, Said::text("cherry").reply_to(answer.message));
    scene.hears(group, "cherry").await;
    telegram.say(ann, group, "/path@double_bot");
    scene.hears(group, &format!("{BOT}/{group}")).await;
    telegram.say(ann, group, "/path@other_bot");
    telegram.say(ann, group, "@double_bot the last word");
    scene.hears(group, "the last word").await;
    let shown = telegram.bot_shows(group);
    assert_eq!(shown.len(), 4, "{shown:?}");
    scene.behaved();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_meets_silence_in_a_group_and_one_word_alone() {
    let scene = Scene::start(DEMO).await;
    let telegram = &scene.telegram;
    let (eve, group) = (telegram.person("Eve"), telegram.supergroup("Friends"));
    telegram.say(eve, group, "@double_bot hello");
    scene.daemon().until_logged(|line| line.contains("was not let in"));
    telegram.say(eve, eve, "hello");
    scene.hears(eve, &format!("{BOT}/{eve}")).await;
    telegram.say(eve, eve, "hello again");
    scene.let_in(group);
    telegram.say(eve, group, "@double_bot now");
    scene.hears(group, "You said: now").await;
    assert_eq!(telegram.bot_shows(group).len(), 1);
    assert_eq!(telegram.bot_shows(eve).len(), 1);
    scene.behaved();
}

#[tokio::test(flavor = "multi_thread")]
async fn each_topic_is_a_conversation_and_is_answered_there() {
    let scene = Scene::start(DEMO).await;
    let telegram = &scene.telegram;
    let (ann, forum) = (telegram.person("Ann"), telegram.forum("Club"));
    // the first number is General's
    telegram.say(ann, forum, "Welcome.");
    scene.let_in(forum);
    let (games, music) = (telegram.topic(forum, ann, "Games"), telegram.topic(forum, ann, "Music"));
    for (topic, word) in [(Some(games), "chess"), (Some(music), "fugue"), (None, "general")] {
        let at = At { chat: forum, topic };
        telegram.say(ann, at, &format!("@double_bot {word}"));
        scene.hears(at, &format!("You said: {word}")).await;
        telegram.say(ann, at, "@double_bot what did I say?");
        let remembered = scene
            .until("the memory", |telegram| {
                let mut shown = telegram.bot_shows(at).into_iter();
                shown.find(|text| !text.contains("You said: ") && text.contains(word))
            })
            .await;
        let shown = telegram.bot_shows(at);
        assert_eq!(shown.len(), 2, "{remembered}: {shown:?}");
    }
    scene.behaved();
}

#[tokio::test(flavor = "multi_thread")]
async fn always_on_is_one_topic_and_not_its_neighbour() {
    let scene = Scene::start(DEMO).await;
    let (ann, forum) = (scene.telegram.person("Ann"), scene.telegram.forum("Club"));
    // the first number is General's
    scene.telegram.say(ann, forum, "Welcome.");
    let (open, other) = (
        scene.telegram.topic(forum, ann, "Open"),
        scene.telegram.topic(forum, ann, "Other"),
    );
    let config = format!("{DEMO}[interfaces.{BOT}]\nalways_on = [\"{forum}/{open}\"]\n");
    let scene = scene.started_with(&config);
    scene.let_in(forum);
    scene.telegram.say(ann, (forum, other), "apple");
    scene.telegram.say(ann, (forum, open), "banana");
    scene.hears((forum, open), "You said: banana").await;
    assert!(scene.telegram.bot_shows((forum, other)).is_empty());
    scene.behaved();
}
