//! How fast Discord lets us ask, learnt from the headers of its answers; nothing is assumed beforehand but the global bound.

mod headers;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

pub use headers::Headers;

/// The most requests within a second, to all places together.
const MOST_IN_A_SECOND: usize = 50;
const SECOND: Duration = Duration::from_secs(1);
/// The most routes and buckets that are remembered; the oldest are forgotten.
const MOST: usize = 5000;
/// A bucket whose window is over for so long is forgotten.
const FORGET: Duration = Duration::from_mins(10);

/// Where a request goes, as far as rates depend on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Route {
    /// The method and the path with names for the ids in it, e.g. `POST channels/{}/messages`.
    pub kind: &'static str,
    /// The channel, the server or the webhook that it goes to: each has a bucket of its own.
    pub top: String,
    /// True for what the global bound does not count: answers to interactions.
    pub is_free: bool,
}

/// What is known of all buckets. Times are since any fixed moment, such as the start of the process.
#[derive(Debug, Clone, Default)]
pub struct Buckets {
    /// Which bucket a kind of route has.
    names: HashMap<&'static str, String>,
    kept: HashMap<(String, String), Bucket>,
    /// Until when nothing may be asked at all.
    closed_until: Duration,
    /// When the requests of the last second were made.
    lately: VecDeque<Duration>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    limit: u32,
    remaining: u32,
    reset_at: Duration,
    /// The longest window that was seen.
    window: Duration,
}

impl Buckets {
    /// How long a request has to wait; none if it may go now.
    #[must_use]
    pub fn wait(&self, route: &Route, now: Duration) -> Option<Duration> {
        let bucket = self.bucket(route).filter(|bucket| bucket.remaining == 0);
        let own = bucket.map_or(Duration::ZERO, |bucket| bucket.reset_at.saturating_sub(now));
        let global = if route.is_free {
            Duration::ZERO
        } else {
            self.global(now)
        };
        Some(own.max(global)).filter(|wait| !wait.is_zero())
    }

    /// A request goes out.
    pub fn sent(&mut self, route: &Route, now: Duration) {
        if !route.is_free {
            self.lately.push_back(now);
            while self.lately.len() > MOST_IN_A_SECOND {
                self.lately.pop_front();
            }
        }
        if let Some(bucket) = self.bucket_mut(route) {
            if bucket.reset_at <= now {
                bucket.remaining = bucket.limit;
                bucket.reset_at = now.saturating_add(bucket.window);
            }
            bucket.remaining = bucket.remaining.saturating_sub(1);
        }
    }

    /// An answer came, with these headers.
    pub fn answered(&mut self, route: &Route, headers: &Headers, now: Duration) {
        if headers.is_global {
            self.closed_until = self.closed_until.max(now.saturating_add(headers.wait()));
            return;
        }
        let name = headers.bucket.clone().or_else(|| self.names.get(route.kind).cloned());
        let Some(name) = name.or_else(|| headers.is_refusal.then(|| route.kind.to_owned())) else {
            return;
        };
        self.forget(now);
        self.names.insert(route.kind, name.clone());
        let before = self.kept.get(&(name.clone(), route.top.clone())).copied();
        let bucket = Self::learnt(before, headers, now);
        self.kept.insert((name, route.top.clone()), bucket);
    }

    /// The shortest time between two requests that uses a bucket evenly; none if nothing is known.
    #[must_use]
    pub fn pace(&self, route: &Route) -> Option<Duration> {
        let bucket = self.bucket(route).filter(|bucket| bucket.limit > 0)?;
        // a fifth is left for others: the last edit of an answer must not wait
        Some(bucket.window.saturating_mul(6) / 5 / bucket.limit)
    }

    fn learnt(before: Option<Bucket>, headers: &Headers, now: Duration) -> Bucket {
        let reset_at = now.saturating_add(headers.wait());
        let limit = headers.limit.or(before.map(|bucket| bucket.limit)).unwrap_or(1);
        let told = if headers.is_refusal {
            0
        } else {
            headers.remaining.unwrap_or(limit)
        };
        let window = before.map_or(headers.wait(), |bucket| bucket.window.max(headers.wait()));
        // answers overtake each other: within one window the lower number is the later one
        let is_same_window = before.is_some_and(|bucket| bucket.reset_at > now);
        let remaining = match before {
            Some(bucket) if is_same_window => told.min(bucket.remaining),
            _ => told,
        };
        Bucket {
            limit,
            remaining,
            reset_at,
            window: window.min(FORGET),
        }
    }

    fn global(&self, now: Duration) -> Duration {
        let closed = self.closed_until.saturating_sub(now);
        let oldest = self.lately.front().filter(|_| self.lately.len() >= MOST_IN_A_SECOND);
        let crowded = oldest.map_or(Duration::ZERO, |oldest| {
            oldest.saturating_add(SECOND).saturating_sub(now)
        });
        closed.max(crowded)
    }

    fn key(&self, route: &Route) -> Option<(String, String)> {
        Some((self.names.get(route.kind)?.clone(), route.top.clone()))
    }

    fn bucket(&self, route: &Route) -> Option<&Bucket> {
        self.kept.get(&self.key(route)?)
    }

    fn bucket_mut(&mut self, route: &Route) -> Option<&mut Bucket> {
        let key = self.key(route)?;
        self.kept.get_mut(&key)
    }

    fn forget(&mut self, now: Duration) {
        if self.kept.len() < MOST {
            return;
        }
        self.kept
            .retain(|_, bucket| bucket.reset_at.saturating_add(FORGET) > now);
        if self.kept.len() >= MOST {
            self.kept
                .retain(|_, bucket| bucket.reset_at > now && bucket.remaining == 0);
        }
        if self.kept.len() >= MOST {
            self.kept.clear();
        }
    }
}

#[cfg(test)]
mod tests;
