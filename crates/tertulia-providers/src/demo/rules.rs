//! Which rule answers a request.

use serde_json::{Map, Value, json};
use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::layout::without_moment;
use tertulia_core::provider::ModelRequest;

use super::{Reply, lines};

const GREETINGS: [&str; 12] = [
    "hello",
    "hi",
    "hey",
    "hallo",
    "hola",
    "bonjour",
    "ciao",
    "moin",
    "servus",
    "good morning",
    "good evening",
    "/start",
];
const MEMORY: [&str; 3] = ["what did i say", "what did i just say", "what have i said"];
const TIME: [&str; 6] = [
    "time",
    "date",
    "what time is it",
    "what is the time",
    "what day is it",
    "what is the date",
];

/// Decides what to answer. Rules look at whole lines.
pub(crate) fn reply(request: &ModelRequest) -> Reply {
    if let Some(ChatMessage::Tool { results }) = request.messages.last() {
        return Reply::Say(lines::results(results));
    }
    let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut said = request.messages.iter().rev().filter_map(user_text);
    let (text, pictures) = said.next().unwrap_or_default();
    let text = without_speaker(&text);
    if let Some(reply) = text.lines().find_map(|line| called(line, &tools)) {
        return reply;
    }
    let asked = |line| sum(line, &tools).or_else(|| message(line, &tools));
    if let Some(reply) = text.lines().find_map(asked) {
        return reply;
    }
    let is_one_of = |phrases: &[&str]| text.lines().any(|line| phrases.contains(&bare(line).as_str()));
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| text.to_lowercase().contains(phrase));
    if says(&MEMORY) {
        Reply::Say(lines::memory(said.next().as_ref().map(|(text, _)| text.as_str())))
    } else if is_one_of(&TIME) {
        if tools.contains(&"now") {
            Reply::Call("now".to_owned(), "{}".to_owned())
        } else {
            Reply::Say(lines::no_clock(&tools))
        }
    } else if is_one_of(&["help", "/help"]) {
        Reply::Say(lines::help(&tools))
    } else if is_one_of(&GREETINGS) {
        Reply::Say(lines::greeting())
    } else {
        Reply::Say(lines::echo(text, pictures))
    }
}

/// The text without the quoted name that stands in front of it outside direct conversations.
fn without_speaker(text: &str) -> &str {
    let mut quoted = serde_json::Deserializer::from_str(text).into_iter::<String>();
    if !text.starts_with('"') || !matches!(quoted.next(), Some(Ok(_))) {
        return text;
    }
    let rest = text.get(quoted.byte_offset()..).unwrap_or_default();
    rest.strip_prefix(": ").unwrap_or(text)
}

/// `call <tool> {json}`, at the beginning of a line.
fn called(line: &str, tools: &[&str]) -> Option<Reply> {
    let rest = line
        .trim()
        .strip_prefix("call ")
        .or_else(|| line.trim().strip_prefix("Call "))?
        .trim();
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, "{}"));
    let arguments = arguments.trim();
    if !tools.contains(&name) {
        // "call me later" is no command: only something with arguments is.
        return arguments
            .starts_with('{')
            .then(|| Reply::Say(lines::no_tool(name, tools)));
    }
    let object = serde_json::from_str::<Map<String, Value>>(arguments).is_ok();
    Some(if object {
        Reply::Call(name.to_owned(), arguments.to_owned())
    } else {
        Reply::Say(lines::bad_arguments(name))
    })
}

/// "What is 2+3*4", where the tool is offered.
fn sum(line: &str, tools: &[&str]) -> Option<Reply> {
    const TOOL: &str = "calculate";
    let line = bare(line);
    let mut words = ["what is ", "what's ", "calculate ", "how much is "].into_iter();
    let asked = words.find_map(|words| line.strip_prefix(words));
    let rest = asked.unwrap_or(&line);
    // a number alone is no question, and words with numbers are many things
    let has_sum = rest.contains(|c: char| c.is_ascii_digit()) && rest.contains(|c: char| "+-*/^%(!".contains(c));
    let has_word = rest
        .split_whitespace()
        .any(|word| word.chars().all(char::is_alphabetic));
    let is_bare_sum = rest.chars().all(|c| c.is_ascii_digit() || " .+-*/^%()!".contains(c));
    let is_sum = has_sum && !has_word && (asked.is_some() || is_bare_sum);
    let arguments = json!({"expression": rest}).to_string();
    (is_sum && tools.contains(&TOOL)).then(|| Reply::Call(TOOL.to_owned(), arguments))
}

/// "Send a message: lunch is ready", where such a tool is offered.
fn message(line: &str, tools: &[&str]) -> Option<Reply> {
    const WORDS: &str = "send a message";
    let line = line.trim();
    let (words, rest) = line.split_at_checked(WORDS.len())?;
    let tool = tools.iter().find(|tool| tool.starts_with("message_"))?;
    let text = rest.trim_start_matches([':', ' ', ',']).trim();
    let text = if text.is_empty() { lines::MESSAGE } else { text };
    let arguments = json!({"text": text}).to_string();
    words
        .eq_ignore_ascii_case(WORDS)
        .then(|| Reply::Call((*tool).to_owned(), arguments))
}

/// A line in lower case, without what stands at its ends.
fn bare(line: &str) -> String {
    line.trim_matches(|c: char| c.is_whitespace() || "!?.,".contains(c))
        .to_lowercase()
}

fn user_text(message: &ChatMessage) -> Option<(String, usize)> {
    let ChatMessage::User { parts } = message else {
        return None;
    };
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Picture(_) => None,
        })
        .collect();
    let text = texts.join("\n");
    Some((without_moment(&text).to_owned(), parts.len() - texts.len()))
}
