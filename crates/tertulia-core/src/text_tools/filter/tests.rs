//! Calls in answers, cut anywhere.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::chat::ToolCall;
use crate::text_tools::call_text;

fn tools() -> Vec<ToolOffer> {
    let offer = |name: &str, properties: Value| ToolOffer {
        name: name.into(),
        description: String::new(),
        parameters: json!({"type": "object", "properties": properties}),
    };
    vec![
        offer("now", json!({"zone": {"type": "string"}})),
        offer(
            "add",
            json!({"left": {"type": "number"}, "right": {"type": "integer"}, "deep": {"type": "object"}}),
        ),
        offer(
            "message_web",
            json!({"text": {"type": "string"}, "interface_path": {"type": "string"}}),
        ),
    ]
}

/// The text that is shown, the calls, and what is wrong with a broken one.
fn read(pieces: &[String], forms: Forms) -> (String, Vec<(String, Value)>, Option<String>) {
    let mut filter = Filter::new(tools(), forms);
    let mut shown: String = pieces.iter().map(|piece| filter.push(piece)).collect();
    shown.push_str(&filter.end());
    let read = filter.take();
    let call = |call: TextCall| (call.name, serde_json::from_str(&call.arguments).unwrap());
    let calls = read.calls.into_iter().map(call).collect();
    (shown, calls, read.broken.map(|broken| broken.why))
}

fn letters(answer: &str) -> Vec<String> {
    answer.chars().map(String::from).collect()
}

/// However an answer is cut, this is shown of it and these are its calls.
#[track_caller]
fn check(answer: &str, shown: &str, calls: &[(&str, Value)]) {
    let calls: Vec<_> = calls
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let expected = (shown.to_owned(), calls, None);
    assert_eq!(read(&[answer.to_owned()], Forms::All), expected, "{answer}");
    assert_eq!(
        read(&letters(answer), Forms::All),
        expected,
        "letter by letter: {answer}"
    );
}

/// It is clearly a call, and cannot be read.
#[track_caller]
fn check_broken(answer: &str, shown: &str) {
    for pieces in [vec![answer.to_owned()], letters(answer)] {
        let (got, calls, why) = read(&pieces, Forms::All);
        assert_eq!((got.as_str(), calls), (shown, Vec::new()), "{answer}");
        assert!(why.is_some(), "{answer}");
    }
}

#[test]
fn calls_between_tags() {
    let now = ("now", json!({}));
    let rome = ("now", json!({"zone": "Rome"}));
    check(
        "<tool_call id=\"1\" name=\"now\"></tool_call>",
        "",
        std::slice::from_ref(&now),
    );
    check("So:\n<tool_call name='now'/>\n", "So:\n\n", std::slice::from_ref(&now));
    check(
        "<tool_call id=\"1\" name=\"now\">\n<param name=\"zone\">Rome</param>\n</tool_call>",
        "",
        std::slice::from_ref(&rome),
    );
    check(
        "<tool_call name=\"Add\"><param name=\"left\"> 1.5 </param><param name=\"right\">x</param><param name=\"deep\">{\"c\": [1]}</param></tool_call>",
        "",
        &[("add", json!({"left": 1.5, "right": "x", "deep": {"c": [1]}}))],
    );
    check(
        "<tool_call name=\"message_web\"><param name=\"text\">1 &lt; 2 && 3 > 2\n\"&#x41;\" &amp;amp; {\"a\"}</param></tool_call>",
        "",
        &[("message_web", json!({"text": "1 < 2 && 3 > 2\n\"A\" &amp; {\"a\"}"}))],
    );
    check(
        "a<tool_call name=\"now\"/> b <tool_call name=\"now\"/>c",
        "a b c",
        &[now.clone(), now.clone()],
    );
    check("<tool_call name=\"other\"/>", "", &[("other", json!({}))]);
}

#[test]
fn the_forms_that_models_were_trained_for() {
    let rome = ("now", json!({"zone": "Rome"}));
    for answer in [
        "<tool_call>\n{\"name\": \"now\", \"arguments\": {\"zone\": \"Rome\"}}\n</tool_call>",
        "<tool_call name=\"now\">{\"zone\": \"Rome\"}</tool_call>",
        "<function_calls>\n<invoke name=\"now\">\n<parameter name=\"zone\">Rome</parameter>\n</invoke>\n</function_calls>",
        "<tool_calls><tool_call name=\"now\"><param name=\"zone\">Rome</param></tool_call></tool_calls>",
        "```xml\n<tool_call name=\"now\"><param name=\"zone\">Rome</param></tool_call>\n```",
        "```json\n{\"type\": \"now\", \"payload\": {\"zone\": \"Rome\"}}\n```",
        "```\n{\"action\": \"now\", \"zone\": \"Rome\"}\n```",
        "{\"actions\": [{\"type\": \"now\", \"payload\": {\"zone\": \"Rome\"}}]}",
        "{\"type\": \"now\", \"payload\": {\"zone\": \"Rome\"}}",
        "{\"payload\": {\"zone\": \"Rome\"}, \"type\": \"now\"}",
        "{\"name\": \"now\", \"parameters\": {\"zone\": \"Rome\"}}",
        "{\"name\": \"now\", \"arguments\": \"{\\\"zone\\\": \\\"Rome\\\"}\"}",
        "[{\"name\": \"now\", \"arguments\": {\"zone\": \"Rome\"}}]",
    ] {
        let (shown, calls, why) = read(&letters(answer), Forms::All);
        assert_eq!((shown.trim(), why), ("", None), "{answer}");
        assert_eq!(calls, [(rome.0.to_owned(), rome.1.clone())], "{answer}");
        check(answer, &shown, std::slice::from_ref(&rome));
    }
}

#[test]
fn calls_in_json() {
    check(
        "Sure. {\"action\": \"message_web\", \"text\": \"Hi\nyou}\", \"interface_path\": \"web/1\"} Done.",
        "Sure.  Done.",
        &[("message_web", json!({"text": "Hi\nyou}", "interface_path": "web/1"}))],
    );
    check(
        "{\"text\": \"Hi\", \"action\": \"message_web\"}",
        "",
        &[("message_web", json!({"text": "Hi"}))],
    );
    check(
        "{\"actions\": [{\"type\": \"now\"}, {\"type\": \"add\", \"payload\": {\"left\": 1}}]}",
        "",
        &[("now", json!({})), ("add", json!({"left": 1}))],
    );
    check(
        "{\"zone\": \"Rome\", \"action\": \"now\"}",
        "",
        &[("now", json!({"zone": "Rome"}))],
    );
    check("{\"actions\": []}", "", &[]);
    check(
        "```json\n{\"type\": \"now\"}\n{\"type\": \"now\"}\n```\nok",
        "\nok",
        &[("now", json!({})), ("now", json!({}))],
    );
}

#[test]
fn what_is_no_call_is_shown_as_it_is() {
    for answer in [
        "",
        "1 < 2 and a <b> and <tool",
        "Use the `<tool_call name=\"now\"/>` form, or ``{\"type\": \"now\"}``.",
        "```rust\nlet x = {\"type\": \"now\"};\n<tool_call name=\"now\"/>\n```\nyes",
        "~~~py\n{\"type\": \"now\"}\n~~~",
        "```json\n{\"type\": \"cat\", \"payload\": {}}\n```\nand so on",
        "```json\n{\"a\": {\"type\": \"now\", \"payload\": {}}}\n```",
        "```json\n{\"a\":",
        "```\n",
        "```",
        "```js",
        "{\"type\": \"cat\", \"payload\": {}}",
        "{\"type\": \"now\", \"size\": 3}",
        "{\"a\": {\"type\": \"now\", \"payload\": {}}} x",
        "{\"a\": [{\"type\": \"now\", \"payload\": {}}, ",
        "{\"typ",
        "{",
        "[a](b) [x] y[1] {b} :{ [",
        "[1, 2] and [{\"a\": 1}]",
        "<invoke name=\"cat\"></invoke>",
        "The <tool_call> tag and the </tool_call> one",
        "<function_calls> are nice",
        "<tool_response id=\"1\">x</tool_response>",
        "a ` b <i> ` c\n\n`",
    ] {
        check(answer, answer, &[]);
    }
}

#[test]
fn broken_calls_are_never_shown() {
    check_broken("<tool_call name=\"now\"><param name=\"zone\">Rome</param>", "");
    check_broken("Well. <tool_call id=\"1\" nam", "Well. ");
    check_broken("<tool_call name=\"add\"><param name=\"a\">1</tool_call> x", " x");
    check_broken("<tool_call name=\"add\">1 and 2</tool_call>", "");
    check_broken("<tool_call name=\"add\">{\"a\": }</tool_call>", "");
    check_broken("{\"type\": \"now\", \"payload\": {\"zone\": \"Ro", "");
    check_broken("{\"type\": \"now\", \"payload\": {\"zone\": NaN}}", "");
    check_broken("{\"type\": \"now\", \"payload\": [1]}", "");
    check_broken("```json\n{\"actions\": [{\"type\": \"now\"}", "");
    check_broken("{\"actions\": [{\"type\": \"now\"}, {\"type\": \"cat\"}]}", "");
}

#[test]
fn brackets_in_prose_keep_no_call_from_being_read() {
    let now = [("now", json!({}))];
    for prose in ["x in [0, 1)\n", "[to be continued\n", "{\"a\" is open\n"] {
        check(&format!("{prose}<tool_call name=\"now\"/>"), prose, &now);
    }
    check("x in [0, 1)\n{\"action\": \"now\"}", "x in [0, 1)\n", &now);
    let whole = "[1, \"<tool_call name=\\\"now\\\"/>\", {\"type\": \"now\"}]";
    check(whole, whole, &[]);
}

#[test]
fn tags_around_tags_are_looked_at_one_deep() {
    let call = "<invoke name=\"now\"></invoke>";
    let (shown, calls, why) = read(&["<tool_calls>".repeat(100_000) + call], Forms::All);
    assert_eq!(shown, "<tool_calls>".repeat(99_999));
    assert_eq!((calls, why), (vec![("now".to_owned(), json!({}))], None));
    check(
        "<tool_calls><function_calls><invoke name=\"now\"></invoke></function_calls></tool_calls>",
        "<tool_calls>",
        &[("now", json!({}))],
    );
}

/// How many bytes were searched for tags of an answer that comes in small pieces.
fn searched(answer: &str) -> usize {
    let mut filter = Filter::new(tools(), Forms::All);
    let all: Vec<char> = answer.chars().collect();
    for piece in all.chunks(4) {
        filter.push(&piece.iter().collect::<String>());
    }
    filter.searched
}

#[test]
fn a_long_call_is_searched_once() {
    let value = "a > b </param".repeat(20_000);
    for answer in [
        format!("<tool_call name=\"message_web\"><param name=\"text\">{value}</param></tool_call>"),
        format!("<tool_call>{{\"name\": \"now\", \"a\": \"{value}\"}}"),
        format!("<tool_call name=\"now\">{}", " ".repeat(200_000)),
    ] {
        let searched = searched(&answer);
        assert!(searched < 6 * answer.len() + 50_000, "{searched} of {}", answer.len());
    }
}

#[test]
fn what_is_endless_is_not_held_for_ever() {
    let mut filter = Filter::new(tools(), Forms::All);
    for (letter, most) in [("`", 100), ("<tool_call>", 2000), (" ", 2000)] {
        for _ in 0..5_000 {
            filter.push(letter);
        }
        assert!(filter.held.len() < most, "{letter}: {}", filter.held.len());
    }
    let mut filter = Filter::new(tools(), Forms::All);
    for _ in 0..1_000 {
        filter.push("<tool_call name=\"now\"/>");
    }
    assert_eq!(filter.withheld(), 23_000, "what is read counts as well");
    assert_eq!(filter.push("Hi"), "Hi");
}

#[test]
fn what_a_model_makes_up_as_a_result_is_dropped() {
    check(
        "<tool_call name=\"now\"/>\n<tool_response id=\"1\">noon</tool_response>\nIt is noon.",
        "\n",
        &[("now", json!({}))],
    );
}

#[test]
fn ordinary_text_flows_at_once() {
    let mut filter = Filter::new(tools(), Forms::All);
    for (piece, shown) in [
        ("Hi", "Hi"),
        (" <", " "),
        ("b>", "<b>"),
        (" {", " "),
        ("\"a\"", "{\"a\""),
        (": {\"type\": \"now\"", ": {\"type\": \"now\""),
        ("}}", "}}"),
        (" {\"type\": \"n", " "),
        ("o\"", "{\"type\": \"no\""),
        ("}\n```", "}\n"),
        ("py\n", "```py\n"),
        ("<tool_call", "<tool_call"),
    ] {
        assert_eq!(filter.push(piece), shown, "{piece}");
    }
}

#[test]
fn a_model_with_a_way_of_its_own_is_understood_where_it_forgets_it() {
    let of = |answer: &str| read(&letters(answer), Forms::Tags);
    let now = vec![("now".to_owned(), json!({}))];
    assert_eq!(of("a<tool_call name=\"now\"/>"), ("a".to_owned(), now, None));
    for answer in [
        "{\"type\": \"now\"}",
        "<tool_call name=\"cat\"/>",
        "<tool_call name=\"now\">x</tool_call>",
    ] {
        assert_eq!(of(answer), (answer.to_owned(), Vec::new(), None));
    }
}

/// Pieces of answers, of which many make a call and many nearly do.
fn noise() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<tool_call name=\"now\">".to_owned()),
        Just("</tool_call>".to_owned()),
        Just("<param name=\"zone\">x</param>".to_owned()),
        Just("{\"type\": \"now\", \"payload\": ".to_owned()),
        Just("{\"a\": ".to_owned()),
        Just("}".to_owned()),
        Just("```json\n".to_owned()),
        Just("\n```\n".to_owned()),
        "[`<>{}\\[\\]\" \na]{0,4}",
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_cuts_change_nothing(answer in noise(), width in 1usize..6) {
        let all: Vec<char> = answer.chars().collect();
        let pieces: Vec<String> = all.chunks(width).map(|letters| letters.iter().collect()).collect();
        prop_assert_eq!(read(&pieces, Forms::All), read(&[answer], Forms::All));
    }

    #[test]
    fn a_call_that_is_written_is_read(
        text in "(</?(param|tool_call)>|[<>&\"; \r\n{a]|\\PC){0,12}", number in any::<i32>(), name in "[a-z<&\"]{1,5}"
    ) {
        let arguments = json!({"text": text, "interface_path": "\n", name.clone(): {"n": number}});
        let call = ToolCall { id: "\"1".into(), name: "message_web".into(), arguments: arguments.to_string() };
        let (shown, calls, why) = read(&[format!("Hi {}", call_text(&call))], Forms::All);
        prop_assert_eq!((shown.as_str(), why), ("Hi ", None));
        prop_assert_eq!(calls, vec![("message_web".to_owned(), arguments)]);
    }
}
