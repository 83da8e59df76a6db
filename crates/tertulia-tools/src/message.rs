//! The tools `message_<interface>`: a message beside the answer, here or in another conversation.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tertulia_core::record::ToolEffect;
use tertulia_message::ToolOffer;
use tertulia_ports::{Tool, ToolContext, ToolError, ToolSpec};

/// Has a message said on one interface. Who may have it said where is decided by whoever keeps the outbox.
#[derive(Debug)]
pub struct MessageTool {
    spec: ToolSpec,
    interface: String,
}

impl MessageTool {
    /// The tool for the interface of this configured name.
    #[must_use]
    pub fn new(interface: &str) -> Self {
        let text = json!({"type": "string", "description": "The message, in Markdown."});
        let path = json!({
            "type": "string",
            "description": format!("The interface path of a conversation, such as {interface}/123; left out: this conversation."),
        });
        let offer = ToolOffer {
            name: format!("message_{interface}"),
            description: format!(
                "Sends a message on {interface}. Only for messages that somebody asks you to send: your answer is shown by itself."
            ),
            parameters: json!({
                "type": "object",
                "properties": {"text": text, "interface_path": path},
                "required": ["text"],
                "additionalProperties": false,
            }),
        };
        Self {
            spec: ToolSpec {
                offer,
                effect: ToolEffect::ReachesOut,
                deadline: Duration::from_secs(15),
                speaks_on: Some(interface.to_owned()),
            },
            interface: interface.to_owned(),
        }
    }
}

#[async_trait]
impl Tool for MessageTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, context: &ToolContext) -> Result<String, ToolError> {
        let text = string(&arguments, "text")?.unwrap_or_default();
        let path = string(&arguments, "interface_path")?.filter(|path| !path.trim().is_empty());
        let Some(outbox) = &context.outbox else {
            let text = "messages cannot be sent from this conversation: nothing of it is kept";
            return Err(ToolError::Failed(text.to_owned()));
        };
        let path = outbox.say(&self.interface, path, text).await?;
        Ok(format!("sent to {path}"))
    }
}

fn string<'a>(arguments: &'a Value, name: &str) -> Result<Option<&'a str>, ToolError> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ToolError::Arguments(format!("{name} must be a string"))),
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll, Waker};

    use tertulia_message::PersonId;
    use tertulia_message::path::InterfacePath;
    use tertulia_ports::Outbox;

    use super::*;

    #[derive(Default)]
    struct Kept(Mutex<Vec<(String, Option<String>, String)>>);

    #[async_trait]
    impl Outbox for Kept {
        async fn say(&self, interface: &str, path: Option<&str>, text: &str) -> Result<InterfacePath, ToolError> {
            let said = (interface.to_owned(), path.map(str::to_owned), text.to_owned());
            self.0.lock().unwrap().push(said);
            Ok(InterfacePath::parse("telegram_bot/5").unwrap())
        }
    }

    fn call(arguments: Value, outbox: Option<Arc<dyn Outbox>>) -> Result<String, String> {
        let context = ToolContext {
            path: InterfacePath::parse("telegram_bot/5").unwrap(),
            person: PersonId::new("telegram_bot", "5"),
            now: 0,
            outbox,
        };
        let tool = MessageTool::new("telegram_bot");
        let future = pin!(tool.call(arguments, &context));
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => outcome.map_err(|error| error.to_string()),
            Poll::Pending => panic!("it waits for nothing"),
        }
    }

    #[test]
    fn what_is_asked_for_is_handed_in() {
        let kept = Arc::new(Kept::default());
        for (path, expected) in [
            (json!(null), None),
            (json!(" "), None),
            (json!("a/b"), Some("a/b".to_owned())),
        ] {
            let arguments = json!({"text": "*hello*", "interface_path": path});
            assert_eq!(
                call(arguments, Some(kept.clone())),
                Ok("sent to telegram_bot/5".to_owned())
            );
            let said = kept.0.lock().unwrap().pop().unwrap();
            assert_eq!(said, ("telegram_bot".to_owned(), expected, "*hello*".to_owned()));
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let kept = Arc::new(Kept::default());
        let error = call(json!({"text": 1}), Some(kept.clone())).unwrap_err();
        assert_eq!(error, "bad arguments: text must be a string");
        let error = call(json!({"text": "a", "interface_path": 5}), Some(kept.clone())).unwrap_err();
        assert_eq!(error, "bad arguments: interface_path must be a string");
        assert!(kept.0.lock().unwrap().is_empty());
        assert!(
            call(json!({"text": "a"}), None)
                .unwrap_err()
                .contains("nothing of it is kept")
        );
    }
}
