//! Strange texts and entities.

use super::*;

fn entity(kind: &str, offset: usize, length: usize) -> Value {
    json!({"type": kind, "offset": offset, "length": length})
}

fn check(text: &str, entities: &[Value]) -> Result<(Formatted, Vec<String>), Refusal> {
    formatted(text, entities, LONGEST_TEXT, "message is too long")
}

#[test]
fn entities_end_in_the_text_and_split_no_character() {
    assert!(check("a😀b", &[entity("bold", 1, 2)]).is_ok());
    for (offset, length) in [(0, 2), (2, 1), (0, 5), (9, 1)] {
        assert!(
            check("a😀b", &[entity("bold", offset, length)]).is_err(),
            "{offset} {length}"
        );
    }
    assert!(check("ab", &[entity("marquee", 0, 1)]).is_err());
    assert!(check("ab", &[entity("text_link", 0, 1)]).is_err());
    assert!(check("ab", &[json!({"type": "bold", "offset": -1, "length": 1})]).is_err());
    let link = json!({"type": "text_link", "offset": 0, "length": 1, "url": "https://example.org"});
    assert!(check("ab", &[link]).is_ok());
}

#[test]
fn trimming_moves_entities() {
    let (formatted, _) = check("\n 😀 bold \n", &[entity("bold", 5, 5)]).unwrap();
    assert_eq!(formatted.text, "😀 bold");
    assert_eq!(formatted.entities, [entity("bold", 3, 4)]);
}

#[test]
fn nesting_has_rules() {
    let faults = |entities: &[Value]| check("0123456789", entities).unwrap().1;
    let fine: &[&[Value]] = &[
        &[entity("bold", 0, 5), entity("italic", 0, 5)],
        &[entity("blockquote", 0, 9), entity("bold", 0, 9), entity("code", 9, 1)],
        &[entity("bold", 0, 2), entity("bold", 2, 2)],
        &[entity("code", 1, 2), entity("blockquote", 0, 5)],
    ];
    for entities in fine {
        assert!(faults(entities).is_empty(), "{:?}", faults(entities));
    }
    let wrong: &[&[Value]] = &[
        &[entity("bold", 0, 5), entity("italic", 3, 5)],
        &[entity("italic", 3, 5), entity("bold", 0, 5)],
        &[entity("pre", 0, 5), entity("bold", 1, 1)],
        &[entity("bold", 1, 1), entity("code", 0, 5)],
        &[entity("code", 0, 5), entity("bold", 0, 5)],
        &[entity("blockquote", 0, 5), entity("expandable_blockquote", 1, 2)],
        &[entity("bold", 0, 0)],
    ];
    for entities in wrong {
        assert_eq!(faults(entities).len(), 1, "{entities:?}");
    }
}

#[test]
fn the_hundred_and_first_entity_is_a_fault() {
    let many = |n: usize| (0..n).map(|at| entity("bold", at, 1)).collect::<Vec<_>>();
    let text = "x".repeat(200);
    assert!(check(&text, &many(100)).unwrap().1.is_empty());
    let (formatted, faults) = check(&text, &many(101)).unwrap();
    assert_eq!((formatted.entities.len(), faults.len()), (100, 1));
}

#[test]
fn lengths_are_utf_16_units_after_trimming() {
    assert!(check(&format!("  {}  ", "😀".repeat(2048)), &[]).is_ok());
    assert!(check(&format!("{}x", "😀".repeat(2048)), &[]).is_err());
    assert!(check(&" ".repeat(32_769), &[]).is_err());
}

#[test]
fn blank_is_what_nobody_sees() {
    for blank in ["", " \n", "\u{200b}", "\u{2060} \u{feff}", "\u{3164}"] {
        assert!(is_blank(blank), "{blank:?}");
    }
    assert!(!is_blank("\u{200b}."));
}

#[test]
fn commands_and_mentions_are_found() {
    let found = found("/start@double_bot hi @ann, see a@b /x/y");
    let spans: Vec<_> = found
        .iter()
        .map(|entity| covered("/start@double_bot hi @ann, see a@b /x/y", entity))
        .collect();
    assert_eq!(spans, ["/start@double_bot", "@ann"]);
}
