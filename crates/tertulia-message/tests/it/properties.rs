//! Round trips, and that no input does harm.

#![expect(clippy::unwrap_used, reason = "a strategy is test code outside of a test function")]

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;
use tertulia_message::dsl::{Assembler, Message};
use tertulia_message::path::{InterfacePath, PathError};

/// Texts in which the characters that matter are frequent.
fn id() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a/% \t\u{0}é\u{a0}$!:.-]{0,12}"]
}

fn path_like() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z_]{0,4}(/[a-zA-F0-9% /é]{0,6}){0,4}",
        "x(/(%[0-9A-Fa-f]{2}|[a ])){1,3}"
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ab]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map("[abc]", inner, 0..3).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn message() -> impl Strategy<Value = Message> {
    let identity = ("[mn]?", "(text|table)?", any::<(bool, bool)>());
    let place = (
        "((props\\.)?[abc](\\.[abc012]|\\[[012]\\]){0,2}|[a.\\[\\]-]{0,4})?",
        "(append|replace|merge|set|x)?",
    );
    let metadata = option::of(any::<(i64, u64)>());
    (
        identity,
        place,
        btree_map("[abc012]|props", json(), 0..4),
        metadata,
        any::<bool>(),
    )
        .prop_map(
            |((id, kind, (delta, done)), (path, action), props, metadata, group_start)| {
                let fields = serde_json::json!({
                    "id": id, "type": kind, "delta": delta, "done": done && group_start, "delta_path": path,
                    "delta_action": action, "group_start": group_start, "props": props,
                    "metadata": metadata.map(|(timestamp, sequence)| {
                        serde_json::json!({"timestamp": timestamp, "sequence": sequence})
                    }),
                });
                serde_json::from_value(fields).unwrap()
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_parsed_path_is_written_as_it_was(text in path_like()) {
        if let Ok(path) = InterfacePath::parse(&text) {
            prop_assert_eq!(path.to_string(), text.clone());
            let levels: Vec<_> = path.levels().skip(1).map(String::from).collect();
            prop_assert_eq!(InterfacePath::build(path.interface(), levels), Ok(path));
        }
    }

    #[test]
    fn every_id_round_trips(target in id(), thread in option::of(id())) {
        let blank = |id: &str| id.trim().is_empty();
        match InterfacePath::build("x", [Some(target.clone()), thread.clone()]) {
            Ok(path) => {
                prop_assert_eq!(InterfacePath::parse(path.as_str()), Ok(path.clone()));
                prop_assert_eq!(path.target(), target);
                prop_assert_eq!(path.thread().map(String::from), thread);
            }
            Err(PathError::Blank) => prop_assert!(blank(&target) || thread.as_deref().is_some_and(blank)),
            Err(error) => prop_assert_eq!(error, PathError::TooLong),
        }
    }

    #[test]
    fn a_refused_delta_changes_nothing(messages in vec(message(), 0..12)) {
        let mut assembler = Assembler::new();
        for message in &messages {
            let before = (assembler.messages().to_vec(), assembler.ignored());
            if assembler.push(message).is_err() {
                prop_assert_eq!((assembler.messages().to_vec(), assembler.ignored()), before);
            }
        }
        prop_assert!(assembler.messages().iter().all(|whole| !whole.delta && whole.delta_path.is_empty()));
    }

    #[test]
    fn messages_survive_the_wire(message in message()) {
        let text = serde_json::to_string(&message).unwrap();
        prop_assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), message);
    }
}
