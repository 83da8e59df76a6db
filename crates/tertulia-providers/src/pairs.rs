//! Keeps calls and results paired: a request that breaks the rule is refused for ever, whatever broke the history.

use std::collections::BTreeMap;

use tertulia_core::chat::{ToolCall, ToolResult};

/// What the model reads for a call whose result is lost.
const LOST: &str = "The result of this call was lost.";

/// The results as the round of `calls` needs them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Paired {
    /// One content per call, in the order of the calls.
    pub(crate) answers: Vec<String>,
    /// Results that answer none of the calls.
    pub(crate) strangers: Vec<ToolResult>,
}

/// Sorts the results by the calls they answer; the first result of a call counts.
pub(crate) fn pair(calls: &[ToolCall], results: &[ToolResult]) -> Paired {
    let mut left: Vec<ToolResult> = results.to_vec();
    let mut take = |call: &ToolCall| {
        let place = left.iter().position(|result| result.call_id == call.id);
        place.map_or_else(|| LOST.to_owned(), |place| left.remove(place).content)
    };
    let answers = calls.iter().map(&mut take).collect();
    Paired {
        answers,
        strangers: left,
    }
}

/// The ids of the calls of one request, as the provider takes them: no two are the same.
#[derive(Debug)]
pub(crate) struct Ids {
    form: fn(&str) -> String,
    seen: BTreeMap<String, u32>,
}

impl Default for Ids {
    fn default() -> Self {
        Self {
            form: wire_id,
            seen: BTreeMap::new(),
        }
    }
}

impl Ids {
    /// Of letters, digits, `_` and `-` alone.
    pub(crate) fn narrow() -> Self {
        Self {
            form: narrow_id,
            seen: BTreeMap::new(),
        }
    }

    /// The id of the next call.
    pub(crate) fn next(&mut self, id: &str) -> String {
        let id = (self.form)(id);
        let seen = self.seen.entry(id.clone()).or_insert(0);
        *seen += 1;
        if *seen == 1 {
            id
        } else {
            (self.form)(&format!("{id} {seen}"))
        }
    }
}

/// The id of a call on the wire: its own where the provider takes it, else one derived from it.
///
/// OpenAI refuses ids of more than 40 characters. The same id always becomes the same one, so prompt caches hold.
pub(crate) fn wire_id(id: &str) -> String {
    if !id.is_empty() && id.len() <= 40 && id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return id.to_owned();
    }
    derived(id)
}

/// The id of a call where only letters, digits, `_` and `-` are taken, as by Anthropic.
fn narrow_id(id: &str) -> String {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !id.is_empty() && id.len() <= 64 && id.bytes().all(fits) {
        id.to_owned()
    } else {
        derived(id)
    }
}

fn derived(id: &str) -> String {
    // FNV-1a: stable over releases, which the hasher of the standard library is not.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("call_{hash:016x}")
}

/// The arguments as every provider takes them: the text of a JSON object.
pub(crate) fn wire_arguments(arguments: &str) -> &str {
    let object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(arguments).is_ok();
    if object { arguments } else { "{}" }
}

/// The arguments as an object. What is none, of another provider or cut off, is shown to the model under one name.
pub(crate) fn argument_object(arguments: &str) -> serde_json::Map<String, serde_json::Value> {
    match serde_json::from_str(arguments) {
        Ok(serde_json::Value::Object(arguments)) => arguments,
        _ if arguments.trim().is_empty() => serde_json::Map::new(),
        _ => serde_json::Map::from_iter([("unreadable".to_owned(), arguments.into())]),
    }
}

#[cfg(test)]
mod tests {
    use tertulia_core::chat::ToolStatus;

    use super::*;

    #[test]
    fn results_follow_their_calls() {
        let call = |id: &str| ToolCall {
            id: id.into(),
            name: "f".into(),
            arguments: "{}".into(),
        };
        let result = |id: &str, content: &str| ToolResult {
            call_id: id.into(),
            name: "f".into(),
            status: ToolStatus::Ok,
            content: content.into(),
        };
        let paired = pair(
            &[call("a"), call("b"), call("c")],
            &[result("c", "3"), result("x", "?"), result("a", "1")],
        );
        assert_eq!(paired.answers, ["1", LOST, "3"]);
        assert_eq!(paired.strangers, [result("x", "?")]);
    }

    #[test]
    fn no_id_comes_twice() {
        for mut ids in [Ids::default(), Ids::narrow()] {
            let next = ["a", "a", "b", "a", ""].map(|id| ids.next(id));
            assert_eq!((next[0].as_str(), next[2].as_str()), ("a", "b"));
            assert_eq!(next.iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
        }
    }

    #[test]
    fn arguments_become_an_object_whatever_they_are() {
        let object = |text: &str| serde_json::Value::from(argument_object(text)).to_string();
        assert_eq!(object("{\"a\":1}"), "{\"a\":1}");
        assert_eq!((object(""), object(" ")), ("{}".to_owned(), "{}".to_owned()));
        assert_eq!(object("[1]"), "{\"unreadable\":\"[1]\"}");
        assert_eq!(object("{\"a\":"), "{\"unreadable\":\"{\\\"a\\\":\"}");
    }

    #[test]
    fn ids_and_arguments_that_fit_stay() {
        assert_eq!(wire_id("functions.weather:0"), "functions.weather:0");
        let long = "x".repeat(41);
        assert_eq!((wire_id(&long).len(), wire_id(&long)), (21, wire_id(&long)));
        assert_ne!(wire_id(&long), wire_id(&"y".repeat(41)));
        assert_eq!(narrow_id("toolu_01-A"), "toolu_01-A");
        assert_ne!(narrow_id("functions.weather:0"), narrow_id("functions.weather:1"));
        assert!(
            narrow_id("ä b")
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        );
        assert_eq!(wire_arguments("{\"a\": 1}"), "{\"a\": 1}");
        assert_eq!(
            [wire_arguments(""), wire_arguments("{\"a\":"), wire_arguments("[1]")],
            ["{}"; 3]
        );
    }
}
