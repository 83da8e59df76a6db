//! Delta paths: `content`, `user.name`, `items.0.title`, also `items[0].title`.

use serde_json::Value;

use super::{MergeError, Props};

/// Deeper paths are refused, so that no stream can build values too deep to be written or dropped.
const MAX_DEPTH: usize = 32;

/// The names and indexes of a path, at least one, none of them empty.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DeltaPath(Vec<String>);

impl DeltaPath {
    /// Reads a path that is not empty.
    pub(super) fn parse(text: &str) -> Result<Self, MergeError> {
        let malformed = || MergeError::MalformedPath(text.to_owned());
        let mut segments = Vec::new();
        for part in text.split('.') {
            let mut pieces = part.split('[');
            let name = pieces.next().unwrap_or_default();
            let before = segments.len();
            if !name.is_empty() {
                segments.push(name);
            }
            for piece in pieces {
                segments.push(piece.strip_suffix(']').ok_or_else(malformed)?);
            }
            if segments.len() == before
                || segments
                    .iter()
                    .any(|segment| segment.is_empty() || segment.contains(']'))
            {
                return Err(malformed());
            }
        }
        if segments.len() > MAX_DEPTH {
            return Err(malformed());
        }
        Ok(Self(segments.into_iter().map(str::to_owned).collect()))
    }

    pub(super) fn segments(&self) -> &[String] {
        &self.0
    }

    /// The value that a delta's props hold for this path: at the same path, else at its last name.
    pub(super) fn value_in<'a>(&self, props: &'a Props) -> Option<&'a Value> {
        self.same_place(props).or_else(|| props.get(self.0.last()?))
    }

    fn same_place<'a>(&self, props: &'a Props) -> Option<&'a Value> {
        let (first, rest) = self.0.split_first()?;
        rest.iter().try_fold(props.get(first)?, |value, segment| match value {
            Value::Object(object) => object.get(segment),
            Value::Array(array) => array.get(index(segment)?),
            _ => None,
        })
    }
}

/// A segment as an index: digits only.
pub(super) fn index(segment: &str) -> Option<usize> {
    let is_number = segment.bytes().all(|byte| byte.is_ascii_digit());
    segment.parse().ok().filter(|_| is_number)
}
