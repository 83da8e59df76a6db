//! One call: its route, its query and its body.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::refusal::Refusal;
use super::route::Route;
use crate::multipart::{self, Upload};

static NULL: Value = Value::Null;

/// What the bot asks.
#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    pub(super) route: Route,
    pub(super) query: BTreeMap<String, String>,
    pub(super) body: Value,
    pub(super) files: Vec<Upload>,
}

impl Request {
    pub(super) fn read(route: Route, query: &str, content_type: &str, body: &[u8]) -> Result<Self, Refusal> {
        let mut request = Self {
            route,
            query: pairs(query),
            body: json!({}),
            files: Vec::new(),
        };
        let kind = content_type.split(';').next().unwrap_or_default().trim().to_lowercase();
        if kind == "multipart/form-data" {
            request.parts(content_type, body)?;
        } else if !body.is_empty() {
            request.body = json_of(body)?;
        }
        Ok(request)
    }

    fn parts(&mut self, content_type: &str, body: &[u8]) -> Result<(), Refusal> {
        let parts = multipart::parts(content_type, body).ok_or_else(unreadable)?;
        for part in parts {
            match part.file {
                Some(file) => self.files.push(file),
                None if part.name == "payload_json" => self.body = json_of(part.text.as_bytes())?,
                None => super::refusal::insert(&mut self.body, &part.name, json!(part.text)),
            }
        }
        Ok(())
    }

    /// A field of the body, or null.
    pub(super) fn field(&self, name: &str) -> &Value {
        self.body.get(name).unwrap_or(&NULL)
    }

    pub(super) fn text(&self, name: &str) -> &str {
        self.field(name).as_str().unwrap_or_default()
    }

    /// A number in the query.
    pub(super) fn asked(&self, name: &str) -> Option<u64> {
        self.query.get(name)?.parse().ok()
    }
}

/// The pairs of a query.
pub(super) fn pairs(query: &str) -> BTreeMap<String, String> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decoded(name), decoded(value))).collect()
}

fn json_of(body: &[u8]) -> Result<Value, Refusal> {
    serde_json::from_slice(body).map_err(|_| unreadable())
}

fn unreadable() -> Refusal {
    Refusal::of(400, 50109, "The request body contains invalid JSON.")
}
