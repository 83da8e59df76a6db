//! A memory of bounded size: what was put in first is forgotten first.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// At most so many things by their keys.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    most: usize,
    things: HashMap<K, V>,
    order: VecDeque<K>,
}

impl<K: Hash + Eq + Clone, V> Recent<K, V> {
    /// An empty one for at most `most` things.
    pub(super) fn of(most: usize) -> Self {
        Self {
            most,
            things: HashMap::new(),
            order: VecDeque::new(),
        }
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.things.get(key)
    }

    pub(super) fn put(&mut self, key: K, value: V) {
        if self.things.insert(key.clone(), value).is_some() {
            return;
        }
        self.order.push_back(key);
        while self.order.len() > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.things.remove(&oldest);
        }
    }

    /// Forgets what is not to be kept.
    pub(super) fn keep(&mut self, is_kept: impl Fn(&K) -> bool) {
        self.order.retain(&is_kept);
        self.things.retain(|key, _| is_kept(key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_holds_more_than_it_may() {
        let mut recent = Recent::of(3);
        for number in 0..10 {
            recent.put(number, number);
            recent.put(number, number + 1);
        }
        assert_eq!(
            (recent.get(&6), recent.get(&7), recent.get(&9)),
            (None, Some(&8), Some(&10))
        );
        recent.keep(|number| *number != 8);
        recent.put(10, 0);
        assert_eq!(
            (recent.get(&8), recent.get(&7), recent.get(&10)),
            (None, Some(&8), Some(&0))
        );
        assert_eq!((recent.things.len(), recent.order.len()), (3, 3));
    }
}
