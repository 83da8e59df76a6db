//! JSON as it comes, field by field: what is not looked at does no harm, and what has another type than expected is not there.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::ids::Snowflake;

/// The fields of one object. Only what is asked for is read, so that neither an odd field nor a deep one loses the rest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    /// Reads the outermost level.
    pub(crate) fn read(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok().map(Self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if it is there, and not null.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|value| value.get() != "null")
    }

    /// A text; empty if it is missing.
    pub(crate) fn text(&self, key: &str) -> String {
        self.get(key).unwrap_or_default()
    }

    /// A text that says something.
    pub(crate) fn word(&self, key: &str) -> Option<String> {
        self.get(key).filter(|text: &String| !text.trim().is_empty())
    }

    /// A whole number that is not negative.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        self.get(key)
    }

    /// A number with or without a fraction.
    pub(crate) fn decimal(&self, key: &str) -> Option<f64> {
        self.get(key)
    }

    /// True if it is `true`.
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.get(key).unwrap_or(false)
    }

    /// An id, as text or as a number.
    pub(crate) fn id(&self, key: &str) -> Option<Snowflake> {
        self.0.get(key).and_then(|value| id(value))
    }

    /// The ids of a list.
    pub(crate) fn ids(&self, key: &str) -> Vec<Snowflake> {
        self.list(key).into_iter().filter_map(id).collect()
    }

    /// An object's fields; none if it is missing or something else.
    pub(crate) fn object(&self, key: &str) -> Self {
        let value = self.0.get(key).copied();
        value.and_then(|value| Self::read(value.get())).unwrap_or_default()
    }

    /// The objects of a list.
    pub(crate) fn objects(&self, key: &str) -> Vec<Self> {
        let values = self.list(key).into_iter();
        values.filter_map(|value| Self::read(value.get())).collect()
    }

    /// The objects behind each key.
    pub(crate) fn entries(&self) -> Vec<(String, Self)> {
        let entries = self.0.iter();
        entries
            .filter_map(|(key, value)| Some((key.clone(), Self::read(value.get())?)))
            .collect()
    }

    /// A value as it stands, if it is there.
    pub(crate) fn raw(&self, key: &str) -> Option<&'a str> {
        self.0.get(key).map(|value| value.get())
    }

    fn list(&self, key: &str) -> Vec<&'a RawValue> {
        let list = self.0.get(key).copied();
        list.and_then(|list| serde_json::from_str(list.get()).ok())
            .unwrap_or_default()
    }

    fn get<T: Deserialize<'a>>(&self, key: &str) -> Option<T> {
        let value = self.0.get(key).copied()?;
        serde_json::from_str(value.get()).ok()
    }
}

/// Every object of a list, as JSON.
pub(crate) fn list(json: &str) -> Option<Vec<Fields<'_>>> {
    let values: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    Some(
        values
            .into_iter()
            .filter_map(|value| Fields::read(value.get()))
            .collect(),
    )
}

fn id(value: &RawValue) -> Option<Snowflake> {
    value.get().trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_fields_lose_nothing_else() {
        let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
        let json = format!(
            r#"{{"deep":{deep},"text":"hi","size":"7","big":1e99,"odd":7,"id":"12","bare":13,"no":null,
            "list":["1",{deep},2,{{"y":1}},"x"]}}"#
        );
        let fields = Fields::read(&json).unwrap();
        assert_eq!((fields.text("text").as_str(), fields.text("odd").as_str()), ("hi", ""));
        assert_eq!(
            (fields.number("size"), fields.number("big"), fields.number("odd")),
            (None, None, Some(7))
        );
        assert_eq!(fields.id("id").map(Snowflake::get), Some(12));
        assert_eq!(fields.id("bare").map(Snowflake::get), Some(13));
        assert_eq!(fields.ids("list").len(), 2);
        assert_eq!(fields.objects("list").len(), 1);
        assert!(fields.object("deep").is_empty() && fields.object("nothing").is_empty());
        assert!(fields.has("deep") && !fields.has("no") && !fields.flag("deep"));
    }

    #[test]
    fn what_is_no_object_has_no_fields() {
        for odd in ["", "[]", "7", "null", "\"x\"", "{", "{\"a\":}"] {
            assert!(Fields::read(odd).is_none(), "{odd}");
        }
        assert!(list("{}").is_none());
        assert_eq!(list(r#"[{},7,{"a":1}]"#).unwrap().len(), 2);
    }
}
