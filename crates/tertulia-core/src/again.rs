//! What `/retry` asks again: the words of the last turn's rows as one.

use tertulia_message::{Request, RequestHistory};

use crate::record::{InboxRow, MessageBody, RowBody};

/// What the rows of a turn said, as one body; `None` if they said nothing that a turn could answer.
///
/// Messages are joined by blank lines, pieces of a text that was split without a break, with all their files, in the order of
/// the rows; speaker, place and what is replied to are those of the first. A request stays a request; rows that were joined to
/// it add their messages.
#[must_use]
pub fn merged(rows: &[InboxRow]) -> Option<RowBody> {
    let mut rows = rows.iter().filter(|row| !matches!(row.body, RowBody::Command { .. }));
    let mut before = rows.next()?;
    let mut merged = before.body.clone();
    for row in rows {
        let is_continued = row.is_piece() && row.belongs_to(before);
        join(&mut merged, &row.body, if is_continued { "" } else { "\n\n" });
        before = row;
    }
    Some(merged)
}

fn join(before: &mut RowBody, next: &RowBody, between: &str) {
    match (before, next) {
        (RowBody::Message(message), RowBody::Message(next)) => join_message(message, next, between),
        (RowBody::Request(request), RowBody::Request(next)) => join_request(request, next),
        _ => {}
    }
}

fn join_message(message: &mut MessageBody, next: &MessageBody, between: &str) {
    if !message.text.is_empty() && !next.text.is_empty() {
        message.text.push_str(between);
    }
    message.text.push_str(&next.text);
    message.files.extend(next.files.iter().cloned());
}

fn join_request(request: &mut Request, next: &Request) {
    if let (RequestHistory::Stored(messages), RequestHistory::Stored(more)) = (&mut request.history, &next.history) {
        messages.extend(more.iter().cloned());
    }
}

#[cfg(test)]
mod tests;
