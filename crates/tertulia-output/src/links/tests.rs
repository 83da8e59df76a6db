//! Links, case by case.

use serde_json::{Value, json};
use tertulia_message::Message;

use super::{LinkError, Links};

fn message(value: Value) -> Message {
    serde_json::from_value(value).unwrap()
}

#[track_caller]
fn check(value: Value, expected: &str) {
    assert_eq!(Links::default().link(&message(value)), Ok(expected.to_owned()));
}

#[test]
fn media_are_links_to_their_address() {
    check(
        json!({"type":"image","props":{"url":"https://x/i.png","alt":"A sunset"}}),
        "![A sunset](https://x/i.png)",
    );
    check(json!({"type":"image","props":{"url":"u"}}), "![Image](u)");
    check(json!({"type":"image","props":{"url":"u","alt":""}}), "![](u)");
    check(
        json!({"type":"audio","props":{"url":"https://x/a.mp3"}}),
        "🔊 [Play Audio](https://x/a.mp3)",
    );
    check(
        json!({"type":"video","props":{"url":"https://x/v.mp4"}}),
        "🎬 [Watch Video](https://x/v.mp4)",
    );
}

#[test]
fn what_has_no_address_gets_a_view_link() {
    check(
        json!({"type":"video","id":"M9"}),
        "🎬 [Watch Video](/agent/view/video/M9)",
    );
    check(
        json!({"type":"table","id":"m1"}),
        "📊 [View Table](/agent/view/table/m1)",
    );
    check(
        json!({"type":"weather","id":"w"}),
        "📎 [View weather](/agent/view/weather/w)",
    );
    let links = Links::new("https://chat.example/");
    let link = links.link(&message(json!({"type":"page","id":"p"})));
    assert_eq!(link.unwrap(), "📄 [Open Page](https://chat.example/agent/view/page/p)");
}

#[test]
fn a_picture_without_address_is_an_error() {
    let error = Links::default().link(&message(json!({"type":"image","id":"M1","props":{"alt":"x"}})));
    assert_eq!(error, Err(LinkError::MissingUrl));
}

#[test]
fn buttons_say_their_text() {
    check(
        json!({"type":"button","id":"M3","props":{"text":"Approve"}}),
        "🔘 [Approve](/agent/view/button/M3)",
    );
    check(json!({"type":"button","id":"M3"}), "🔘 [Button](/agent/view/button/M3)");
}

#[test]
fn nothing_breaks_out_of_a_link() {
    check(
        json!({"type":"image","props":{"url":"https://x/a b(1)<c>\n.png","alt":"a]\\[\nb"}}),
        "![a\\]\\\\\\[ b](https://x/a%20b%281%29%3Cc%3E%0A.png)",
    );
    check(
        json!({"type":"image","props":{"url":"u{label}","alt":"{url}"}}),
        "![{url}](u{label})",
    );
}

#[test]
fn templates_can_be_replaced() {
    let mut links = Links::default();
    links.templates.insert("chart".into(), "see {url}".into());
    assert_eq!(
        links
            .link(&message(json!({"type":"chart","props":{"url":"u"}})))
            .unwrap(),
        "see u"
    );
}
