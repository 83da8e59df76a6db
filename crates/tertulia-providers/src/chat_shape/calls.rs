//! Which call a fragment belongs to: by its index, where servers count right.

use std::collections::BTreeMap;

/// The calls of an answer so far.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// The ids by the places that the calls have here; empty where none was told.
    ids: BTreeMap<u32, String>,
    /// Where a call is whose index another one has already.
    moved: BTreeMap<u32, u32>,
    last: Option<u32>,
}

impl Calls {
    /// No call came yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// The place of a fragment's call. Some servers give every call the same index, and others none: a new id then begins a
    /// new call, and anything else goes on with the one before.
    pub(crate) fn place(&mut self, index: Option<u32>, id: Option<&str>, is_named: bool) -> u32 {
        let place = match index {
            Some(index) => {
                let place = self.moved.get(&index).copied().unwrap_or(index);
                let is_another = is_named
                    && self
                        .known(place)
                        .is_some_and(|known| !known.is_empty() && differs(known, id));
                if is_another { self.next() } else { place }
            }
            None => match self.last {
                None => 0,
                Some(last) if differs(self.known(last).unwrap_or_default(), id) => self.next(),
                Some(last) => last,
            },
        };
        if let Some(index) = index.filter(|index| *index != place) {
            self.moved.insert(index, place);
        }
        let known = self.ids.entry(place).or_default();
        if let Some(id) = id {
            id.clone_into(known);
        }
        self.last = Some(place);
        place
    }

    fn known(&self, place: u32) -> Option<&str> {
        self.ids.get(&place).map(String::as_str)
    }

    fn next(&self) -> u32 {
        self.ids.last_key_value().map_or(0, |(last, _)| last.saturating_add(1))
    }
}

fn differs(known: &str, id: Option<&str>) -> bool {
    id.is_some_and(|id| id != known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fragments: &[(Option<u32>, Option<&str>, bool)], expected: &[u32]) {
        let mut calls = Calls::default();
        let places: Vec<u32> = fragments
            .iter()
            .map(|(index, id, is_named)| calls.place(*index, *id, *is_named))
            .collect();
        assert_eq!(places, expected);
    }

    #[test]
    fn an_index_is_kept_where_it_names_one_call() {
        check(
            &[
                (Some(1), Some("a"), true),
                (Some(1), None, false),
                (Some(2), Some("b"), true),
            ],
            &[1, 1, 2],
        );
        // an id that comes again, or late
        check(&[(Some(0), Some("a"), true), (Some(0), Some("a"), true)], &[0, 0]);
        check(&[(Some(0), None, true), (Some(0), Some("a"), false)], &[0, 0]);
    }

    #[test]
    fn calls_that_share_an_index_are_told_apart() {
        let shared = [
            (Some(0), Some("a"), true),
            (Some(0), None, false),
            (Some(0), Some("b"), true),
            (Some(0), None, false),
            (Some(1), Some("c"), true),
            (Some(1), None, false),
        ];
        check(&shared, &[0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn without_an_index_a_new_id_begins_a_call() {
        check(
            &[
                (None, Some("a"), true),
                (None, None, false),
                (None, Some("b"), true),
                (None, Some("b"), false),
            ],
            &[0, 0, 1, 1],
        );
    }
}
