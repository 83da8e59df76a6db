//! The tool `now`: the date and the time, in UTC and in a time zone.

use std::time::Duration;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use serde_json::{Value, json};
use tertulia_core::record::ToolEffect;
use tertulia_message::ToolOffer;
use tertulia_ports::{Tool, ToolContext, ToolError, ToolSpec};

/// Tells the time. Zones are read from the machine's own time zone database; without one there is UTC only.
#[derive(Debug)]
pub struct NowTool {
    spec: ToolSpec,
}

impl NowTool {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let zone = json!({
            "type": "string",
            "description": "An IANA time zone such as Europe/Madrid; left out: UTC only.",
        });
        let offer = ToolOffer {
            name: "now".to_owned(),
            description: "Tells the current date, weekday and time in UTC, and in a time zone if one is given."
                .to_owned(),
            parameters: json!({"type": "object", "properties": {"zone": zone}, "additionalProperties": false}),
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

impl Default for NowTool {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Tool for NowTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, context: &ToolContext) -> Result<String, ToolError> {
        let zone = zone(&arguments)?;
        let now = Timestamp::from_millisecond(context.now)
            .map_err(|error| ToolError::Failed(format!("the clock is out of range: {error}")))?;
        let utc = word(&now.to_zoned_datetime(TimeZone::UTC), "UTC");
        Ok(match zone {
            Some((name, zone)) => format!("{utc}\n{}", word(&now.to_zoned_datetime(zone), &name)),
            None => utc,
        })
    }
}

/// The zone that is asked for, if one is.
fn zone(arguments: &Value) -> Result<Option<(String, TimeZone)>, ToolError> {
    let wrong = |text: &str| Err(ToolError::Arguments(text.to_owned()));
    let name = match arguments {
        Value::Null => return Ok(None),
        Value::Object(fields) => match fields.get("zone") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(name)) => name.trim(),
            Some(_) => return wrong("zone must be a string"),
        },
        _ => return wrong("an object is expected"),
    };
    match TimeZone::get(name) {
        _ if name.is_empty() || name.eq_ignore_ascii_case("utc") => Ok(None),
        Ok(zone) => Ok(Some((name.to_owned(), zone))),
        Err(_) => wrong(&format!("no time zone is known as {name:?}")),
    }
}

fn word(time: &ZonedDateTime, zone: &str) -> String {
    time.strftime("%A, %Y-%m-%d %H:%M:%S %:z").to_string() + " (" + zone + ")"
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use tertulia_message::PersonId;
    use tertulia_message::path::InterfacePath;

    use super::*;

    fn call(arguments: Value, now: i64) -> Result<String, String> {
        let context = ToolContext {
            path: InterfacePath::parse("web/1").unwrap(),
            person: PersonId::new("web", "1"),
            now,
            outbox: None,
        };
        let tool = NowTool::new();
        let future = pin!(tool.call(arguments, &context));
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => outcome.map_err(|error| error.to_string()),
            Poll::Pending => panic!("it waits for nothing"),
        }
    }

    const MOMENT: i64 = 1_700_000_000_000;

    #[test]
    fn it_tells_the_time_of_the_context() {
        let expected = Ok("Tuesday, 2023-11-14 22:13:20 +00:00 (UTC)".to_owned());
        for arguments in [json!({}), Value::Null, json!({"zone": null}), json!({"zone": "utc"})] {
            assert_eq!(call(arguments, MOMENT), expected);
        }
        assert_eq!(
            call(json!({}), 0),
            Ok("Thursday, 1970-01-01 00:00:00 +00:00 (UTC)".to_owned())
        );
    }

    #[test]
    fn it_knows_the_zones_of_the_machine() {
        if TimeZone::get("Asia/Kolkata").is_err() {
            println!("skipped: this machine has no time zone database");
            return;
        }
        let text = call(json!({"zone": "Asia/Kolkata"}), MOMENT).unwrap();
        assert!(
            text.ends_with("\nWednesday, 2023-11-15 03:43:20 +05:30 (Asia/Kolkata)"),
            "{text}"
        );
    }

    #[test]
    fn it_says_what_is_wrong() {
        for arguments in [
            json!({"zone": "Mars/Olympus"}),
            json!({"zone": "../etc/passwd"}),
            json!({"zone": 1}),
            json!([]),
        ] {
            let error = call(arguments, MOMENT).unwrap_err();
            assert!(error.starts_with("bad arguments: "), "{error}");
        }
        assert!(call(json!({}), i64::MAX).is_err());
    }
}
