//! Merges one message into another: what is replaced, what is changed, what is refused.

use super::delta_path::DeltaPath;
use super::{DeltaAction, Message, Props, apply};

/// Why a delta cannot be merged. The message is as it was before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// The delta is of another type than the message and does not say that the type changes.
    #[error("a delta of type {delta:?} for a message of type {message:?}")]
    OtherType {
        /// The type of the message.
        message: String,
        /// The type of the delta.
        delta: String,
    },
    /// There is no such action.
    #[error("unknown delta action {0:?}")]
    UnknownAction(String),
    /// The path has empty names, brackets that do not match, or too many levels.
    #[error("malformed delta path {0:?}")]
    MalformedPath(String),
    /// The delta's props have no value at its path.
    #[error("no value at delta path {0:?}")]
    NoValue(String),
    /// An array is reached by something else than an index within it, or its length.
    #[error("no place {segment:?} in an array of {len}")]
    Index {
        /// The part of the path.
        segment: String,
        /// How long the array is.
        len: usize,
    },
    /// The value at the path, or on the way to it, is not of the kind that the action needs.
    #[error("cannot {action} at delta path {path:?}: the value there is of another kind")]
    WrongKind {
        /// The name of the action.
        action: String,
        /// The whole path.
        path: String,
    },
}

/// What became of a message that was merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merged {
    /// It took effect.
    Applied,
    /// It is a delta for a message that was done already.
    Ignored,
}

/// Merges `message` into `target`, which has the same id.
///
/// A message without `delta`, or with `type_change`, replaces type and props; any other delta
/// changes the props at its path. A delta without a type is taken to be of the target's. `done`
/// and the group markers stay once they are set, group id and metadata are those that came last.
///
/// # Errors
/// See [`MergeError`]; `target` is then unchanged in every respect.
pub fn merge_into(target: &mut Message, message: &Message) -> Result<Merged, MergeError> {
    if message.delta && target.done {
        return Ok(Merged::Ignored);
    }
    if message.delta && !message.type_change {
        change(target, message)?;
    } else {
        target.kind.clone_from(&message.kind);
        target.props.clone_from(&message.props);
    }
    carry_over(target, message);
    Ok(Merged::Applied)
}

fn change(target: &mut Message, delta: &Message) -> Result<(), MergeError> {
    if !delta.kind.is_empty() && delta.kind != target.kind {
        return Err(MergeError::OtherType {
            message: target.kind.clone(),
            delta: delta.kind.clone(),
        });
    }
    let action = delta.delta_action.as_ref().unwrap_or(&DeltaAction::Append);
    let path = relative(&delta.delta_path, &target.props, &delta.props);
    if path.is_empty() {
        return apply::to_props(action, &mut target.props, &delta.props);
    }
    let place = DeltaPath::parse(path)?;
    let value = place
        .value_in(&delta.props)
        .ok_or_else(|| MergeError::NoValue(path.to_owned()))?;
    apply::at_path(action, &mut target.props, &place, value)
}

/// Drops one leading `props.`, unless that is the name of a property.
fn relative<'a>(path: &'a str, target: &Props, delta: &Props) -> &'a str {
    let is_a_property = target.contains_key("props") || delta.contains_key("props");
    path.strip_prefix("props.").filter(|_| !is_a_property).unwrap_or(path)
}

fn carry_over(target: &mut Message, message: &Message) {
    target.done |= message.done;
    target.group_start |= message.group_start;
    target.group_end |= message.group_end;
    if !message.group_id.is_empty() {
        target.group_id.clone_from(&message.group_id);
    }
    if message.metadata.is_some() {
        target.metadata.clone_from(&message.metadata);
    }
}
