//! How a delta changes a message, and when it does not.

use serde_json::{Value, json};

use crate::dsl::{MergeError, Merged, Message, merge_into};

fn message(json: &Value) -> Message {
    serde_json::from_value(json.clone()).unwrap()
}

fn props(value: &Value) -> Message {
    message(&json!({"id": "m", "type": "x", "props": value}))
}

fn delta(action: &str, path: &str, value: &Value) -> Message {
    let fields = json!({"id": "m", "type": "x", "delta": true, "delta_action": action, "delta_path": path});
    Message {
        props: value.as_object().unwrap().clone(),
        ..message(&fields)
    }
}

#[track_caller]
fn check(before: &Value, action: &str, path: &str, value: &Value, after: &Value) {
    let mut target = props(before);
    assert_eq!(
        merge_into(&mut target, &delta(action, path, value)),
        Ok(Merged::Applied)
    );
    assert_eq!(Value::Object(target.props), *after);
}

#[track_caller]
fn check_refused(before: &Value, action: &str, path: &str, value: &Value, is_expected: fn(&MergeError) -> bool) {
    let mut target = props(before);
    let refused = Message {
        done: true,
        group_id: "g".to_owned(),
        ..delta(action, path, value)
    };
    let error = merge_into(&mut target, &refused).unwrap_err();
    assert!(is_expected(&error), "{error:?}");
    assert_eq!(target, props(before), "an error leaves the message as it was");
}

#[test]
fn append_without_a_path_works_key_by_key() {
    check(
        &json!({"s": "a"}),
        "append",
        "",
        &json!({"s": "b", "t": "c"}),
        &json!({"s": "ab", "t": "c"}),
    );
    check(&json!({"s": "a"}), "", "", &json!({"s": "b"}), &json!({"s": "ab"}));
    check(
        &json!({"l": [1]}),
        "append",
        "",
        &json!({"l": [2, 3]}),
        &json!({"l": [1, 2, 3]}),
    );
    check(
        &json!({"l": [1]}),
        "append",
        "",
        &json!({"l": "x"}),
        &json!({"l": [1, "x"]}),
    );
    check(
        &json!({"n": 1, "s": "a", "o": {"a": 1}}),
        "append",
        "",
        &json!({"n": 2, "s": null, "o": {"b": 2}}),
        &json!({"n": 2, "s": null, "o": {"b": 2}}),
    );
}

#[test]
fn append_at_a_path_needs_a_string_or_an_array() {
    check(
        &json!({"a": {"s": "x"}}),
        "append",
        "a.s",
        &json!({"a": {"s": "y"}}),
        &json!({"a": {"s": "xy"}}),
    );
    check(
        &json!({"l": [1]}),
        "append",
        "l",
        &json!({"l": [2, 3]}),
        &json!({"l": [1, 2, 3]}),
    );
    check(
        &json!({"l": [1]}),
        "append",
        "l",
        &json!({"l": {"a": 1}}),
        &json!({"l": [1, {"a": 1}]}),
    );
    check(
        &json!({}),
        "append",
        "a.b.c",
        &json!({"c": 1}),
        &json!({"a": {"b": {"c": 1}}}),
    );
    for (old, new) in [
        (json!(1), json!(2)),
        (json!("s"), json!(1)),
        (json!({}), json!({})),
        (json!(null), json!("s")),
    ] {
        let is_expected =
            |error: &MergeError| matches!(error, MergeError::WrongKind { action, .. } if action == "append");
        check_refused(&json!({"k": old}), "append", "k", &json!({"k": new}), is_expected);
    }
}

#[test]
fn replace_puts_a_value_in_the_place_of_another() {
    check(
        &json!({"a": 1, "b": 2}),
        "replace",
        "",
        &json!({"c": 3}),
        &json!({"c": 3}),
    );
    check(
        &json!({"a": 1, "b": 2}),
        "replace",
        "a",
        &json!({"a": null}),
        &json!({"a": null, "b": 2}),
    );
    check(
        &json!({"l": [1, 2]}),
        "replace",
        "l[1]",
        &json!({"l": [0, 9]}),
        &json!({"l": [1, 9]}),
    );
    check(
        &json!({}),
        "replace",
        "a.b",
        &json!({"b": []}),
        &json!({"a": {"b": []}}),
    );
}

#[test]
fn merge_is_shallow() {
    let before = json!({"o": {"a": 1, "b": {"x": 1}, "l": [1]}});
    let after = json!({"o": {"a": null, "b": {"y": 2}, "l": [2], "c": 3}});
    check(
        &before,
        "merge",
        "o",
        &json!({"o": {"a": null, "b": {"y": 2}, "l": [2], "c": 3}}),
        &after,
    );
    check(
        &json!({"a": {"x": 1}, "b": 1}),
        "merge",
        "",
        &json!({"a": {"y": 2}}),
        &json!({"a": {"y": 2}, "b": 1}),
    );
    check(
        &json!({}),
        "merge",
        "a.b",
        &json!({"b": {"c": 1}}),
        &json!({"a": {"b": {"c": 1}}}),
    );
    for (old, new) in [
        (json!([]), json!({})),
        (json!({}), json!([])),
        (json!(null), json!({})),
        (json!("s"), json!("s")),
    ] {
        let is_expected =
            |error: &MergeError| matches!(error, MergeError::WrongKind { action, .. } if action == "merge");
        check_refused(&json!({"k": old}), "merge", "k", &json!({"k": new}), is_expected);
    }
    check_refused(&json!({}), "merge", "k", &json!({"k": 1}), |error| {
        matches!(error, MergeError::WrongKind { .. })
    });
}

#[test]
fn set_touches_only_what_is_missing() {
    check(
        &json!({"a": 1}),
        "set",
        "",
        &json!({"a": 2, "b": 3}),
        &json!({"a": 1, "b": 3}),
    );
    check(&json!({"a": null}), "set", "a", &json!({"a": 2}), &json!({"a": null}));
    check(
        &json!({"a": {}}),
        "set",
        "a.b.c",
        &json!({"c": 2}),
        &json!({"a": {"b": {"c": 2}}}),
    );
    check(
        &json!({"l": [1]}),
        "set",
        "l.1",
        &json!({"l": [0, 2]}),
        &json!({"l": [1, 2]}),
    );
}

#[test]
fn a_path_is_dotted_or_bracketed() {
    let before = json!({"items": [{"title": "a"}, [["b"]]]});
    let after = json!({"items": [{"title": "ac"}, [["b"]]]});
    for path in ["items.0.title", "items[0].title", "props.items[0].title"] {
        check(&before, "append", path, &json!({"title": "c"}), &after);
    }
    let nested = json!({"items": [0, [["d"]]]});
    check(
        &before,
        "append",
        "items[1][0][0]",
        &nested,
        &json!({"items": [{"title": "a"}, [["bd"]]]}),
    );
    check(
        &json!({"o": {}}),
        "set",
        "o.0",
        &json!({"0": "a number as a key"}),
        &json!({"o": {"0": "a number as a key"}}),
    );
}

#[test]
fn malformed_paths_are_refused() {
    let deep = ["a"; 33].join(".");
    for path in [
        ".", "a.", ".a", "a..b", "a[", "a[0", "a]", "a[]", "a[0]b", "a[[0]]", "a.[0]x", &deep,
    ] {
        let is_expected = |error: &MergeError| matches!(error, MergeError::MalformedPath(_));
        check_refused(&json!({"a": [1]}), "set", path, &json!({"a": 1, "b": 1}), is_expected);
    }
}

#[test]
fn the_value_stands_at_the_same_path_or_under_its_last_name() {
    check(
        &json!({}),
        "set",
        "a.b",
        &json!({"a": {"b": 1}, "b": 2}),
        &json!({"a": {"b": 1}}),
    );
    check(
        &json!({}),
        "set",
        "a.b",
        &json!({"a": {"c": 1}, "b": 2}),
        &json!({"a": {"b": 2}}),
    );
    check(
        &json!({}),
        "set",
        "a.b",
        &json!({"a": {"b": null}, "b": 2}),
        &json!({"a": {"b": null}}),
    );
    for value in [json!({}), json!({"a": 1}), json!({"a": {"c": {"b": 1}}})] {
        check_refused(
            &json!({}),
            "set",
            "a.b",
            &value,
            |error| matches!(error, MergeError::NoValue(path) if path == "a.b"),
        );
    }
}

#[test]
fn one_leading_props_is_dropped_unless_it_is_a_property() {
    check(
        &json!({"a": "x"}),
        "append",
        "props.a",
        &json!({"a": "y"}),
        &json!({"a": "xy"}),
    );
    check(
        &json!({}),
        "set",
        "props.props.a",
        &json!({"a": 1}),
        &json!({"props": {"a": 1}}),
    );
    check(
        &json!({"props": {}}),
        "set",
        "props.a",
        &json!({"a": 1}),
        &json!({"props": {"a": 1}}),
    );
    check(
        &json!({}),
        "set",
        "props.a",
        &json!({"props": {"a": 1}}),
        &json!({"props": {"a": 1}}),
    );
    check(&json!({}), "set", "props", &json!({"props": 1}), &json!({"props": 1}));
}

#[test]
fn only_the_length_of_an_array_appends() {
    check(
        &json!({"l": []}),
        "append",
        "l.0",
        &json!({"l": ["a"]}),
        &json!({"l": ["a"]}),
    );
    check(
        &json!({"l": [1]}),
        "replace",
        "l.1.t",
        &json!({"t": "a"}),
        &json!({"l": [1, {"t": "a"}]}),
    );
    for path in ["l.2", "l[2]", "l.-1", "l.+1", "l.x", "l.2.t", "l.99999999999999999999"] {
        let value = json!({"2": 1, "-1": 1, "+1": 1, "x": 1, "t": 1, "99999999999999999999": 1});
        check_refused(&json!({"l": [1]}), "set", path, &value, |error| {
            matches!(error, MergeError::Index { len: 1, .. })
        });
    }
}

#[test]
fn a_way_through_something_else_is_refused() {
    for on_the_way in [json!("s"), json!(1), json!(null)] {
        let is_expected = |error: &MergeError| matches!(error, MergeError::WrongKind { path, .. } if path == "k.a");
        check_refused(&json!({"k": on_the_way}), "set", "k.a", &json!({"a": 1}), is_expected);
    }
}

#[test]
fn an_unknown_action_is_refused_with_and_without_a_path() {
    for (action, path) in [("bogus", ""), ("bogus", "a"), ("bogus", "new"), ("Append", "a")] {
        let is_expected = |error: &MergeError| matches!(error, MergeError::UnknownAction(_));
        check_refused(
            &json!({"a": "1"}),
            action,
            path,
            &json!({"a": "2", "new": 1}),
            is_expected,
        );
    }
}
