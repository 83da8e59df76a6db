//! What came of the files of a turn: what the model gets instead of each.

use std::collections::BTreeMap;

use tertulia_message::Picture;

/// The files of a turn's rows that were fetched, by their handles.
pub type Attachments = BTreeMap<String, Attachment>;

/// What the model gets of one file.
#[derive(Debug, Clone, PartialEq)]
pub enum Attachment {
    /// A picture that it can see.
    Picture(Picture),
    /// The text of the file.
    Text(String),
    /// Nothing but a note: why.
    Note(&'static str),
}
