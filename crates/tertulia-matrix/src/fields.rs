//! JSON as it comes, field by field: what is not looked at does no harm, and what has another type than expected is not there.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

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

    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// A text.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.get(key)
    }

    /// A whole number.
    pub(crate) fn number(&self, key: &str) -> Option<i64> {
        self.get(key)
    }

    /// True if it is `true`.
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.get(key).unwrap_or(false)
    }

    /// An object's fields; none if it is missing or something else.
    pub(crate) fn object(&self, key: &str) -> Self {
        let value = self.0.get(key).copied();
        value.and_then(|value| Self::read(value.get())).unwrap_or_default()
    }

    /// The objects of a list.
    pub(crate) fn objects(&self, key: &str) -> Vec<Self> {
        let values = self.0.get(key).copied();
        let values: Option<Vec<&'a RawValue>> = values.and_then(|list| serde_json::from_str(list.get()).ok());
        let values = values.unwrap_or_default().into_iter();
        values.filter_map(|value| Self::read(value.get())).collect()
    }

    /// The texts of a list.
    pub(crate) fn texts(&self, key: &str) -> Vec<String> {
        let values = self.0.get(key).copied();
        let values: Option<Vec<&'a RawValue>> = values.and_then(|list| serde_json::from_str(list.get()).ok());
        let values = values.unwrap_or_default().into_iter();
        values
            .filter_map(|value| serde_json::from_str(value.get()).ok())
            .collect()
    }

    fn get<T: Deserialize<'a>>(&self, key: &str) -> Option<T> {
        let value = self.0.get(key).copied()?;
        serde_json::from_str(value.get()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_fields_lose_nothing_else() {
        let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
        let json = format!(
            r#"{{"deep":{deep},"body":"hi","size":"7","big":1e99,"body2":7,"a":1,"a":2,"list":["x",{deep},3,{{"y":1}}]}}"#
        );
        let fields = Fields::read(&json).unwrap();
        assert_eq!(fields.text("body").as_deref(), Some("hi"));
        assert_eq!((fields.text("body2"), fields.text("deep")), (None, None));
        assert_eq!(
            (fields.number("size"), fields.number("big"), fields.number("a")),
            (None, None, Some(2))
        );
        assert!(fields.object("deep").is_empty() && fields.object("nothing").is_empty());
        assert_eq!(fields.texts("list"), ["x"]);
        assert_eq!(fields.objects("list").len(), 1);
        assert!(fields.has("deep") && !fields.flag("deep") && !fields.has("nothing"));
    }

    #[test]
    fn what_is_no_object_has_no_fields() {
        for odd in ["", "[]", "7", "null", "\"x\"", "{", "{\"a\":}"] {
            assert!(Fields::read(odd).is_none(), "{odd}");
        }
    }
}
