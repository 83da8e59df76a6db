//! Named points at which a test lets the process die; without the feature `crash-points` they are nothing.

/// Dies here if the environment variable `TERTULIA_CRASH_AT` is `<moment>_<what>:<n>` and this is the nth time.
#[cfg(feature = "crash-points")]
pub(crate) fn point(moment: &str, what: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    static PLAN: OnceLock<Option<(String, u32)>> = OnceLock::new();
    static HITS: AtomicU32 = AtomicU32::new(0);
    let plan = PLAN.get_or_init(|| {
        let plan = std::env::var("TERTULIA_CRASH_AT").ok()?;
        let (point, nth) = plan.split_once(':')?;
        Some((point.to_owned(), nth.parse().ok()?))
    });
    let Some((point, nth)) = plan else { return };
    let here = point.strip_prefix(moment).and_then(|rest| rest.strip_prefix('_')) == Some(what);
    if here && HITS.fetch_add(1, Ordering::SeqCst) + 1 == *nth {
        tracing::error!(point, nth, "dying at a crash point, as a test asked");
        std::process::abort();
    }
}

/// Nothing, outside tests that kill the program.
#[cfg(not(feature = "crash-points"))]
pub(crate) fn point(_moment: &str, _what: &str) {}
