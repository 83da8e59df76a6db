//! Places in a text, counted in UTF-16 units, as Telegram counts them.

use std::ops::Range;

use crate::wire::Entity;

/// The length of a text.
pub(super) fn count(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The bytes of an entity; `None` if it does not lie within the text, on borders of characters.
pub(super) fn range(text: &str, entity: &Entity) -> Option<Range<usize>> {
    let end = entity.offset.checked_add(entity.length)?;
    Some(byte(text, entity.offset)?..byte(text, end)?)
}

fn byte(text: &str, units: usize) -> Option<usize> {
    let mut passed = 0;
    for (at, c) in text.char_indices() {
        if passed >= units {
            return (passed == units).then_some(at);
        }
        passed += c.len_utf16();
    }
    (passed == units).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_not_bytes() {
        let text = "aä😀b";
        let places = [Some(0), Some(1), Some(3), None, Some(7), Some(8), None];
        for (units, at) in places.into_iter().enumerate() {
            assert_eq!(byte(text, units), at, "{units}");
        }
        assert_eq!(count(text), 5);
        let entity = Entity {
            offset: usize::MAX,
            length: 1,
            ..Entity::default()
        };
        assert_eq!(range(text, &entity), None);
    }
}
