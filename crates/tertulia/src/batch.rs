//! `tertulia batch`: many prompts to one provider, within its limits, for whoever tries prompts.

use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::pin::pin;

use clap::Args;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tertulia_core::nearest::hint;
use tertulia_engine::{ProviderPart, Reply, Unanswered, run_many};

use crate::askable::{Askable, Read, question, runtime};
use crate::failure::Failure;

/// More is no list of prompts, in bytes.
const LARGEST: u64 = 64 << 20;

/// Questions at once: what serves so many people in chats would take as many prompts for an attack.
const AT_ONCE: usize = 64;

/// What the command line says.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The provider that is asked; the one that answers in chats if absent
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The model; the provider's own if absent
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

/// Asks all prompts of standard input.
///
/// # Errors
/// The configuration or the input is wrong, there is no such provider, or some prompts were not answered.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let read = Read::from(options.config.clone())?;
    let prompts = prompts()?;
    let counted = runtime()?.block_on(ask(&read, options, &prompts))?;
    match counted {
        0 => Ok(()),
        failed => Err(Failure::partly(format!(
            "{failed} of {} prompts were not answered",
            prompts.len()
        ))),
    }
}

/// Asks, and prints what comes back as it comes; gives back how many were not answered.
async fn ask(read: &Read, options: &Options, prompts: &[String]) -> Result<usize, Failure> {
    let askable = read.set_up().await?;
    let (name, part) = chosen(&askable, options.provider.as_deref())?;
    askable.learn().await;
    let usual = askable.models.get(name).map(String::as_str).unwrap_or_default();
    let model = options.model.as_deref().unwrap_or(usual);
    let questions: Vec<_> = prompts.iter().map(|prompt| question(model, prompt, None)).collect();
    let part = ProviderPart {
        at_once: part.at_once.min(AT_ONCE),
        ..part.clone()
    };
    let mut answers = pin!(run_many(&part, questions).enumerate());
    let mut failed = 0;
    while let Some((index, answer)) = answers.next().await {
        failed += usize::from(answer.is_err());
        print(&line(index, answer))?;
    }
    Ok(failed)
}

fn chosen<'a>(askable: &'a Askable, named: Option<&'a str>) -> Result<(&'a str, &'a ProviderPart), Failure> {
    let name = named.unwrap_or(&askable.chosen.name);
    let part = askable.parts.get(name).ok_or_else(|| {
        let near = hint(name, askable.parts.keys().map(String::as_str));
        Failure::invalid(format!("there is no provider {name:?}{near}"))
    })?;
    Ok((name, part))
}

fn line(index: usize, answer: Result<Reply, Unanswered>) -> Value {
    match answer {
        Ok(reply) => {
            let usage = reply.usage.unwrap_or_default();
            json!({
                "index": index,
                "text": reply.text,
                "tokens_in": usage.tokens_in,
                "tokens_out": usage.tokens_out,
                "seconds": reply.took.as_secs_f64(),
            })
        }
        Err(unanswered) => {
            let public = || unanswered.fault.public().to_string();
            json!({
                "index": index,
                "error": unanswered.error.as_ref().map_or_else(public, ToString::to_string),
                "seconds": unanswered.took.as_secs_f64(),
            })
        }
    }
}

fn print(line: &Value) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let printed = writeln!(out, "{line}").and_then(|()| out.flush());
    printed.map_err(|error| Failure::broken(format!("standard output is closed: {error}")))
}

/// The prompts of standard input: all are read before one is asked, so that whoever writes them slowly keeps no answer waiting.
fn prompts() -> Result<Vec<String>, Failure> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::invalid(format!("standard input cannot be read: {error}")))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > LARGEST) {
        return Err(Failure::invalid(format!(
            "standard input has more than {LARGEST} bytes"
        )));
    }
    Ok(text(bytes)?.lines().filter_map(prompt).collect())
}

/// The text of standard input.
fn text(bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        let whole = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = whole.filter(|byte| **byte == b'\n').count() + 1;
        Failure::invalid(format!("line {line} of standard input is not UTF-8"))
    })
}

/// The prompt of a line, if it has one.
fn prompt(line: &str) -> Option<String> {
    let text = serde_json::from_str(line.trim()).unwrap_or_else(|_| line.to_owned());
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_utf_8_is_named_by_its_line() {
        assert_eq!(text("a\nä".into()).unwrap(), "a\nä");
        let failure = text(b"a\nb\xff\nc\n".to_vec()).unwrap_err().to_string();
        assert!(failure.contains("line 2 of standard input is not UTF-8"), "{failure}");
    }

    #[test]
    fn a_line_is_a_prompt_or_a_json_string() {
        for (line, expected) in [
            ("hello", Some("hello")),
            (r#" "two\nlines" "#, Some("two\nlines")),
            (r#""not closed"#, Some(r#""not closed"#)),
            ("7", Some("7")),
            (" ", None),
            (r#""""#, None),
        ] {
            assert_eq!(prompt(line).as_deref(), expected, "{line}");
        }
    }
}
