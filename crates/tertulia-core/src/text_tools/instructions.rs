//! What a model is told about its tools where it has no way of its own to call them.

use serde_json::Value;
use tertulia_message::ToolOffer;

/// How a call looks. The words in capitals are no tool and no parameter that there is.
pub(crate) const FORM: &str =
    "<tool_call id=\"1\" name=\"NAME\">\n<param name=\"PARAMETER\">VALUE</param>\n</tool_call>";

/// The tools, and how to call them; empty if there are none.
#[must_use]
pub fn instructions(tools: &[ToolOffer]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let list: Vec<String> = tools.iter().map(tool).collect();
    format!(
        "## Tools\n\n\
         You can use the tools below. To use one, end your message with a call of this form, and write nothing behind it:\n\n\
         {FORM}\n\n\
         NAME stands for the name of the tool, PARAMETER for the name of a parameter, VALUE for its value. There is one param \
         for each parameter that you give. In values write &lt; for <, &gt; for > and &amp; for &. To use several tools, write \
         several calls with different ids. The results come in the next message, as tool_response with the id of the call; \
         never write one yourself. What nobody needs a tool for, answer at once.\n\n\
         {}",
        list.join("\n\n")
    )
}

fn tool(tool: &ToolOffer) -> String {
    let mut text = format!("### {}", tool.name);
    if !tool.description.trim().is_empty() {
        text.push('\n');
        text.push_str(tool.description.trim());
    }
    let properties = tool.parameters.get("properties").and_then(Value::as_object);
    let required = tool.parameters.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|required| required == name));
    let parameters = properties.into_iter().flatten();
    let parameters: Vec<String> = parameters
        .map(|(name, schema)| parameter(name, schema, is_required(name)))
        .collect();
    text.push_str("\nParameters:");
    if parameters.is_empty() {
        return text + " none";
    }
    text + "\n" + &parameters.join("\n")
}

fn parameter(name: &str, schema: &Value, required: bool) -> String {
    let mut facts = vec![kind(schema)];
    facts.push(if required { "required" } else { "may be left out" }.to_owned());
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array) {
        let allowed: Vec<String> = allowed.iter().map(Value::to_string).collect();
        facts.push(format!("one of {}", allowed.join(", ")));
    }
    facts.retain(|fact| !fact.is_empty());
    let description = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .trim();
    let colon = if description.is_empty() { "" } else { ": " };
    let inside = if is_nested(schema) {
        format!("\n  As JSON of this schema: {schema}")
    } else {
        String::new()
    };
    format!("- {name} ({}){colon}{description}{inside}", facts.join(", "))
}

fn kind(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => String::new(),
    }
}

fn is_nested(schema: &Value) -> bool {
    ["properties", "items", "anyOf", "oneOf", "allOf", "$ref"]
        .iter()
        .any(|key| schema.get(*key).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_tool_is_told_with_its_parameters() {
        let offer = |name: &str, description: &str, parameters| ToolOffer {
            name: name.into(),
            description: description.into(),
            parameters,
        };
        let zone = json!({"type": "string", "description": "A time zone."});
        let list = json!({"type": ["array", "null"], "items": {"type": "number"}});
        let tools = [
            offer(
                "now",
                "Tells the time.",
                json!({"type": "object", "properties": {"zone": zone}}),
            ),
            offer(
                "add",
                "",
                json!({"properties": {"how": {"enum": ["up", 1]}, "numbers": list}, "required": ["numbers"]}),
            ),
            offer("quit", " ", Value::Null),
        ];
        insta::assert_snapshot!(instructions(&tools), @r#"
        ## Tools

        You can use the tools below. To use one, end your message with a call of this form, and write nothing behind it:

        <tool_call id="1" name="NAME">
        <param name="PARAMETER">VALUE</param>
        </tool_call>

        NAME stands for the name of the tool, PARAMETER for the name of a parameter, VALUE for its value. There is one param for each parameter that you give. In values write &lt; for <, &gt; for > and &amp; for &. To use several tools, write several calls with different ids. The results come in the next message, as tool_response with the id of the call; never write one yourself. What nobody needs a tool for, answer at once.

        ### now
        Tells the time.
        Parameters:
        - zone (string, may be left out): A time zone.

        ### add
        Parameters:
        - how (may be left out, one of "up", 1)
        - numbers (array or null, required)
          As JSON of this schema: {"items":{"type":"number"},"type":["array","null"]}

        ### quit
        Parameters: none
        "#);
        assert_eq!(instructions(&[]), "");
    }
}
