//! What the four actions do to props. Whatever can fail is checked before anything is changed.

use serde_json::Value;
use serde_json::map::{Entry, VacantEntry};

use super::delta_path::{DeltaPath, index};
use super::{DeltaAction, MergeError, Props};

/// Applies an action to all props.
pub(super) fn to_props(action: &DeltaAction, target: &mut Props, delta: &Props) -> Result<(), MergeError> {
    match action {
        DeltaAction::Append => {
            for (key, value) in delta {
                append_or_set(target, key, value);
            }
        }
        DeltaAction::Replace => target.clone_from(delta),
        DeltaAction::Merge => extend(target, delta),
        DeltaAction::Set => {
            for (key, value) in delta {
                target.entry(key.as_str()).or_insert_with(|| value.clone());
            }
        }
        DeltaAction::Unknown(name) => return Err(MergeError::UnknownAction(name.clone())),
    }
    Ok(())
}

/// Applies an action with a value at a path.
pub(super) fn at_path(
    action: &DeltaAction,
    target: &mut Props,
    path: &DeltaPath,
    value: &Value,
) -> Result<(), MergeError> {
    if let DeltaAction::Unknown(name) = action {
        return Err(MergeError::UnknownAction(name.clone()));
    }
    let wrong_kind = || MergeError::WrongKind {
        action: action.as_str().to_owned(),
        path: path.segments().join("."),
    };
    match Place::find(target, path.segments(), wrong_kind)? {
        Place::Missing(_) if *action == DeltaAction::Merge && !value.is_object() => Err(wrong_kind()),
        Place::Missing(slot) => {
            slot.fill(value);
            Ok(())
        }
        Place::Present(old) => act(action, old, value).then_some(()).ok_or_else(wrong_kind),
    }
}

/// Where a path leads.
enum Place<'a> {
    Present(&'a mut Value),
    Missing(Slot<'a>),
}

/// The first part of a path that is not there yet, and the parts after it.
enum Slot<'a> {
    Key(VacantEntry<'a>, &'a [String]),
    End(&'a mut Vec<Value>, &'a [String]),
}

impl<'a> Place<'a> {
    fn find(props: &'a mut Props, path: &'a [String], wrong_kind: impl Fn() -> MergeError) -> Result<Self, MergeError> {
        let (first, mut rest) = path.split_first().ok_or_else(&wrong_kind)?;
        let mut place = Self::in_object(props, first, rest);
        loop {
            let (here, segment) = match (place, rest.split_first()) {
                (Self::Present(here), Some((segment, after))) => {
                    rest = after;
                    (here, segment)
                }
                (place, _) => return Ok(place),
            };
            place = match here {
                Value::Object(object) => Self::in_object(object, segment, rest),
                Value::Array(array) => Self::in_array(array, segment, rest)?,
                _ => return Err(wrong_kind()),
            };
        }
    }

    fn in_object(object: &'a mut Props, key: &str, rest: &'a [String]) -> Self {
        match object.entry(key) {
            Entry::Occupied(entry) => Self::Present(entry.into_mut()),
            Entry::Vacant(entry) => Self::Missing(Slot::Key(entry, rest)),
        }
    }

    fn in_array(array: &'a mut Vec<Value>, segment: &str, rest: &'a [String]) -> Result<Self, MergeError> {
        let len = array.len();
        if index(segment) == Some(len) {
            return Ok(Self::Missing(Slot::End(array, rest)));
        }
        let value = index(segment).and_then(|place| array.get_mut(place));
        value.map(Self::Present).ok_or_else(|| MergeError::Index {
            segment: segment.to_owned(),
            len,
        })
    }
}

impl Slot<'_> {
    /// Puts the value at the end of the path; objects on the way are made.
    fn fill(self, value: &Value) {
        match self {
            Self::Key(entry, rest) => drop(entry.insert(nested(rest, value))),
            Self::End(array, rest) => array.push(nested(rest, value)),
        }
    }
}

fn nested(path: &[String], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, key| {
        Value::Object(Props::from_iter([(key.clone(), inner)]))
    })
}

/// Changes a value that is there; false, and nothing changed, if it is of the wrong kind.
fn act(action: &DeltaAction, old: &mut Value, value: &Value) -> bool {
    match action {
        DeltaAction::Append => return append(old, value),
        DeltaAction::Replace => old.clone_from(value),
        DeltaAction::Merge => match (old, value) {
            (Value::Object(old), Value::Object(value)) => extend(old, value),
            _ => return false,
        },
        DeltaAction::Set => {}
        DeltaAction::Unknown(_) => return false,
    }
    true
}

fn append(old: &mut Value, value: &Value) -> bool {
    match (old, value) {
        (Value::String(old), Value::String(value)) => old.push_str(value),
        (Value::Array(old), Value::Array(values)) => old.extend_from_slice(values),
        (Value::Array(old), value) => old.push(value.clone()),
        _ => return false,
    }
    true
}

fn append_or_set(target: &mut Props, key: &str, value: &Value) {
    match target.get_mut(key) {
        Some(old) => {
            if !append(old, value) {
                old.clone_from(value);
            }
        }
        None => drop(target.insert(key.to_owned(), value.clone())),
    }
}

fn extend(target: &mut Props, delta: &Props) {
    target.extend(delta.iter().map(|(key, value)| (key.clone(), value.clone())));
}
