//! What the demo says.

use tertulia_core::chat::{ToolResult, ToolStatus};

/// Who speaks here. Every answer to a question it cannot answer begins with it.
pub(crate) const WHO: &str = "I am Tertulia's built-in demo: no language model is configured, I answer by rule.";

/// How to get a real model.
pub(crate) const HOW: &str = "To get a real one, set OPENAI_API_KEY or start Ollama and restart me, or write a \
    `[providers.x]` section into bot.toml (bot.toml.example shows how).";

/// A message that nobody gave a text for.
pub(crate) const MESSAGE: &str = "This is a message that you asked for.";

/// A greeting.
pub(crate) fn greeting() -> String {
    format!(
        "Hello! {WHO} Try \"what did I say\" to see that I remember, \"time\" or \
         \"what is 2+3*4\" to see tools at work, or \"help\". {HOW}"
    )
}

/// What it can do.
pub(crate) fn help(tools: &[&str]) -> String {
    format!(
        "{WHO}\n\nI know these: a greeting; \"what did I say\", which repeats your message before; \"time\"; \
         \"what is 2+3*4\"; \"send a message: hello\"; and \"call <tool> {{json}}\", which calls a tool. {}\n\n{HOW}",
        offered(tools)
    )
}

/// Repeats the message before.
pub(crate) fn memory(before: Option<&str>) -> String {
    match before {
        Some(text) => format!("Before that you said: {text}"),
        None => "Nothing before that, as far as I can see.".to_owned(),
    }
}

/// There is no clock.
pub(crate) fn no_clock(tools: &[&str]) -> String {
    format!(
        "I have no clock of my own, and the tool `now` is not offered to me here. {}",
        offered(tools)
    )
}

/// A tool that is not offered.
pub(crate) fn no_tool(name: &str, tools: &[&str]) -> String {
    format!("There is no tool `{name}` here. {}", offered(tools))
}

/// Arguments that are no JSON object.
pub(crate) fn bad_arguments(name: &str) -> String {
    format!("The arguments must be a JSON object, as in: call {name} {{}}")
}

/// Everything else.
pub(crate) fn echo(text: &str, pictures: usize) -> String {
    let seen = match pictures {
        0 => String::new(),
        1 => " You sent a picture, which I cannot see.".to_owned(),
        many => format!(" You sent {many} pictures, which I cannot see."),
    };
    let said = if text.trim().is_empty() {
        String::new()
    } else {
        format!(" You said: {text}")
    };
    format!("{WHO}{said}{seen}\n\n{HOW}")
}

/// Words the results of tools.
pub(crate) fn results(results: &[ToolResult]) -> String {
    let word = |result: &ToolResult| match result.status {
        ToolStatus::Ok => format!("The tool `{}` says: {}", result.name, result.content),
        ToolStatus::Failed => format!("The tool `{}` failed: {}", result.name, result.content),
    };
    results.iter().map(word).collect::<Vec<_>>().join("\n")
}

fn offered(tools: &[&str]) -> String {
    if tools.is_empty() {
        "No tools are offered to me.".to_owned()
    } else {
        format!("Tools: {}.", tools.join(", "))
    }
}
