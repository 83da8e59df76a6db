//! Runs one tool call under its deadline.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use serde_json::Value;
use tertulia_core::chat::{ToolCall, ToolResult, ToolStatus};
use tertulia_core::reply::Saying;
use tertulia_ports::{Outbox, Tool, ToolContext};
use tokio::time::timeout;

use crate::crash;
use crate::outbox::CallOutbox;

/// The longest result that a model reads, in characters.
const LONGEST_RESULT: usize = 20_000;

/// Runs one tool call; whatever happens, there is a result for the model. With what it had said, if it went well.
pub(crate) async fn run(
    tool: Arc<dyn Tool>,
    call: ToolCall,
    mut context: ToolContext,
    outbox: Option<Arc<CallOutbox>>,
) -> (ToolResult, Option<Box<Saying>>) {
    context.outbox = outbox.clone().map(|outbox| outbox as Arc<dyn Outbox>);
    crash::point("before", "tool");
    let running = AssertUnwindSafe(call_tool(&*tool, &call, &context)).catch_unwind();
    let outcome = running.await.unwrap_or_else(|_| {
        tracing::error!(path = %context.path, tool = call.name, "a tool panicked");
        Err("the tool broke; it may still have happened".to_owned())
    });
    crash::point("after", "tool");
    let saying = outbox.filter(|_| outcome.is_ok()).and_then(|outbox| outbox.take());
    let (status, text) = match outcome {
        Ok(text) => (ToolStatus::Ok, text),
        Err(text) => (ToolStatus::Failed, text),
    };
    let result = ToolResult {
        call_id: call.id,
        name: call.name,
        status,
        content: capped(text),
    };
    (result, saying)
}

async fn call_tool(tool: &dyn Tool, call: &ToolCall, context: &ToolContext) -> Result<String, String> {
    let arguments = parse(&call.arguments)?;
    let deadline = tool.spec().deadline;
    match timeout(deadline, tool.call(arguments, context)).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(_) => Err(format!(
            "not done within {} s; it may still have happened",
            deadline.as_secs()
        )),
    }
}

fn parse(arguments: &str) -> Result<Value, String> {
    if arguments.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_str(arguments).map_err(|error| format!("the arguments are not JSON: {error}"))
}

fn capped(text: String) -> String {
    match text.char_indices().nth(LONGEST_RESULT) {
        None => text,
        Some(_) => text.chars().take(LONGEST_RESULT).collect::<String>() + "\n[cut]",
    }
}
