//! Pictures of the history: those that the model gets once more.

use crate::chat::{ChatMessage, Part};

/// How large the pictures of a question may be, all together, in bytes: every provider has a largest request.
const ROOM: usize = 20_000_000;
/// Stands where a picture was.
const LEFT_OUT: &str = "[A picture that was sent, which you do not see now.]";

/// Takes the pictures out of a history that the model cannot see, and of those that it can the older ones, so far as there is no
/// room for them beside what is said now.
pub(crate) fn thin_out(history: &mut [ChatMessage], current: &[ChatMessage], vision: bool) {
    let taken: usize = current.iter().flat_map(parts).filter_map(size).sum();
    let mut room = if vision { ROOM.saturating_sub(taken) } else { 0 };
    let past = history.iter_mut().rev().flat_map(|message| match message {
        ChatMessage::User { parts } => parts.iter_mut().rev(),
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => [].iter_mut().rev(),
    });
    for part in past {
        let Some(size) = size(part) else { continue };
        // what is older than the first that does not fit is left out as well
        room = room.saturating_sub(size);
        if room == 0 {
            *part = Part::Text(LEFT_OUT.to_owned());
        }
    }
}

fn parts(message: &ChatMessage) -> &[Part] {
    match message {
        ChatMessage::User { parts } => parts,
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => &[],
    }
}

fn size(part: &Part) -> Option<usize> {
    match part {
        Part::Picture(picture) => Some(picture.bytes.len()),
        Part::Text(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use tertulia_message::Picture;

    use super::*;

    fn picture(size: usize) -> Part {
        Part::Picture(Picture {
            mime: "image/png".into(),
            bytes: vec![0; size].into(),
        })
    }

    fn said(pictures: &[usize]) -> ChatMessage {
        let text = Part::Text("look".into());
        let parts = std::iter::once(text)
            .chain(pictures.iter().copied().map(picture))
            .collect();
        ChatMessage::User { parts }
    }

    /// The pictures that are left of a history, by message.
    fn left(history: &[&[usize]], current: &[usize], vision: bool) -> Vec<Vec<usize>> {
        let mut history: Vec<ChatMessage> = history.iter().map(|pictures| said(pictures)).collect();
        history.push(ChatMessage::assistant("nice"));
        let before: Vec<usize> = history.iter().map(|message| parts(message).len()).collect();
        thin_out(&mut history, &[said(current)], vision);
        let after: Vec<usize> = history.iter().map(|message| parts(message).len()).collect();
        assert_eq!(before, after, "a note stands where a picture was");
        history.pop();
        let pictures = |message: &ChatMessage| parts(message).iter().filter_map(size).collect();
        history.iter().map(pictures).collect()
    }

    #[test]
    fn a_model_that_does_not_see_gets_none() {
        assert_eq!(left(&[&[1, 2], &[3]], &[4], false), [[0; 0], [0; 0]]);
        assert_eq!(left(&[&[0]], &[], false), [[0; 0]]);
    }

    #[test]
    fn the_newest_are_kept_as_far_as_there_is_room() {
        assert_eq!(left(&[&[1, 2], &[3]], &[4], true), [vec![1, 2], vec![3]]);
        let half = ROOM / 2;
        assert_eq!(
            left(&[&[1], &[half, 5], &[3]], &[half], true),
            [vec![], vec![5], vec![3]]
        );
        assert_eq!(left(&[&[1], &[2]], &[ROOM], true), [[0; 0], [0; 0]]);
    }
}
