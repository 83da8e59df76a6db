//! What is weighed, against what a server would really get.

use proptest::prelude::*;
use serde_json::{Value, json};
use tertulia_core::markdown::parse;
use tertulia_core::split::tree;
use vodozemac::megolm::{GroupSession, SessionConfig};

use super::*;
use crate::content::{Content, edit, message};
use crate::place::Place;
use crate::relation::Relation;
use crate::render::samples::{markdown, markup, nasty};

/// The longest id of an event, of letters that take six bytes each in JSON.
fn longest_id() -> String {
    format!("${}", "\u{1}".repeat(254))
}

fn relation() -> Relation {
    Relation::of_answer(
        &Place::new("!r:h", Some(longest_id())).unwrap(),
        Some(&longest_id()),
        true,
    )
}

/// The whole event as a server keeps it, with the longest ids and twenty events before it.
fn event(kind: &str, content: &Value) -> usize {
    let hash = "h".repeat(44);
    let event = json!({
        "type": kind,
        "content": content,
        "room_id": format!("!{}", "\"".repeat(127)),
        "sender": format!("@{}:h", "x".repeat(250)),
        "depth": 9_007_199_254_740_991_i64,
        "origin_server_ts": 9_007_199_254_740_991_i64,
        "prev_events": vec![&hash; 20],
        "auth_events": vec![&hash; 10],
        "hashes": {"sha256": hash},
        "signatures": {"h".repeat(128): {"ed25519:a_test": "s".repeat(86)}},
        "unsigned": {"age_ts": 9_007_199_254_740_991_i64},
    });
    event.to_string().len()
}

/// The same event in an encrypted room, encrypted for real.
fn sealed(content: &Content) -> usize {
    let mut payload = json!({"type": "m.room.message", "room_id": format!("!{}", "\"".repeat(127))});
    let relation = content.get("m.relates_to").cloned().unwrap_or_default();
    payload["content"] = content.clone().into();
    let mut session = GroupSession::new(SessionConfig::version_1());
    let ciphertext = session.encrypt(payload.to_string()).to_base64();
    let content = json!({
        "algorithm": "m.megolm.v1.aes-sha2",
        "ciphertext": ciphertext,
        "device_id": "d".repeat(255),
        "sender_key": "k".repeat(43),
        "session_id": session.session_id(),
        "m.relates_to": relation,
    });
    event("m.room.encrypted", &content)
}

/// Fails if a message or an edit of it would be refused for its size.
fn fits(markup: &Markup, is_encrypted: bool) -> Result<(), TestCaseError> {
    let rendered = render(markup);
    for content in [
        message(&rendered, &relation(), &"t".repeat(43)),
        edit(&rendered, &longest_id(), &"t".repeat(43)),
    ] {
        let length = if is_encrypted {
            sealed(&content)
        } else {
            event("m.room.message", &content.into())
        };
        prop_assert!(
            length <= LARGEST_EVENT,
            "{length} bytes for a weight of {}",
            weigh(markup)
        );
    }
    Ok(())
}

fn cut_fits(whole: &Markup) -> Result<(), TestCaseError> {
    for is_encrypted in [false, true] {
        let limits = limits(is_encrypted, Stream::Edit, Duration::ZERO);
        for part in tree(whole.clone(), limits.text.amount(), &limits.weigh) {
            prop_assert!(weigh(&part) <= limits.text.amount());
            fits(&part, is_encrypted)?;
        }
    }
    Ok(())
}

/// A paragraph that weighs as much as fits.
fn full(word: &str, most: usize, make: impl Fn(String) -> Markup) -> Markup {
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if weigh(&make(word.repeat(middle))) <= most {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    make(word.repeat(low))
}

#[test]
fn full_messages_fit_and_are_not_small() {
    use tertulia_message::{Block, Inline};
    let strong = |text: String| Markup {
        blocks: vec![Block::Paragraph(vec![Inline::Strong(vec![Inline::Text(text)])])],
    };
    for is_encrypted in [false, true] {
        let most = limits(is_encrypted, Stream::Edit, Duration::ZERO).text.amount();
        for word in ["a", "漢", "x\n", "\"", "<", "&\n\\"] {
            for markup in [full(word, most, Markup::text), full(word, most, strong)] {
                fits(&markup, is_encrypted).unwrap();
                assert!(weigh(&markup) + 400 > most, "{word:?}");
            }
        }
        // what the server has been seen to take in an edit with HTML, less a sixth
        let least = if is_encrypted { 10_000 } else { 13_500 };
        assert!(render(&full("a", most, strong)).body.len() >= least);
    }
}

#[test]
fn nasty_texts_are_cut_into_what_fits() {
    for text in nasty() {
        let start: String = text.chars().take(40).collect();
        cut_fits(&parse(&text)).unwrap_or_else(|fault| panic!("{start}: {fault}"));
        cut_fits(&Markup::text(text)).unwrap_or_else(|fault| panic!("{start}, as it is: {fault}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_weight_is_what_an_edit_holds(markup in markup()) {
        let rendered = render(&markup);
        let content = Value::from(edit(&rendered, "$e", "t")).to_string();
        let rest = content.len().saturating_sub(weigh(&markup));
        prop_assert!(rest < 500, "{rest} bytes are not weighed");
    }

    #[test]
    fn markdown_is_cut_into_what_fits(text in markdown(), times in 1usize..40) {
        cut_fits(&parse(&text.repeat(times)))?;
    }
}

#[test]
fn the_pace_is_never_faster_than_ours() {
    let limits = |stream, seconds| limits(false, stream, Duration::from_secs(seconds));
    assert_eq!(limits(Stream::Edit, 0).pace.every, PACE.every);
    assert_eq!(limits(Stream::Edit, 5).pace.every, Duration::from_secs(5));
    assert_eq!(limits(Stream::Off, 0).progress, Progress::Hidden);
    assert_eq!(limits(Stream::Edit, 0).progress, Progress::Edit);
}
