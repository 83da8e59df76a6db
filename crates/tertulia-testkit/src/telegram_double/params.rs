//! The parameters of a call, in all four encodings that the server takes.

use std::collections::BTreeMap;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::refusal::Refusal;
use crate::multipart::{self, Upload};

/// The parameters of one call.
#[derive(Debug, Clone, Default)]
pub(super) struct Params {
    fields: Map<String, Value>,
    files: BTreeMap<String, Upload>,
}

impl Params {
    /// Reads query and body; a field of the body hides one of the query.
    pub(super) fn read(query: &str, content_type: &str, body: &[u8]) -> Result<Self, Refusal> {
        let mut params = Self::default();
        params.pairs(query);
        let kind = content_type.split(';').next().unwrap_or_default().trim().to_lowercase();
        match kind.as_str() {
            "application/json" => params.json(body)?,
            "multipart/form-data" => params.multipart(content_type, body)?,
            _ => params.pairs(&String::from_utf8_lossy(body)),
        }
        Ok(params)
    }

    fn json(&mut self, body: &[u8]) -> Result<(), Refusal> {
        if body.is_empty() {
            return Ok(());
        }
        let Ok(Value::Object(fields)) = serde_json::from_slice(body) else {
            return Err(Refusal::bad("can't parse JSON object"));
        };
        self.fields
            .extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
        Ok(())
    }

    fn pairs(&mut self, text: &str) {
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            self.fields.insert(decoded(name), Value::String(decoded(value)));
        }
    }

    fn multipart(&mut self, content_type: &str, body: &[u8]) -> Result<(), Refusal> {
        let parts =
            multipart::parts(content_type, body).ok_or_else(|| Refusal::bad("can't parse multipart/form-data"))?;
        for part in parts {
            match part.file {
                Some(file) => drop(self.files.insert(part.name, file)),
                None => drop(self.fields.insert(part.name, Value::String(part.text))),
            }
        }
        Ok(())
    }

    /// Everything but files, as it came.
    pub(super) fn fields(&self) -> Value {
        Value::Object(self.fields.clone())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name) || self.files.contains_key(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        match self.fields.get(name)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    /// A number, or digits.
    pub(super) fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.trim().parse().ok()
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        let text = self.text(name).unwrap_or_default().to_lowercase();
        matches!(text.as_str(), "true" | "1" | "yes")
    }

    /// An object or a list, itself or as its text.
    pub(super) fn value(&self, name: &str) -> Result<Option<Value>, Refusal> {
        match self.fields.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(Value::String(text)) => serde_json::from_str(text)
                .map(Some)
                .map_err(|_| Refusal::bad(format!("can't parse {name} JSON object"))),
            Some(value) => Ok(Some(value.clone())),
        }
    }

    pub(super) fn list(&self, name: &str) -> Result<Option<Vec<Value>>, Refusal> {
        match self.value(name)? {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => Err(Refusal::bad(format!("object expected as {name}"))),
        }
    }

    pub(super) fn upload(&self, name: &str) -> Option<&Upload> {
        self.files.get(name)
    }
}

fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_encodings_say_the_same() {
        let multipart = "--b\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n5\r\n--b\r\n\
            Content-Disposition: form-data; name=\"text\"\r\n\r\na b\r\n--b--\r\n";
        let cases = [
            ("chat_id=5&text=a+b", "", ""),
            ("", "application/x-www-form-urlencoded", "chat_id=5&text=a%20b"),
            (
                "chat_id=7",
                "application/json; charset=utf-8",
                r#"{"chat_id":5,"text":"a b"}"#,
            ),
            ("", "multipart/form-data; boundary=b", multipart),
        ];
        for (query, kind, body) in cases {
            let params = Params::read(query, kind, body.as_bytes()).unwrap();
            assert_eq!(params.number::<i64>("chat_id"), Some(5), "{kind}");
            assert_eq!(params.text("text").as_deref(), Some("a b"), "{kind}");
        }
        assert!(Params::read("", "application/json", b"[").is_err());
    }

    #[test]
    fn lists_come_as_themselves_or_as_text() {
        for body in [r#"{"l":[1]}"#, r#"{"l":"[1]"}"#] {
            let params = Params::read("", "application/json", body.as_bytes()).unwrap();
            assert_eq!(params.list("l").unwrap(), Some(vec![Value::from(1)]));
        }
    }
}
