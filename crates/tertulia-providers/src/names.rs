//! The names of tools on the wire, where only `[a-zA-Z0-9_-]{1,64}` is allowed, and what they take, which is an object.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tertulia_message::ToolOffer;

const LONGEST: usize = 64;

/// The tools of one request under names the provider takes, and back.
#[derive(Debug, Default)]
pub(crate) struct Names {
    to_wire: BTreeMap<String, String>,
}

impl Names {
    /// Gives every offered tool a wire name of its own; names that fit stay.
    pub(crate) fn new(tools: &[ToolOffer]) -> Self {
        let mut names = Self::default();
        let (fitting, others): (Vec<_>, Vec<_>) = tools.iter().partition(|tool| fitted(&tool.name) == tool.name);
        for tool in fitting.into_iter().chain(others) {
            names.add(&tool.name);
        }
        names
    }

    /// The wire name of a tool, also of one that is no longer offered.
    pub(crate) fn to_wire(&self, name: &str) -> String {
        self.to_wire.get(name).cloned().unwrap_or_else(|| fitted(name))
    }

    /// Whose wire name it is; a name of no offered tool stays as it is.
    pub(crate) fn own_name(&self, wire: &str) -> String {
        let found = self.to_wire.iter().find(|(_, candidate)| *candidate == wire);
        found.map_or(wire, |(name, _)| name).to_owned()
    }

    fn add(&mut self, name: &str) {
        let taken = |candidate: &String| self.to_wire.values().any(|wire| wire == candidate);
        let plain = fitted(name);
        let numbered = (2..).map(|number: u32| {
            let tail = format!("_{number}");
            plain.chars().take(LONGEST - tail.len()).collect::<String>() + &tail
        });
        let wire = std::iter::once(plain.clone())
            .chain(numbered)
            .find(|candidate| !taken(candidate));
        self.to_wire.entry(name.to_owned()).or_insert(wire.unwrap_or(plain));
    }
}

/// The schema of what a tool takes: providers insist on that of an object.
pub(crate) fn object_schema(tool: &ToolOffer) -> Value {
    let kind = tool.parameters.get("type").and_then(Value::as_str);
    if kind == Some("object") {
        tool.parameters.clone()
    } else {
        json!({"type": "object", "properties": {}})
    }
}

fn fitted(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = name
        .chars()
        .take(LONGEST)
        .map(|c| if fits(c) { c } else { '_' })
        .collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        let offer = |name: &str| ToolOffer {
            name: name.into(),
            description: String::new(),
            parameters: Value::Null,
        };
        let long = "x".repeat(70);
        let tools = ["a.b", "now", "a_b", "a b", &long].map(offer);
        let names = Names::new(&tools);
        let wires: Vec<String> = tools.iter().map(|tool| names.to_wire(&tool.name)).collect();
        assert_eq!(wires, ["a_b_2", "now", "a_b", "a_b_3", &"x".repeat(64)]);
        let back: Vec<String> = wires.iter().map(|wire| names.own_name(wire)).collect();
        assert_eq!(back, tools.map(|tool| tool.name));
        assert_eq!(
            (names.to_wire("old.one"), names.own_name("other")),
            ("old_one".into(), "other".into())
        );
    }
}
