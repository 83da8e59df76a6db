//! Cancels predictions that nobody waits for any more: beside everything else, and only as well as it goes.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How long one may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many are under way at most; what comes then is left to end by itself.
const MOST: usize = 64;

/// The cancellations under way. They end with their owner.
#[derive(Debug, Default)]
pub(crate) struct Cancels {
    tasks: Mutex<JoinSet<()>>,
}

impl Cancels {
    /// Begins one; never waits, and does nothing outside a runtime.
    pub(crate) fn begin(&self, cancelling: impl Future<Output = ()> + Send + 'static) {
        let Ok(runtime) = Handle::try_current() else { return };
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        if tasks.len() < MOST {
            let bounded = async move { drop(timeout(PATIENCE, cancelling).await) };
            tasks.spawn_on(bounded, &runtime);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[test]
    fn outside_a_runtime_nothing_happens() {
        let cancels = Cancels::default();
        cancels.begin(pending());
        assert_eq!(cancels.tasks.lock().unwrap().len(), 0);
    }

    #[tokio::test]
    async fn they_are_bounded_and_gathered() {
        let cancels = Cancels::default();
        for _ in 0..MOST + 7 {
            cancels.begin(pending());
        }
        assert_eq!(cancels.tasks.lock().unwrap().len(), MOST);
        cancels.tasks.lock().unwrap().abort_all();
        while cancels.tasks.lock().unwrap().try_join_next().is_none() {
            tokio::task::yield_now().await;
        }
        cancels.begin(pending());
        assert!(cancels.tasks.lock().unwrap().len() < MOST);
    }
}
