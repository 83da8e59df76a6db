//! The bytes of an answer, and the note of how it ended.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};

use super::script::OllamaScript;
use super::{Call, OllamaDouble, Shared};
use crate::model_double::Ending;

const CREATED: &str = "2026-03-14T09:26:51.101379Z";

/// Notes the end of one call: a disconnect if it is dropped before [`CallNote::said`].
pub(super) struct CallNote {
    shared: Arc<Shared>,
    place: usize,
}

impl CallNote {
    /// Logs an accepted request.
    pub(super) fn open(shared: &Arc<Shared>, call: Call) -> Self {
        let mut place = 0;
        shared.log.send_modify(|log| {
            place = log.calls.len();
            log.calls.push(call);
        });
        Self {
            shared: Arc::clone(shared),
            place,
        }
    }

    /// Everything was said.
    pub(super) fn said(&self) {
        self.note(Ending::Said);
    }

    fn note(&self, ending: Ending) {
        self.shared.log.send_modify(|log| {
            if let Some(call) = log.calls.get_mut(self.place)
                && call.ending == Ending::Open
            {
                call.ending = ending;
            }
        });
    }
}

impl Drop for CallNote {
    fn drop(&mut self) {
        self.note(Ending::Disconnected);
    }
}

enum Step {
    Send(Bytes),
    Pause(Duration),
    Cut,
    Silence,
}

/// The body of an answer to a question of so many tokens.
pub(super) fn stream(
    script: OllamaScript,
    chat: bool,
    read: u64,
    note: CallNote,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    if let OllamaScript::Endless(pause) = script {
        return stream::unfold(note, move |note| async move {
            tokio::time::sleep(pause).await;
            Some((Ok(bytes(&line(&json!({"content": "again "}), chat))), note))
        })
        .boxed();
    }
    let steps: VecDeque<Step> = steps(script, chat, read).into();
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

fn steps(script: OllamaScript, chat: bool, read: u64) -> Vec<Step> {
    let say = |message: &Value| Step::Send(bytes(&line(message, chat)));
    let some = say(&json!({"content": "Some text"}));
    match script {
        OllamaScript::Say {
            messages,
            pause,
            reason,
        } => {
            let lines = messages.iter().flat_map(|message| [Step::Pause(pause), say(message)]);
            lines.chain([Step::Send(bytes(&done(chat, reason, read)))]).collect()
        }
        OllamaScript::ErrorLine(error) => vec![some, Step::Send(bytes(&json!({"error": error})))],
        OllamaScript::NoDone => vec![some],
        // The pause lets what was sent leave before the connection is torn down.
        OllamaScript::Cut => vec![some, Step::Pause(Duration::from_millis(20)), Step::Cut],
        OllamaScript::Silent => vec![Step::Silence],
        // Played elsewhere: they are no finite streams.
        OllamaScript::Endless(_) | OllamaScript::Fail(..) => Vec::new(),
    }
}

fn line(message: &Value, chat: bool) -> Value {
    let mut line = json!({"model": OllamaDouble::MODEL, "created_at": CREATED, "done": false});
    let Some(fields) = line.as_object_mut() else {
        return line;
    };
    let content = message.get("content").cloned().unwrap_or_else(|| json!(""));
    if chat {
        let mut message = message.clone();
        if let Some(said) = message.as_object_mut() {
            said.insert("role".to_owned(), json!("assistant"));
            said.insert("content".to_owned(), content);
        }
        fields.insert("message".to_owned(), message);
    } else {
        fields.insert("response".to_owned(), content);
        fields.extend(
            message
                .get("thinking")
                .map(|thinking| ("thinking".to_owned(), thinking.clone())),
        );
    }
    line
}

fn done(chat: bool, reason: &str, read: u64) -> Value {
    let mut last = line(&json!({}), chat);
    if let Some(fields) = last.as_object_mut() {
        fields.insert("done".to_owned(), json!(true));
        fields.insert("done_reason".to_owned(), json!(reason));
        fields.insert("total_duration".to_owned(), json!(912_345_678));
        fields.insert("prompt_eval_count".to_owned(), json!(read));
        fields.insert("eval_count".to_owned(), json!(7));
    }
    last
}

fn bytes(line: &Value) -> Bytes {
    format!("{line}\n").into()
}
