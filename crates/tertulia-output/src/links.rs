//! Links that stand for what a text cannot show: media, and messages of custom types.

use std::collections::BTreeMap;

use serde_json::Value;
use tertulia_message::{Kind, Message, Props};

/// How messages become Markdown links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// What view links begin with, without a slash at its end; they go to `{base}/agent/view/{type}/{id}`.
    pub base: String,
    /// The whole link by type: `{label}` and `{url}` are filled in. Types without one of their own use
    /// [`Links::OTHER`].
    pub templates: BTreeMap<String, String>,
}

/// A message that cannot be shown; the stream goes on without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A picture without its address.
    #[error("missing url")]
    MissingUrl,
}

impl Links {
    /// The key of the template for types that have none of their own.
    pub const OTHER: &'static str = "*";

    /// The usual templates, with view links below `base`.
    #[must_use]
    pub fn new(base: impl Into<String>) -> Self {
        let base: String = base.into();
        let templates = TEMPLATES
            .iter()
            .map(|(kind, template)| ((*kind).to_owned(), (*template).to_owned()));
        Self {
            base: base.trim_end_matches('/').to_owned(),
            templates: templates.collect(),
        }
    }

    /// The link for an image, an audio, a video or a message of a custom type.
    ///
    /// # Errors
    /// An image has no address of its own: a view link cannot stand inside a text as a picture.
    pub fn link(&self, message: &Message) -> Result<String, LinkError> {
        let url = text(&message.props, "url");
        if message.builtin() == Some(Kind::Image) && url.is_empty() {
            return Err(LinkError::MissingUrl);
        }
        let url = if url.is_empty() {
            self.view(message)
        } else {
            url.to_owned()
        };
        let template = self.template(&message.kind);
        Ok(fill(template, &escape_label(label(message)), &escape_url(&url)))
    }

    fn template(&self, kind: &str) -> &str {
        let own = self.templates.get(kind).or_else(|| self.templates.get(Self::OTHER));
        own.map_or("[{label}]({url})", String::as_str)
    }

    fn view(&self, message: &Message) -> String {
        format!("{}/agent/view/{}/{}", self.base, message.kind, message.id)
    }
}

impl Default for Links {
    fn default() -> Self {
        Self::new("")
    }
}

const TEMPLATES: [(&str, &str); 11] = [
    ("image", "![{label}]({url})"),
    ("audio", "🔊 [Play Audio]({url})"),
    ("video", "🎬 [Watch Video]({url})"),
    ("file", "📎 [Download File]({url})"),
    ("page", "📄 [Open Page]({url})"),
    ("table", "📊 [View Table]({url})"),
    ("chart", "📈 [View Chart]({url})"),
    ("list", "📋 [View List]({url})"),
    ("form", "📝 [Fill Form]({url})"),
    ("button", "🔘 [{label}]({url})"),
    (Links::OTHER, "📎 [View {label}]({url})"),
];

fn label(message: &Message) -> &str {
    match message.kind.as_str() {
        // an empty text for a picture says that there is nothing to say: only a missing one has a default
        "image" => message.props.get("alt").and_then(Value::as_str).unwrap_or("Image"),
        "button" => match text(&message.props, "text") {
            "" => "Button",
            text => text,
        },
        kind => kind,
    }
}

fn text<'a>(props: &'a Props, key: &str) -> &'a str {
    props.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Fills a template in one pass, so that braces inside the values stay as they are.
fn fill(template: &str, label: &str, url: &str) -> String {
    let mut parts = template.split("{url}");
    let with_label = |part: &str| part.replace("{label}", label);
    let mut out = with_label(parts.next().unwrap_or_default());
    for part in parts {
        out.push_str(url);
        out.push_str(&with_label(part));
    }
    out
}

fn escape_label(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    for c in label.chars() {
        match c {
            '[' | ']' | '\\' => out.extend(['\\', c]),
            // a line break would end the link
            '\n' | '\r' => out.push(' '),
            _ => out.push(c),
        }
    }
    out
}

fn escape_url(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for c in url.chars() {
        match c {
            '(' | ')' | '<' | '>' => percent(c, &mut out),
            _ if c.is_whitespace() || c.is_control() => percent(c, &mut out),
            _ => out.push(c),
        }
    }
    out
}

fn percent(c: char, out: &mut String) {
    let escaped: Vec<String> = c
        .encode_utf8(&mut [0; 4])
        .bytes()
        .map(|byte| format!("%{byte:02X}"))
        .collect();
    out.push_str(&escaped.concat());
}

#[cfg(test)]
mod tests;
