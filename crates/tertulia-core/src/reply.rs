//! Slots for what a row causes: parts of a turn's answer, replies to commands, with files or without, notices, and what is said
//! elsewhere.

use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, FileRef, Limits, Markup, Post, SlotId, SlotKind};

use crate::courier::with_room_for_mark;
use crate::record::{ConversationId, InboxRow, Slot, SlotProgress, Wish};
use crate::{markdown, split};

/// How long a slot is tried before it becomes a dead letter, in milliseconds.
pub const SLOT_LIFE: i64 = 24 * 3600 * 1000;

/// A new slot that answers a row: idle, with its first wish. `wall` is the wall clock, in milliseconds since 1970.
#[must_use]
pub fn slot(row: &InboxRow, kind: SlotKind, part: u32, markup: Markup, wall: i64) -> Slot {
    Slot {
        id: SlotId {
            trigger: row.id.0,
            kind,
            part,
        },
        account: row.account.clone(),
        conversation: row.conversation,
        path: row.path.clone(),
        re: row.ext_id.clone(),
        token: row.token.clone(),
        wish: Wish {
            shown: true,
            rev: 1,
            post: Post {
                markup,
                quote: true,
                ..Post::default()
            },
            source: None,
        },
        progress: SlotProgress::default(),
        expires_at: wall.saturating_add(SLOT_LIFE),
        open: false,
    }
}

/// The slots of a whole text that answers a row: as many parts as the platform's limit makes of it.
#[must_use]
pub fn slots(row: &InboxRow, kind: SlotKind, text: &str, limits: Limits, wall: i64) -> Vec<Slot> {
    parts(text, limits)
        .map(|(part, markup)| slot(row, kind, part, markup, wall))
        .collect()
}

/// The slots of a text with files: the text as the caption of the first ones if it can be that, else in parts before them;
/// then the files, as many in one message as the platform takes. Where it takes none there is the text alone.
#[must_use]
pub fn with_files(
    row: &InboxRow,
    kind: SlotKind,
    text: &str,
    files: &[FileRef],
    limits: Limits,
    wall: i64,
) -> Vec<Slot> {
    let files = if limits.files == 0 { &[] } else { files };
    let caption = with_room_for_mark(limits).caption;
    let mut texts: Vec<Markup> = parts(text, limits).map(|(_, markup)| markup).collect();
    texts.retain(|markup| !markup.is_blank());
    let is_caption = matches!(texts.as_slice(), [only] if (limits.weigh)(only) <= caption) && !files.is_empty();
    let mut captions = if is_caption {
        std::mem::take(&mut texts)
    } else {
        Vec::new()
    }
    .into_iter();
    let texts = texts.into_iter().map(|markup| (markup, [].as_slice()));
    let with_caption = |files| (captions.next().unwrap_or_default(), files);
    let chunks = files.chunks(limits.files.max(1)).map(with_caption);
    numbers()
        .zip(texts.chain(chunks))
        .map(|(part, (markup, files))| {
            let mut slot = slot(row, kind, part, markup, wall);
            slot.wish.post.files = files.to_vec();
            slot
        })
        .collect()
}

/// A place where something is said, and the account that says it.
#[derive(Debug, Clone)]
pub struct Place {
    /// The account.
    pub account: Account,
    /// The conversation's number.
    pub conversation: ConversationId,
    /// The conversation's address.
    pub path: InterfacePath,
    /// The limits of its platform.
    pub limits: Limits,
}

/// A text that is to be said somewhere.
#[derive(Debug, Clone)]
pub struct Saying {
    /// Where.
    pub place: Place,
    /// What, in Markdown.
    pub text: String,
}

/// The slots of a text that a command, or a tool, has said in any conversation, numbered from `first` on. They answer nothing
/// there: what caused it may stand somewhere else, and its token is good where it stands.
#[must_use]
pub fn say(row: &InboxRow, place: &Place, text: &str, first: u32, wall: i64) -> Vec<Slot> {
    let said = |(part, markup): (u32, Markup)| {
        let mut slot = slot(row, SlotKind::Say, first.saturating_add(part), markup, wall);
        slot.wish.post.quote = false;
        Slot {
            account: place.account.clone(),
            conversation: place.conversation,
            path: place.path.clone(),
            token: None,
            ..slot
        }
    };
    parts(text, place.limits).map(said).collect()
}

fn parts(text: &str, limits: Limits) -> impl Iterator<Item = (u32, Markup)> {
    let limit = with_room_for_mark(limits).text.amount();
    let parts = split::tree(markdown::parse(text), limit, &limits.weigh);
    numbers().zip(parts)
}

/// The numbers of parts.
fn numbers() -> impl Iterator<Item = u32> {
    (0u32..).map(|nth| nth.saturating_mul(1000))
}

#[cfg(test)]
mod tests;
