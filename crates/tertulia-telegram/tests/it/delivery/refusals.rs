//! What does not arrive, and what may have arrived.

use std::time::Duration;

use tertulia_interface::Interface;
use tertulia_message::{DeliverError, RateScope};
use tertulia_testkit::telegram_double::{Fault, Faults, Settings, Standing};

use super::scene::{Scene, text};

#[tokio::test]
async fn a_wait_holds_for_the_whole_chat_and_for_nobody_else() {
    let scene = Scene::new().await;
    let (ann, bob) = (scene.person(), scene.person());
    let id = scene.post(ann, &text("first")).await.unwrap();
    scene
        .telegram
        .plan(Faults::none().next("sendMessage", Fault::Wait(600)));
    let limited = scene.post(ann, &text("second")).await;
    let after = Duration::from_mins(10);
    let scope = RateScope::Path;
    assert_eq!(limited, Err(DeliverError::RateLimited { after, scope }));
    let calls = |method| scene.telegram.calls(method);
    let before = (calls("sendMessage"), calls("editMessageText"), calls("deleteMessage"));
    let again = [
        scene.post(ann, &text("second")).await,
        scene.edit(ann, &id, &text("third")).await,
        scene.delete(ann, &id).await,
    ];
    for refused in again {
        let Err(DeliverError::RateLimited { after, .. }) = refused else {
            panic!("{refused:?}")
        };
        assert!(after <= Duration::from_mins(10) && after > Duration::from_mins(5));
    }
    assert_eq!(
        (calls("sendMessage"), calls("editMessageText"), calls("deleteMessage")),
        before
    );
    scene.post(bob, &text("hello")).await.unwrap();
    scene.is_well_behaved();
}

#[tokio::test]
async fn several_chats_that_wait_mean_the_bot() {
    let scene = Scene::new().await;
    let people = [scene.person(), scene.person(), scene.person(), scene.person()];
    let wait = Faults::none().when(3, |call| call.method == "sendMessage", Fault::Wait(600));
    scene.telegram.plan(wait);
    let mut scopes = Vec::new();
    for person in people {
        let refused = scene.post(person, &text("x")).await;
        let Err(DeliverError::RateLimited { scope, .. }) = refused else {
            panic!("{refused:?}")
        };
        scopes.push(scope);
    }
    let (path, account) = (RateScope::Path, RateScope::Account);
    assert_eq!(scopes, [path, path, account, account]);
    assert_eq!(scene.telegram.calls("sendMessage"), 3);
}

#[tokio::test]
async fn a_group_that_has_moved_gives_its_new_address() {
    let scene = Scene::new().await;
    let group = scene.telegram.group("Friends");
    let id = scene.post(group, &text("first")).await.unwrap();
    let moved = scene.telegram.migrate_quietly(group);
    let path = format!("telegram_bot/{moved}").parse().unwrap();
    let refused = Err(DeliverError::Moved(path));
    assert_eq!(scene.post(group, &text("second")).await, refused);
    assert_eq!(scene.edit(group, &id, &text("third")).await, refused);
    // what stayed behind is not there: posted anew, and as good as deleted
    let edited = scene.edit(moved, &id, &text("third")).await;
    assert!(matches!(edited, Err(DeliverError::Missing(_))));
    scene.delete(moved, &id).await.unwrap();
    scene.post(moved, &text("second")).await.unwrap();
    scene.is_well_behaved();
}

#[tokio::test]
async fn whoever_does_not_want_us_is_left_alone() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let group = scene.telegram.supergroup("Friends");
    let cases = [
        (ann, Standing::Blocked, true),
        (ann, Standing::Deactivated, true),
        (group, Standing::Kicked, true),
        (group, Standing::Muted, false),
    ];
    for (chat, standing, is_gone) in cases {
        scene.telegram.set_standing_quietly(chat, standing);
        let refused = scene.post(chat, &text("x")).await;
        let as_told = if is_gone {
            matches!(refused, Err(DeliverError::Gone(_)))
        } else {
            matches!(refused, Err(DeliverError::Refused(_)))
        };
        assert!(as_told, "{standing:?}: {refused:?}");
    }
    let nobody = scene.post(424_242, &text("x")).await;
    assert!(matches!(nobody, Err(DeliverError::Gone(_))));
}

#[tokio::test]
async fn topics_that_are_gone_or_closed() {
    let scene = Scene::with(Settings {
        private_topics: true,
        ..Settings::default()
    })
    .await;
    let ann = scene.person();
    let forum = scene.telegram.forum("Friends");
    scene.telegram.say(ann, forum, "hello");
    let topic = scene.telegram.topic(forum, ann, "Games");
    scene.telegram.close_topic(forum, topic);
    let closed = scene.post((forum, topic), &text("x")).await;
    assert!(matches!(closed, Err(DeliverError::Refused(_))), "{closed:?}");
    scene.telegram.delete_topic(forum, topic);
    let deleted = scene.post((forum, topic), &text("x")).await;
    assert!(matches!(deleted, Err(DeliverError::Gone(_))), "{deleted:?}");
    assert!(scene.telegram.bot_shows(forum).is_empty(), "never in another topic");
    // a private chat is one conversation with one person in any case
    let topic = scene.telegram.topic(ann, ann, "Plans");
    scene.post((ann, topic), &text("a")).await.unwrap();
    scene.telegram.delete_topic(ann, topic);
    scene.post((ann, topic), &text("b")).await.unwrap();
    assert_eq!(scene.telegram.bot_shows(ann), ["b"]);
}

#[tokio::test]
async fn what_may_have_arrived_is_in_doubt() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let id = scene.post(ann, &text("a")).await.unwrap();
    let faults = [
        (Fault::BadGateway { done: false }, false),
        (Fault::BadGateway { done: true }, true),
        (Fault::Internal { done: true }, true),
        (Fault::CutBefore, false),
        (Fault::CutAfter, true),
        (Fault::InvalidJson, true),
    ];
    for (fault, done) in faults {
        let plan = Faults::none().next("sendMessage", fault.clone());
        scene.telegram.plan(plan.next("editMessageText", fault.clone()));
        let before = scene.telegram.bot_shows(ann).len();
        let posted = scene.post(ann, &text("b")).await;
        assert!(matches!(posted, Err(DeliverError::Unsure(_))), "{fault:?}: {posted:?}");
        assert_eq!(
            scene.telegram.bot_shows(ann).len(),
            before + usize::from(done),
            "{fault:?}"
        );
        let edited = scene.edit(ann, &id, &text(&format!("{fault:?}"))).await;
        assert!(matches!(edited, Err(DeliverError::Unsure(_))), "{fault:?}: {edited:?}");
    }
    scene.is_well_behaved();
}

#[tokio::test]
async fn what_surely_did_not_arrive_is_tried_again() {
    let scene = Scene::new().await;
    let ann = scene.person();
    scene.telegram.lock_out(true);
    let refused = scene.post(ann, &text("a")).await;
    assert!(
        matches!(refused, Err(DeliverError::Lost(_))),
        "a token is replaced: {refused:?}"
    );
    scene.telegram.lock_out(false);
    // a proxy's own refusal: not Telegram's words
    scene
        .telegram
        .plan(Faults::none().next("sendMessage", Fault::Refuse(403, "denied by policy".to_owned())));
    let refused = scene.post(ann, &text("a")).await;
    assert!(matches!(refused, Err(DeliverError::Lost(_))), "{refused:?}");
    let Scene { telegram, bot } = scene;
    drop(telegram);
    let outbound = tertulia_message::Outbound {
        path: format!("telegram_bot/{ann}").parse().unwrap(),
        key: "a-1".to_owned(),
        re: None,
        act: tertulia_message::Act::Post(text("a")),
        files: Vec::new(),
    };
    // the first call after it went may still find the old connection
    let mut errors = Vec::new();
    for _ in 0..3 {
        errors.push(bot.deliver(&outbound).await.unwrap_err());
    }
    assert!(matches!(errors.last(), Some(DeliverError::Lost(_))), "{errors:?}");
}
