//! The schema and the example say the same, and values are read by their shapes.

use std::collections::BTreeSet;

use super::*;
use crate::config::Settings;
use crate::config::layers::{Merged, Sources};
use crate::environment::Environment;

/// The example, with everything in it that is commented out but could be used.
///
/// Prose begins with a blank after the `#`, a key does not.
fn everything() -> String {
    let example = include_str!("../../../../../bot.toml.example");
    let activate = |line: &str| match line.strip_prefix('#') {
        Some(setting) if setting.starts_with(|c: char| c.is_ascii_lowercase() || c == '[' || c == '"') => {
            setting.to_owned()
        }
        _ => line.to_owned(),
    };
    example.lines().map(activate).collect::<Vec<_>>().join("\n")
}

/// The paths of all keys in a table, with a `*` for every name that the schema leaves open.
fn patterns(table: &toml::Table) -> BTreeSet<&'static str> {
    fn walk(table: &toml::Table, at: &[String], found: &mut BTreeSet<&'static str>) {
        for (name, value) in table {
            let path: Vec<String> = at.iter().chain([name]).cloned().collect();
            if let toml::Value::Table(table) = value {
                walk(table, &path, found);
            } else {
                let key = keys::ALL.iter().find(|key| key.begins_with(&path));
                found.insert(key.unwrap_or_else(|| panic!("{path:?} is not in the schema")).path);
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(table, &[], &mut found);
    found
}

#[test]
fn the_example_has_every_key_and_no_other() {
    let text = everything();
    let table: toml::Table = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}"));
    let shown = patterns(&table);
    let (secrets, keys): (Vec<&Key>, Vec<&Key>) = keys::ALL.iter().partition(|key| key.shape == Shape::Secret);
    let known: BTreeSet<&str> = keys.iter().map(|key| key.path).collect();
    assert_eq!(shown, known);
    for key in secrets {
        let variable = |name| key.path.replace('.', "__").replace('*', name).to_uppercase();
        let is_shown = |name| text.contains(&format!("TERTULIA__{}", variable(name)));
        assert!(
            ["hosted", "telegram_bot", "matrix"].into_iter().any(is_shown),
            "the variable of {} is not in the example",
            key.path
        );
    }
}

#[test]
fn everything_in_the_example_has_the_right_type() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bot.toml");
    std::fs::write(&file, everything()).unwrap();
    let sources = Sources {
        file: Some(file),
        port: None,
    };
    let merged = Merged::read(&sources, &Environment::default()).unwrap();
    if let Err(error) = Settings::check(&merged) {
        panic!("{error}");
    }
}

/// Only secrets and what another machine says would still be missing.
#[test]
fn everything_in_the_example_fits_together() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bot.toml");
    // the one in place of the other
    let text = everything().replace("token_file = \"matrix_token\"\n", "");
    for line in text.lines().filter(|line| line.contains("_file = ")) {
        let name = line.split('"').nth(1).unwrap();
        let secret = match name {
            "matrix_recovery_key" => "EsTcLW2KPGiFwKEA3As5g5c4BXwkqeeJZJV8Q9fugUMNUE4d",
            _ => "123456:a-secret-of-some-length",
        };
        std::fs::write(directory.path().join(name), format!("{secret}\n")).unwrap();
    }
    let kept = directory.path().to_str().unwrap();
    std::fs::write(&file, text.replace("/var/lib/tertulia", kept)).unwrap();
    let sources = Sources {
        file: Some(file),
        port: None,
    };
    let read = crate::config::Configuration::read(&sources, &Environment::default());
    let configuration = read.unwrap_or_else(|error| panic!("{error}"));
    let kinds: BTreeSet<&str> = configuration.providers.values().map(|one| one.kind.name()).collect();
    let known: BTreeSet<&str> = crate::config::kinds().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, known, "each kind has a section");
}

#[track_caller]
fn check(shape: Shape, kind: ValueKind, from_environment: bool, expected: Result<Given, &str>) {
    let read = shape.read(&Value::new(None, kind), from_environment);
    assert!(read == expected.map_err(str::to_owned), "{:?}", read.err());
}

#[test]
fn the_environment_has_texts_only() {
    let text = |text: &str| ValueKind::String(text.to_owned());
    check(Shape::Whole(1, 9), text("7"), true, Ok(Given::Whole(7)));
    check(
        Shape::Whole(1, 9),
        text("7"),
        false,
        Err("must be a whole number from 1 to 9, not a text"),
    );
    check(
        Shape::Whole(1, 9),
        text("x"),
        true,
        Err("must be a whole number from 1 to 9"),
    );
    check(Shape::Flag, text("true"), true, Ok(Given::Flag(true)));
    check(
        Shape::Flag,
        text("true"),
        false,
        Err("must be true or false, not a text"),
    );
    let texts = Given::Texts(vec!["a".to_owned(), "b".to_owned()]);
    check(Shape::Texts, text("a, b,"), true, Ok(texts));
    check(Shape::Secret, text("x"), true, Ok(Given::Text("x".to_owned())));
    let words = "is a secret, which has no place in this file: put it into a file of its own";
    check(Shape::Secret, text("x"), false, Err(words));
}

#[test]
fn an_id_without_quotation_marks_is_told_of_them() {
    let list = Value::from(vec![Value::from("-100123"), Value::from(-100_123_i64)]);
    let Err(problem) = Shape::Texts.read(&list, false) else {
        panic!("a number was taken for a text");
    };
    assert_eq!(
        problem,
        "must be a list of texts in quotation marks, and lists a number"
    );
}
