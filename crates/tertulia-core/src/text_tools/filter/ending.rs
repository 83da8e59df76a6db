//! Where an element ends that is held back.

/// What ends an element, once that is known, and how far it was looked for: each letter is looked at once, however small the
/// pieces are in which they come.
#[derive(Debug, Default)]
pub(super) struct Ending {
    tag: Option<&'static str>,
    /// So many bytes of the element were looked at, less what may be the beginning of the tag.
    seen: usize,
}

impl Ending {
    /// Of an element that only the closing tag of this name can end.
    pub(super) fn of(tag: &'static str) -> Self {
        Self {
            tag: Some(tag),
            seen: 0,
        }
    }

    /// What was not looked at yet of the element's text so far.
    pub(super) fn unseen<'a>(&self, text: &'a str) -> &'a str {
        text.get(text.floor_char_boundary(self.seen)..).unwrap_or_default()
    }

    /// Looks at what is new of the element's text; true if the element may be read now.
    pub(super) fn is_reached(&mut self, text: &str) -> bool {
        let Some(tag) = self.tag else { return true };
        let close = format!("</{tag}>");
        let found = self.unseen(text).contains(&close);
        self.seen = (text.len() + 1).saturating_sub(close.len());
        found
    }
}
