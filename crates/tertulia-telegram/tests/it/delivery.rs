//! Posts, edits and deletes.

mod files;
mod refusals;
mod scene;

use serde_json::json;
use tertulia_message::{Block, Button, DeliverError, Inline, Markup, Post};
use tertulia_testkit::telegram_double::At;

use scene::{Scene, text};

fn buttons(count: usize) -> Vec<Button> {
    let button = |n| Button {
        label: format!("Stop {n}"),
        token: format!("stop.{n}"),
    };
    (0..count).map(button).collect()
}

#[tokio::test]
async fn a_post_arrives_where_it_belongs() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let forum = scene.telegram.forum("Friends");
    scene.telegram.say(ann, forum, "hello");
    let topic = scene.telegram.topic(forum, ann, "Games");
    let mut post = text("");
    let bold = Inline::Strong(vec![Inline::Text("bold".to_owned())]);
    post.markup = Markup {
        blocks: vec![Block::Paragraph(vec![Inline::Text("😀 ".to_owned()), bold])],
    };
    for at in [At::from(ann), forum.into(), (forum, topic).into()] {
        let id = scene.post(at, &post).await.unwrap();
        let shown = scene.telegram.shown(at).pop().unwrap();
        assert_eq!(id, format!("{}/{}", at.chat, shown.message));
        assert_eq!(shown.text, "😀 bold");
        assert_eq!(shown.entities, [json!({"type": "bold", "offset": 3, "length": 4})]);
    }
    let called = scene.telegram.accepted().pop().unwrap();
    assert_eq!(called.params["link_preview_options"], json!({"is_disabled": true}));
    scene.is_well_behaved();
}

#[tokio::test]
async fn groups_see_who_is_answered() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let group = scene.telegram.supergroup("Friends");
    let quoted = Post {
        quote: true,
        ..text("answer")
    };
    let question = scene.telegram.say(ann, group, "@double_bot question");
    let re = format!("{group}/{question}");
    scene.answer(group, &re, &quoted).await.unwrap();
    let reply = scene.telegram.shown(group).pop().unwrap();
    assert_eq!(reply.reply_to, Some(question));
    // it was deleted, or a button was pressed
    for re in [&format!("{group}/99999"), "press/7"] {
        scene.answer(group, re, &quoted).await.unwrap();
        assert_eq!(scene.telegram.shown(group).pop().unwrap().reply_to, None, "{re}");
    }
    let question = scene.telegram.say(ann, ann, "question");
    scene.answer(ann, &format!("{ann}/{question}"), &quoted).await.unwrap();
    assert_eq!(scene.telegram.shown(ann).pop().unwrap().reply_to, None);
    scene.is_well_behaved();
}

#[tokio::test]
async fn buttons_come_and_go() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let mut post = text("working");
    post.buttons = buttons(9);
    let id = scene.post(ann, &post).await.unwrap();
    let rows = scene.telegram.shown(ann).pop().unwrap().buttons;
    assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [8, 1]);
    assert_eq!(rows[1], [("Stop 8".to_owned(), "stop.8".to_owned())]);
    // the same text: only the buttons change
    post.buttons.truncate(1);
    scene.edit(ann, &id, &post).await.unwrap();
    assert_eq!(scene.telegram.shown(ann).pop().unwrap().buttons.len(), 1);
    scene.edit(ann, &id, &text("working")).await.unwrap();
    assert!(scene.telegram.shown(ann).pop().unwrap().buttons.is_empty());
    scene.is_well_behaved();
}

#[tokio::test]
async fn buttons_that_are_refused_do_not_hold_the_text_back() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let mut post = text("answer");
    post.buttons = buttons(1);
    post.buttons[0].token = "x".repeat(65);
    let id = scene.post(ann, &post).await.unwrap();
    assert_eq!(scene.telegram.bot_shows(ann), ["answer"]);
    post.markup = Markup::text("better");
    scene.edit(ann, &id, &post).await.unwrap();
    assert_eq!(scene.telegram.bot_shows(ann), ["better"]);
}

#[tokio::test]
async fn an_edit_gives_the_whole_new_content() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let id = scene.post(ann, &text("first")).await.unwrap();
    assert_eq!(scene.edit(ann, &id, &text("second")).await, Ok(id.clone()));
    assert_eq!(scene.telegram.bot_shows(ann), ["second"]);
    // nothing changes, which is success
    assert_eq!(scene.edit(ann, &id, &text("second")).await, Ok(id));
    assert_eq!(scene.telegram.counts().unchanged_edits, 1);
    scene.is_well_behaved();
}

#[tokio::test]
async fn what_cannot_be_edited_is_missing() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let id = scene.post(ann, &text("first")).await.unwrap();
    assert!(
        scene
            .telegram
            .delete(ann, id.split_once('/').unwrap().1.parse().unwrap())
    );
    let theirs = format!("{ann}/{}", scene.telegram.say(ann, ann, "mine"));
    for id in [id.as_str(), &theirs, "-100123/7", "no id"] {
        let edited = scene.edit(ann, id, &text("second")).await;
        assert!(matches!(edited, Err(DeliverError::Missing(_))), "{id}: {edited:?}");
    }
}

#[tokio::test]
async fn a_delete_is_done_when_nothing_is_there() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let id = scene.post(ann, &text("first")).await.unwrap();
    for _ in 0..2 {
        assert_eq!(scene.delete(ann, &id).await, Ok(id.clone()));
        assert!(scene.telegram.bot_shows(ann).is_empty());
    }
    assert!(scene.delete(ann, "-100123/7").await.is_ok());
    scene.is_well_behaved();
}

#[tokio::test]
async fn what_is_too_long_is_told_without_a_call() {
    let scene = Scene::new().await;
    let ann = scene.person();
    let fits = text(&"😀".repeat(2048));
    let id = scene.post(ann, &fits).await.unwrap();
    let too_long = text(&"😀".repeat(2049));
    assert_eq!(scene.post(ann, &too_long).await, Err(DeliverError::TooLong));
    assert_eq!(scene.edit(ann, &id, &too_long).await, Err(DeliverError::TooLong));
    assert_eq!(
        (
            scene.telegram.calls("sendMessage"),
            scene.telegram.calls("editMessageText")
        ),
        (1, 0)
    );
    scene.is_well_behaved();
}
