//! The tool `calculate`: the value of an arithmetic expression.

mod error;
mod functions;
mod number;
mod reader;
mod show;
mod tokens;

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tertulia_core::record::ToolEffect;
use tertulia_message::ToolOffer;
use tertulia_ports::{Tool, ToolContext, ToolError, ToolSpec};

/// The longest expression, in characters.
const LONGEST: usize = 1000;

const DESCRIPTION: &str = "Calculates the value of an arithmetic expression, exactly where that is possible. \
    Operators: + - * / ^ (power), % (remainder, or percent behind a number), ! (factorial), parentheses. \
    Functions: sqrt cbrt abs sign floor ceil trunc round(x, digits) min max gcd lcm exp ln log (base 10, or log(x, base)) \
    log2 sin cos tan asin acos atan atan2 (radians) sinh cosh tanh hypot deg rad. Constants: pi tau e phi. \
    Write every * and no thousands separators.";

/// Calculates with fractions of any length up to a bound, and with 64-bit floating-point numbers where there is no fraction.
#[derive(Debug)]
pub struct CalculateTool {
    spec: ToolSpec,
}

impl CalculateTool {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let expression = json!({
            "type": "string",
            "description": "The expression, such as (2 + 3) * 4^0.5",
        });
        let offer = ToolOffer {
            name: "calculate".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {"expression": expression},
                "required": ["expression"],
                "additionalProperties": false,
            }),
        };
        Self {
            spec: ToolSpec {
                offer,
                effect: ToolEffect::Reads,
                deadline: Duration::from_secs(5),
                speaks_on: None,
            },
        }
    }
}

impl Default for CalculateTool {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Tool for CalculateTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, _context: &ToolContext) -> Result<String, ToolError> {
        let Some(expression) = arguments.get("expression").and_then(Value::as_str) else {
            return Err(ToolError::Arguments(
                "expression is missing, or is not a string".to_owned(),
            ));
        };
        calculate(expression).map_err(ToolError::Failed)
    }
}

/// The value of an expression, as the model reads it; the error says what is wrong with it.
fn calculate(expression: &str) -> Result<String, String> {
    if expression.chars().nth(LONGEST).is_some() {
        return Err(format!("an expression has at most {LONGEST} characters"));
    }
    let value = tokens::tokens(expression).and_then(|tokens| reader::value(&tokens));
    value.map(|value| show::show(&value)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
