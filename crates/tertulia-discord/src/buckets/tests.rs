//! What is learnt from headers, and that a server which counts as Discord does never has to refuse.

use proptest::prelude::*;

use super::*;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn route(top: &str) -> Route {
    Route {
        kind: "POST channels/{}/messages",
        top: top.to_owned(),
        is_free: false,
    }
}

fn headers(status: u16, pairs: &[(&str, &str)]) -> Headers {
    Headers::read(status, |name| {
        pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    })
}

fn taken(remaining: &str, reset_after: &str) -> Headers {
    headers(
        200,
        &[
            ("X-RateLimit-Bucket", "b"),
            ("X-RateLimit-Limit", "5"),
            ("X-RateLimit-Remaining", remaining),
            ("X-RateLimit-Reset-After", reset_after),
        ],
    )
}

#[test]
fn an_empty_bucket_is_waited_for() {
    let mut buckets = Buckets::default();
    assert_eq!(buckets.wait(&route("1"), millis(0)), None);
    buckets.answered(&route("1"), &taken("1", "2.5"), millis(1000));
    assert_eq!(buckets.wait(&route("1"), millis(1000)), None);
    buckets.sent(&route("1"), millis(1000));
    assert_eq!(buckets.wait(&route("1"), millis(1100)), Some(millis(2400)));
    assert_eq!(buckets.wait(&route("2"), millis(1100)), None);
    assert_eq!(buckets.wait(&route("1"), millis(3500)), None);
    assert_eq!(buckets.pace(&route("1")), Some(millis(600)));
    assert_eq!(buckets.pace(&route("2")), None);
}

#[test]
fn refusals_close_what_they_are_about() {
    let mut buckets = Buckets::default();
    buckets.answered(&route("1"), &headers(429, &[("Retry-After", "3")]), millis(0));
    assert_eq!(buckets.wait(&route("1"), millis(0)), Some(millis(3000)));
    assert_eq!(buckets.wait(&route("2"), millis(0)), None);
    let global = headers(429, &[("Retry-After", "7"), ("X-RateLimit-Global", "true")]);
    buckets.answered(&route("1"), &global, millis(0));
    assert_eq!(buckets.wait(&route("2"), millis(0)), Some(millis(7000)));
    let free = Route {
        is_free: true,
        ..route("3")
    };
    assert_eq!(buckets.wait(&free, millis(0)), None);
    let scoped = headers(429, &[("X-RateLimit-Scope", "global")]);
    assert!(scoped.is_global && !headers(200, &[("X-RateLimit-Global", "true")]).is_global);
}

#[test]
fn fifty_in_a_second_are_enough() {
    let mut buckets = Buckets::default();
    for nth in 0..50 {
        let route = route(&nth.to_string());
        assert_eq!(buckets.wait(&route, millis(nth)), None);
        buckets.sent(&route, millis(nth));
    }
    assert_eq!(buckets.wait(&route("x"), millis(50)), Some(millis(950)));
    assert_eq!(buckets.wait(&route("x"), millis(1000)), None);
}

#[test]
fn odd_headers_do_no_harm() {
    let odd = headers(
        200,
        &[
            ("X-RateLimit-Limit", "-1"),
            ("X-RateLimit-Remaining", "x"),
            ("X-RateLimit-Reset-After", "NaN"),
            ("Retry-After", "1e400"),
        ],
    );
    assert_eq!(odd, Headers::default());
    let mut buckets = Buckets::default();
    buckets.answered(&route("1"), &odd, millis(0));
    assert_eq!(buckets.wait(&route("1"), millis(0)), None);
    let long = headers(429, &[("Retry-After", "1e9")]);
    buckets.answered(&route("1"), &long, millis(0));
    assert_eq!(buckets.wait(&route("1"), millis(0)), Some(Duration::from_hours(1)));
}

#[test]
fn no_more_is_remembered_than_bounded() {
    let mut buckets = Buckets::default();
    for nth in 0..3 * MOST {
        buckets.answered(&route(&nth.to_string()), &taken("0", "100000"), millis(0));
        assert!(buckets.kept.len() <= MOST);
    }
}

/// A bucket as Discord keeps it.
struct Server {
    limit: u32,
    window: Duration,
    left: u32,
    reset_at: Duration,
}

impl Server {
    fn ask(&mut self, now: Duration) -> Headers {
        if now >= self.reset_at {
            self.reset_at = now + self.window;
            self.left = self.limit;
        }
        let is_refusal = self.left == 0;
        self.left = self.left.saturating_sub(1);
        let reset_after = Some(self.reset_at.saturating_sub(now));
        Headers {
            bucket: Some("b".to_owned()),
            limit: Some(self.limit),
            remaining: Some(self.left),
            reset_after,
            retry_after: reset_after.filter(|_| is_refusal),
            is_global: false,
            is_refusal,
        }
    }
}

proptest! {
    #[test]
    fn a_server_that_tells_never_has_to_refuse(
        limit in 1u32..10,
        window in 100u64..6000,
        pauses in prop::collection::vec(0u64..2000, 1..80),
    ) {
        let mut server = Server { limit, window: millis(window), left: 0, reset_at: Duration::ZERO };
        let (mut buckets, mut now, route) = (Buckets::default(), millis(1), route("1"));
        for pause in pauses {
            now += millis(pause) + buckets.wait(&route, now + millis(pause)).unwrap_or_default();
            buckets.sent(&route, now);
            let headers = server.ask(now);
            prop_assert!(!headers.is_refusal);
            buckets.answered(&route, &headers, now);
        }
    }
}
