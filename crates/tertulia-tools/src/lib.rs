//! The tools that come with the daemon.

mod calculate;
mod message;
mod now;

use std::sync::Arc;

use tertulia_ports::Tool;

pub use calculate::CalculateTool;
pub use message::MessageTool;
pub use now::NowTool;

/// All tools that are shipped, ready to be offered.
#[must_use]
pub fn shipped() -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(NowTool::new()), Arc::new(CalculateTool::new())]
}

/// The tools that send messages, one for each of these interfaces: to be offered for chat platforms, and not for doors.
pub fn messages_on<'a>(interfaces: impl IntoIterator<Item = &'a str>) -> Vec<Arc<dyn Tool>> {
    let tool = |interface| Arc::new(MessageTool::new(interface)) as Arc<dyn Tool>;
    interfaces.into_iter().map(tool).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_tools_have_names_and_schemas_that_every_provider_takes() {
        let mut names = Vec::new();
        for tool in shipped().into_iter().chain(messages_on(["telegram_bot", "second"])) {
            let spec = tool.spec();
            let name = spec.offer.name.clone();
            assert!(!name.is_empty() && name.len() <= 64, "{name}");
            assert!(
                name.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)),
                "{name}"
            );
            assert!(!names.contains(&name), "{name} is there twice");
            assert_eq!(spec.offer.parameters["type"], "object");
            assert!(!spec.offer.description.is_empty() && !spec.deadline.is_zero());
            names.push(name);
        }
        assert_eq!(names, ["now", "calculate", "message_telegram_bot", "message_second"]);
    }
}
