//! The runner must be able to fail.

use std::path::Path;

use serde_json::{Value, json};

use super::vector::{Comparison, LoadError, Vector};
use super::{Failure, Outcome, Suite, compare, default_folder};

fn vector(comparison: Comparison, expected: Value) -> Vector {
    Vector {
        id: "v".to_owned(),
        op: "openai_chunks".to_owned(),
        input: Value::Null,
        expected,
        comparison,
    }
}

#[track_caller]
fn check(comparison: Comparison, expected: Value, outcome: impl Into<Outcome>, passes: bool) {
    let outcome = outcome.into();
    let verdict = compare::judge(&vector(comparison, expected), &outcome);
    assert_eq!(verdict.is_ok(), passes, "{verdict:?} for {outcome:?}");
}

#[test]
fn exact_compares_parsed_json() {
    check(Comparison::Exact, json!({"a": 1}), Ok(json!({"a": 1})), true);
    check(Comparison::Exact, json!({"a": 1}), Ok(json!({"a": 1, "b": 2})), false);
    check(Comparison::Exact, json!(null), Ok(json!(false)), false);
    check(Comparison::Exact, json!(null), Err("no".into()), false);
}

#[test]
fn volatile_keys_of_chunks_count_only_when_expected() {
    let actual = json!({"chunks": [{"id": "x", "created": 1, "model": "m", "object": "o"}]});
    check(
        Comparison::Exact,
        json!({"chunks": [{"object": "o"}]}),
        Ok(actual.clone()),
        true,
    );
    check(
        Comparison::Exact,
        json!({"chunks": [{"object": "o", "id": "x"}]}),
        Ok(actual.clone()),
        true,
    );
    check(
        Comparison::Exact,
        json!({"chunks": [{"object": "o", "id": "y"}]}),
        Ok(actual.clone()),
        false,
    );
    check(Comparison::Exact, json!({"chunks": []}), Ok(actual), false);
}

#[test]
fn subset_finds_the_expected_value_in_the_result() {
    let actual = json!({"a": [1, {"b": 2, "c": 3}, 4], "d": "text"});
    check(
        Comparison::Subset,
        json!({"a": [{"b": 2}, 4]}),
        Ok(actual.clone()),
        true,
    );
    check(Comparison::Subset, json!({"a": [4, 1]}), Ok(actual.clone()), false);
    check(Comparison::Subset, json!({"d": "tex"}), Ok(actual), false);
}

#[test]
fn properties_must_all_be_known_and_equal() {
    let actual = json!({"n": 1, "list": ["stop"], "error": {"message": "m", "type": "t"}});
    check(
        Comparison::Properties,
        json!({"n": 1, "error": {"message": "m"}}),
        Ok(actual.clone()),
        true,
    );
    check(Comparison::Properties, json!({"n": 2}), Ok(actual.clone()), false);
    check(Comparison::Properties, json!({"list": []}), Ok(actual.clone()), false);
    check(Comparison::Properties, json!({"other": 1}), Ok(actual), false);
    check(Comparison::Properties, json!(1), Ok(json!({})), false);
}

#[test]
fn an_expected_error_is_any_error_that_leaves_the_props() {
    let unchanged = json!({"error": "label", "unchanged": {"a": 1}});
    check(
        Comparison::Exact,
        json!({"error": "label"}),
        Err("something else".into()),
        true,
    );
    check(
        Comparison::Exact,
        json!({"error": "label"}),
        Ok(json!({"error": "label"})),
        false,
    );
    check(
        Comparison::Exact,
        unchanged.clone(),
        Err(Failure::leaving(&"e", json!({"a": 1}))),
        true,
    );
    check(
        Comparison::Exact,
        unchanged.clone(),
        Err(Failure::leaving(&"e", json!({"a": 2}))),
        false,
    );
    check(Comparison::Exact, unchanged, Err("e".into()), false);
}

#[test]
fn unknown_operations_are_counted_and_mismatches_named() {
    let suite = Suite::new()
        .operation("level", |_| Ok(json!("wrong")))
        .measured("valid", |_, expected| Ok(expected.clone()));
    let report = suite.run(&default_folder()).unwrap();
    assert_eq!(report.skipped().get("build"), Some(&9));
    assert_eq!(report.ran(), 12);
    assert_eq!(report.failures().len(), 3);
    assert!(report.failures()[0].starts_with("interface_path-019: "), "{report}");
    assert!(report.to_string().contains("\nskipped: build (9)"), "{report}");
}

#[test]
fn a_folder_without_vectors_is_an_error() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert!(matches!(Suite::new().run(&sources), Err(LoadError::Empty(_))));
    assert!(matches!(
        Suite::new().run(&sources.join("absent")),
        Err(LoadError::Read { .. })
    ));
}
