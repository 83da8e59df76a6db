//! Signs against the double.

use tertulia_interface::Interface;
use tertulia_message::{Act, DeliverError, Markup, Outbound, Post, Secret};
use tertulia_testkit::telegram_double::{At, Fault, Faults, Settings, TelegramDouble};

use super::*;
use crate::config::Config;

struct Scene {
    double: TelegramDouble,
    bot: Telegram,
}

impl Scene {
    async fn new() -> Self {
        Self::with(Settings::default()).await
    }

    /// The bot believes that there are drafts.
    async fn with(settings: Settings) -> Self {
        let double = TelegramDouble::start(settings).await.unwrap();
        let config = Config {
            base_url: double.base_url(),
            ..Config::official(Secret::new(double.token()))
        };
        let bot = Telegram::new("telegram_bot", config).unwrap();
        bot.note_drafts(true);
        Self { double, bot }
    }

    fn person(&self) -> i64 {
        let ann = self.double.person("Ann");
        self.double.open(ann);
        ann
    }

    async fn show(&self, at: impl Into<At>, re: &str, signal: Signal) {
        self.bot.signal(&path(at), re, signal).await;
    }

    async fn preview(&self, at: impl Into<At>, text: &str) {
        let markup = Markup::text(text);
        self.show(at, "", Signal::Preview { draft: 7, markup }).await;
    }

    async fn post(&self, at: impl Into<At>, text: &str) -> Result<String, DeliverError> {
        let outbound = Outbound {
            path: path(at),
            key: "a-1".to_owned(),
            re: None,
            act: Act::Post(Post::of(Markup::text(text))),
            files: Vec::new(),
        };
        self.bot.deliver(&outbound).await.map(|receipt| receipt.id)
    }

    fn drafts(&self, chat: i64) -> Vec<String> {
        self.double.drafts(chat).into_iter().map(|draft| draft.text).collect()
    }

    fn places(&self) -> usize {
        self.bot.signs.stage.len()
    }

    async fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let waiting = async {
            while !holds(self) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let came = tokio::time::timeout(Duration::from_secs(30), waiting).await.is_ok();
        assert!(came, "never: {what}");
    }
}

fn path(at: impl Into<At>) -> InterfacePath {
    format!("telegram_bot/{}", at.into()).parse().unwrap()
}

#[tokio::test]
async fn typing_is_renewed_until_the_bot_is_idle() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let forum = scene.double.forum("Friends");
    scene.double.say(ann, forum, "hello");
    let topic = scene.double.topic(forum, ann, "Games");
    let at = (forum, topic);
    scene.show(at, "", Signal::Typing).await;
    scene.show(ann, "", Signal::Typing).await;
    scene
        .until("both see it", |scene| scene.double.counts().actions == 2)
        .await;
    assert_eq!(scene.double.action(at).as_deref(), Some("typing"));
    scene
        .until("it is renewed", |scene| scene.double.counts().actions == 4)
        .await;
    for at in [At::from(at), At::from(ann)] {
        scene.show(at, "", Signal::Idle).await;
    }
    scene
        .until("nobody is shown anything", |scene| scene.places() == 0)
        .await;
    assert_eq!(scene.double.violations(), []);
}

#[tokio::test]
async fn a_chat_that_refuses_is_shown_nothing_more() {
    let scene = Scene::new().await;
    let group = scene.double.group("Friends");
    scene.double.migrate_quietly(group);
    scene.show(group, "", Signal::Typing).await;
    scene.show(424_242, "", Signal::Typing).await;
    scene
        .until("both were refused", |scene| scene.double.refused().len() == 2)
        .await;
    scene
        .until("nobody is shown anything", |scene| scene.places() == 0)
        .await;
}

#[tokio::test]
async fn a_post_that_finds_nobody_ends_what_is_shown() {
    let scene = Scene::new().await;
    let group = scene.double.group("Friends");
    scene.show(group, "", Signal::Typing).await;
    scene
        .until("it is shown", |scene| scene.double.counts().actions == 1)
        .await;
    scene.double.migrate_quietly(group);
    assert!(matches!(scene.post(group, "x").await, Err(DeliverError::Moved(_))));
    scene
        .until("nobody is shown anything", |scene| scene.places() == 0)
        .await;
}

#[tokio::test]
async fn a_wait_that_a_sign_was_told_holds_for_messages() {
    let scene = Scene::new().await;
    let ann = scene.person();
    scene
        .double
        .plan(Faults::none().next("sendChatAction", Fault::Wait(600)));
    scene.show(ann, "", Signal::Typing).await;
    scene
        .until("it is told", |scene| scene.bot.gates.rest(ann).is_some())
        .await;
    assert!(matches!(
        scene.post(ann, "x").await,
        Err(DeliverError::RateLimited { .. })
    ));
    assert_eq!(scene.double.calls("sendMessage"), 0);
}

#[tokio::test]
async fn a_draft_grows_until_its_message_comes() {
    let scene = Scene::new().await;
    let ann = scene.person();
    scene.show(ann, "", Signal::Typing).await;
    scene
        .until("it types", |scene| scene.double.counts().actions == 1)
        .await;
    for text in ["a", "ab", "abc"] {
        scene.preview(ann, text).await;
    }
    // at most one call a second: the newest text wins
    scene.until("it is shown", |scene| scene.drafts(ann) == ["abc"]).await;
    assert_eq!(scene.double.counts().drafts, 1);
    scene.preview(ann, "abcd").await;
    scene.until("it grows", |scene| scene.drafts(ann) == ["abcd"]).await;
    scene.show(ann, "", Signal::Idle).await;
    scene.post(ann, "abcd, and the end").await.unwrap();
    assert!(scene.drafts(ann).is_empty());
    assert_eq!(scene.double.bot_shows(ann), ["abcd, and the end"]);
    scene
        .until("nothing is left to show", |scene| scene.places() == 0)
        .await;
    assert_eq!(scene.double.violations(), []);
}

#[tokio::test]
async fn a_post_does_not_overtake_the_draft_before_it() {
    let scene = Scene::new().await;
    let ann = scene.person();
    scene.preview(ann, "a").await;
    scene.until("it is shown", |scene| scene.drafts(ann) == ["a"]).await;
    let place = Place { chat: ann, topic: None };
    let line = scene.bot.signs.stage.make_way(place).unwrap();
    let another_draft = line.lock().await;
    let look = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(scene.double.calls("sendMessage"), 0);
        drop(another_draft);
    };
    let (posted, ()) = tokio::join!(scene.post(ann, "a and b"), look);
    posted.unwrap();
    assert!(scene.drafts(ann).is_empty());
}

#[tokio::test]
async fn drafts_are_for_private_chats_of_servers_that_have_them() {
    let scene = Scene::with(Settings {
        drafts: false,
        ..Settings::default()
    })
    .await;
    let ann = scene.person();
    let group = scene.double.group("Friends");
    scene.preview(group, "a").await;
    assert_eq!(scene.places(), 0);
    scene.preview(ann, "a").await;
    scene.until("the server says no", |scene| !scene.bot.has_drafts()).await;
    scene.show(ann, "", Signal::Idle).await;
    scene
        .until("nobody is shown anything", |scene| scene.places() == 0)
        .await;
    scene.preview(ann, "ab").await;
    assert_eq!(scene.places(), 0);
}

#[tokio::test]
async fn presses_are_answered_and_messages_reacted_to() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let question = scene.double.say(ann, ann, "hello");
    let button = tertulia_message::Button {
        label: "Stop".to_owned(),
        token: "stop.1".to_owned(),
    };
    let post = Post {
        buttons: vec![button],
        ..Post::of(Markup::text("working"))
    };
    let outbound = Outbound {
        path: path(ann),
        key: "a-1".to_owned(),
        re: None,
        act: Act::Post(post),
        files: Vec::new(),
    };
    scene.bot.deliver(&outbound).await.unwrap();
    let shown = scene.double.shown(ann).pop().unwrap().message;
    let press = scene.double.press(ann, ann, shown, "Stop").unwrap();
    let re = format!("press/{press}");
    scene.show(ann, &re, Signal::Pressed("Stopped.".to_owned())).await;
    scene
        .until("it is answered", |scene| scene.double.is_answered(&press))
        .await;
    // a press is answered once, and nobody hears of a second answer
    scene.show(ann, &re, Signal::Pressed(String::new())).await;
    scene
        .until("it is refused", |scene| scene.double.refused().len() == 1)
        .await;
    let re = format!("{ann}/{question}");
    scene.show(ann, &re, Signal::React("👍".to_owned())).await;
    scene
        .until("it is seen", |scene| !scene.double.reactions(ann, question).is_empty())
        .await;
}

#[tokio::test]
async fn too_many_places_are_shown_typing_once() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let never = |_: &mut Plan, _| panic!("there is no room");
    let stage = &scene.bot.signs.stage;
    let place = |chat| Place { chat, topic: None };
    assert!(!stage.enter(place(ann), 0, never, |_| panic!("there is no room")));
    scene.bot.signs.once(place(ann), Some(Once::typing(place(ann))));
    scene
        .until("it is shown", |scene| scene.double.counts().actions == 1)
        .await;
    assert_eq!(scene.places(), 0);
}
