//! What systemd is told about us: how far the start is, that we live, that we reload, that we stop.
//!
//! Without a supervisor nothing is said.

use std::convert::Infallible;
use std::future::{Future, pending};
use std::pin::pin;
use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// How often more time is asked for while the database is opened.
const ASK_EVERY: Duration = Duration::from_secs(20);

/// For how much, in microseconds.
const ASK_FOR: u32 = 60_000_000;

/// The start, or a reload, is done.
pub(super) fn ready(status: &str) {
    tell(&[NotifyState::Status(status), NotifyState::Ready]);
}

/// One line on what we do, for whoever looks with `systemctl status`.
pub(super) fn status(text: &str) {
    tell(&[NotifyState::Status(text)]);
}

/// The configuration is about to be read again; [`reloaded`] has to follow.
pub(super) fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => tell(&[NotifyState::Reloading, now]),
        Err(_) => tell(&[NotifyState::Reloading]),
    }
}

/// The configuration was read again, or stays as it was for the reason given.
pub(super) fn reloaded(refused: Option<&str>) {
    match refused {
        None => ready("the configuration was read again"),
        Some(reason) => ready(&format!("the configuration is wrong; the old one stays: {reason}")),
    }
}

/// We end on purpose.
pub(super) fn stopping() {
    status("stopping: running answers get ten seconds");
    tell(&[NotifyState::Stopping]);
}

/// Asks for more time until the database is open: a migration may take longer than a start may.
pub(super) async fn while_opening<T>(opening: impl Future<Output = T>) -> T {
    status("opening the database");
    let mut opening = pin!(opening);
    loop {
        tell(&[NotifyState::ExtendTimeoutUsec(ASK_FOR)]);
        if let Ok(opened) = timeout(ASK_EVERY, &mut opening).await {
            return opened;
        }
    }
}

/// Feeds the watchdog, if there is one, whenever `alive` answers in time that we are. It never ends; dropping it does.
pub(super) async fn feed_watchdog<Answer>(alive: impl Fn() -> Answer) -> Infallible
where
    Answer: Future<Output = bool>,
{
    match sd_notify::watchdog_enabled() {
        Some(deadline) if !deadline.is_zero() && is_there() => {
            feed(deadline, alive, || tell(&[NotifyState::Watchdog])).await
        }
        _ => pending().await,
    }
}

/// Asks at a third of the deadline, so that one late answer is not the end.
async fn feed<Answer>(deadline: Duration, alive: impl Fn() -> Answer, food: impl Fn()) -> Infallible
where
    Answer: Future<Output = bool>,
{
    let pace = deadline / 3;
    let mut ticks = interval(pace);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match timeout(pace, alive()).await {
            Ok(true) => food(),
            Ok(false) => tracing::error!("a part of the daemon is dead: the watchdog is not fed"),
            Err(_) => tracing::error!(within = ?pace, "a part of the daemon did not answer: the watchdog is not fed"),
        }
    }
}

/// True if somebody is told.
pub(super) fn is_there() -> bool {
    // an empty variable is as good as none, and no address to write to
    std::env::var_os("NOTIFY_SOCKET").is_some_and(|socket| !socket.is_empty())
}

/// Tells the supervisor, if there is one.
fn tell(state: &[NotifyState]) {
    if !is_there() {
        return;
    }
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the supervisor could not be told");
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::time::{Instant, sleep};

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(30);

    /// How often it is fed in 295 seconds, and the longest time without food, in seconds.
    async fn fed<Answer: Future<Output = bool>>(alive: impl Fn(u32) -> Answer) -> (u32, u64) {
        let (asked, meals, longest) = (Cell::new(0), Cell::new(0), Cell::new(0));
        let last = Cell::new(Instant::now());
        let ask = || {
            asked.set(asked.get() + 1);
            alive(asked.get())
        };
        let eat = || {
            meals.set(meals.get() + 1);
            longest.set(longest.get().max(last.get().elapsed().as_secs()));
            last.set(Instant::now());
        };
        assert!(
            timeout(Duration::from_secs(295), feed(DEADLINE, ask, eat))
                .await
                .is_err()
        );
        longest.set(longest.get().max(last.get().elapsed().as_secs()));
        (meals.get(), longest.get())
    }

    #[tokio::test(start_paused = true)]
    async fn who_lives_is_fed_three_times_in_each_deadline() {
        assert_eq!(fed(|_| async { true }).await, (30, 10));
    }

    #[tokio::test(start_paused = true)]
    async fn one_late_or_bad_answer_is_not_the_end() {
        let late = |asked| async move { if asked == 5 { pending().await } else { true } };
        let (_, longest) = fed(late).await;
        assert!(longest < 30, "{longest} s");
        let (meals, longest) = fed(|asked| async move { asked != 5 }).await;
        assert_eq!((meals, longest), (29, 20));
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_answer_or_says_no_is_not_fed() {
        assert_eq!(fed(|_| pending()).await, (0, 295));
        assert_eq!(fed(|_| async { false }).await, (0, 295));
        let slow = |_| async {
            sleep(Duration::from_secs(11)).await;
            true
        };
        assert_eq!(fed(slow).await, (0, 295));
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_opening_is_waited_for() {
        let opening = async {
            sleep(Duration::from_hours(1)).await;
            7
        };
        assert_eq!(while_opening(opening).await, 7);
    }
}
