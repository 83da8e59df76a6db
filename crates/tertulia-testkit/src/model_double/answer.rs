//! The bytes of an answer: proper chunks, and every scripted way to go wrong.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use axum::body::Bytes;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Map, Value, json};

use super::log::CallNote;
use super::script::{Cost, Script, Speech};
use super::{Habits, Shared};

const ID: &str = "chatcmpl-double";
const CREATED: u64 = 1_700_000_000;

/// What of a request its answer depends on.
pub(crate) struct Asked {
    pub(crate) stream: bool,
    usage: bool,
    model: String,
    habits: Habits,
}

/// One step of a scripted stream.
enum Step {
    Send(Bytes),
    Pause(Duration),
    Cut,
    Silence,
}

impl Asked {
    /// Reads it off the logged request.
    pub(crate) fn read(shared: &Shared, note: &CallNote) -> Self {
        let log = shared.log.borrow();
        let at = |pointer: &str| note.request(&log).and_then(|request| request.pointer(pointer)).cloned();
        Self {
            stream: at("/stream") == Some(Value::Bool(true)),
            usage: at("/stream_options/include_usage") == Some(Value::Bool(true)),
            model: at("/model")
                .and_then(|model| model.as_str().map(str::to_owned))
                .unwrap_or_default(),
            habits: shared.habits,
        }
    }

    fn chunk(&self, delta: &Value, finish: Option<&str>) -> Value {
        self.envelope(
            &json!([{"index": 0, "delta": delta, "finish_reason": finish}]),
            &Value::Null,
        )
    }

    fn envelope(&self, choices: &Value, usage: &Value) -> Value {
        let mut chunk = json!({
            "id": ID, "object": "chat.completion.chunk", "created": CREATED, "model": self.model, "choices": choices,
        });
        if let (true, Some(fields)) = (self.usage, chunk.as_object_mut()) {
            fields.insert("usage".to_owned(), usage.clone());
        }
        chunk
    }

    fn text(&self, text: &str) -> Step {
        data(&self.chunk(&json!({"content": text}), None))
    }
}

/// The answer as one JSON object.
pub(crate) fn whole(speech: &Speech, asked: &Asked) -> Value {
    let call = |call: &super::ScriptedCall| {
        let function = json!({"name": call.name, "arguments": call.arguments});
        json!({"id": call.id, "type": "function", "function": function})
    };
    let message = if speech.calls.is_empty() {
        json!({"role": "assistant", "content": speech.text})
    } else {
        let calls: Value = speech.calls.iter().map(call).collect();
        json!({"role": "assistant", "content": speech.text, "tool_calls": calls})
    };
    json!({
        "id": ID, "object": "chat.completion", "created": CREATED, "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish(speech)}],
        "usage": usage(speech.cost, asked.habits),
    })
}

/// The body of a streamed answer. The note is kept in the stream, so that a dropped stream is noticed.
pub(crate) fn stream(script: Script, asked: Asked, note: CallNote) -> impl Stream<Item = io::Result<Bytes>> + Send {
    if let Script::Endless(pause) = script {
        return stream::unfold((asked, note), move |(asked, note)| async move {
            tokio::time::sleep(pause).await;
            let Step::Send(bytes) = asked.text("again ") else {
                return None;
            };
            Some((Ok(bytes), (asked, note)))
        })
        .boxed();
    }
    let steps: VecDeque<Step> = steps(script, &asked).into();
    stream::unfold((steps, note), perform).boxed()
}

async fn perform(
    (mut steps, note): (VecDeque<Step>, CallNote),
) -> Option<(io::Result<Bytes>, (VecDeque<Step>, CallNote))> {
    loop {
        match steps.pop_front() {
            Some(Step::Send(bytes)) => {
                // A client may go away as soon as it has the last byte: that is no disconnect.
                if steps.is_empty() {
                    note.said();
                }
                return Some((Ok(bytes), (steps, note)));
            }
            // even a sleep of nothing takes a tick of the clock
            Some(Step::Pause(pause)) if pause.is_zero() => {}
            Some(Step::Pause(pause)) => tokio::time::sleep(pause).await,
            Some(Step::Silence) => std::future::pending().await,
            Some(Step::Cut) => {
                note.said();
                steps.clear();
                return Some((Err(io::Error::from(io::ErrorKind::ConnectionReset)), (steps, note)));
            }
            None => {
                note.said();
                return None;
            }
        }
    }
}

fn steps(script: Script, asked: &Asked) -> Vec<Step> {
    let mut steps = vec![data(&asked.chunk(&json!({"role": "assistant", "content": ""}), None))];
    match script {
        Script::Say(speech) => steps.extend(speak(&speech, asked)),
        Script::OpenAfterDone(text) => {
            steps.extend(speak(
                &Speech {
                    text,
                    ..Speech::default()
                },
                asked,
            ));
            steps.push(Step::Silence);
        }
        Script::SilentAtOnce => steps = vec![Step::Silence],
        Script::SilentAfter(chunks) => steps.extend(some_text(asked, chunks).chain([Step::Silence])),
        // The pause lets what was sent leave before the connection is torn down.
        Script::CutAfter(chunks) => {
            let end = [Step::Pause(Duration::from_millis(20)), Step::Cut];
            steps.extend(some_text(asked, chunks).chain(end));
        }
        Script::NoFinish => steps.extend(some_text(asked, 1)),
        Script::Garbage => {
            steps.extend(some_text(asked, 1).chain([raw(b"data: {\"choices\": [nonsense\n\n".to_vec())]));
        }
        Script::HugeLine(bytes) => steps.push(raw([b"data: ", vec![b'x'; bytes].as_slice(), b"\n\n"].concat())),
        Script::BadUtf8 => {
            let line = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xff\xfe\"}}]}\n\n";
            steps.extend(some_text(asked, 1).chain([raw(line.to_vec())]));
        }
        Script::ErrorInStream { code, message } => {
            let error = json!({"error": {"message": message, "type": "scripted", "param": null, "code": code}});
            steps.extend(some_text(asked, 1).chain([data(&error)]));
        }
        // Played elsewhere: they are no finite streams.
        Script::Endless(_) | Script::Fail { .. } | Script::Html => {}
    }
    steps
}

fn some_text(asked: &Asked, chunks: usize) -> impl Iterator<Item = Step> {
    (0..chunks).map(|number| asked.text(&format!("piece {number} ")))
}

fn speak(speech: &Speech, asked: &Asked) -> Vec<Step> {
    let mut steps = Vec::new();
    let comment = asked.habits.comment();
    let mut say = |step| {
        steps.extend(comment.map(|comment| raw(comment.as_bytes().to_vec())));
        steps.extend([Step::Pause(speech.pause), step]);
    };
    if !speech.thinking.is_empty() {
        let (first, rest) = halves(&speech.thinking);
        for thought in asked.habits.thoughts(&first, &rest) {
            say(data(&asked.chunk(&thought, None)));
        }
    }
    for piece in pieces(&speech.text, speech.pieces.max(1)) {
        say(asked.text(&piece));
    }
    for (index, call) in (asked.habits.first_index()..).zip(&speech.calls) {
        let (first, rest) = halves(&call.arguments);
        let opening = json!({"index": index, "id": call.id, "type": "function",
            "function": {"name": call.name, "arguments": first}});
        let closing = json!({"index": index, "function": {"arguments": rest}});
        for fragment in [opening, closing] {
            say(data(&asked.chunk(&json!({"tool_calls": [fragment]}), None)));
        }
    }
    for chunk in ending(speech, asked) {
        say(data(&chunk));
    }
    steps.push(raw(b"data: [DONE]\n\n".to_vec()));
    steps
}

/// The finish reason and the counts: in one chunk, or in two, the second with a choice or without.
fn ending(speech: &Speech, asked: &Asked) -> Vec<Value> {
    let word = Some(finish(speech));
    let choices = |delta: Value| json!([{"index": 0, "delta": delta, "finish_reason": word}]);
    let usage = usage(speech.cost, asked.habits);
    if !asked.usage {
        return vec![asked.chunk(&json!({}), word)];
    }
    match asked.habits {
        Habits::OpenAi => vec![asked.chunk(&json!({}), word), asked.envelope(&json!([]), &usage)],
        Habits::DeepSeek => {
            let last = choices(json!({"content": "", "reasoning_content": null}));
            vec![asked.envelope(&last, &usage)]
        }
        Habits::OpenRouter => {
            let empty = choices(json!({"role": "assistant", "content": ""}));
            vec![asked.chunk(&json!({}), word), asked.envelope(&empty, &usage)]
        }
    }
}

fn finish(speech: &Speech) -> &str {
    match (speech.finish.as_str(), speech.calls.is_empty()) {
        ("", true) => "stop",
        ("", false) => "tool_calls",
        (word, _) => word,
    }
}

fn usage(cost: Cost, habits: Habits) -> Value {
    let total = cost.prompt + cost.completion;
    let counts = [
        ("prompt_tokens", cost.prompt),
        ("completion_tokens", cost.completion),
        ("total_tokens", total),
    ];
    let counts = counts.map(|(name, count)| (name, Value::from(count)));
    let all = counts.into_iter().chain(habits.counts(cost.prompt));
    all.map(|(name, count)| (name.to_owned(), count))
        .collect::<Map<String, Value>>()
        .into()
}

/// Cuts a text into so many pieces of about one length, between characters.
fn pieces(text: &str, count: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let length = characters.len().div_ceil(count).max(1);
    characters.chunks(length).map(|piece| piece.iter().collect()).collect()
}

fn halves(text: &str) -> (String, String) {
    let middle = text.chars().count() / 2;
    (text.chars().take(middle).collect(), text.chars().skip(middle).collect())
}

fn data(chunk: &Value) -> Step {
    raw(format!("data: {chunk}\n\n").into_bytes())
}

fn raw(bytes: Vec<u8>) -> Step {
    Step::Send(bytes.into())
}
