//! A platform's fleeting signs, one after the other beside the turn.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tertulia_interface::Interface;
use tertulia_message::Signal;
use tertulia_message::path::InterfacePath;
use tokio::time::timeout;

/// How long one sign may take.
const DEADLINE: Duration = Duration::from_secs(10);
/// How long all that wait may take when their session ends.
const LAST: Duration = Duration::from_secs(2);
/// How many signs may wait; older ones are dropped.
const WAITING: usize = 8;

/// Signs in their order. A newer preview replaces one that still waits.
pub(super) struct Signals {
    interface: Option<Arc<dyn Interface>>,
    waiting: VecDeque<(InterfacePath, String, Signal)>,
    current: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Signals {
    pub(super) fn new(interface: Option<Arc<dyn Interface>>) -> Self {
        Self {
            interface,
            waiting: VecDeque::new(),
            current: None,
        }
    }

    pub(super) fn push(&mut self, path: InterfacePath, re: String, signal: Signal) {
        if matches!(signal, Signal::Preview { .. }) {
            self.waiting
                .retain(|(_, _, waiting)| !matches!(waiting, Signal::Preview { .. }));
        }
        if self.waiting.len() >= WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back((path, re, signal));
    }

    /// Shows one sign; waits for ever if there is none. May be dropped and called again.
    pub(super) async fn next(&mut self) {
        if self.current.is_none() {
            let (Some(interface), Some((path, re, signal))) = (self.interface.clone(), self.waiting.pop_front()) else {
                return std::future::pending().await;
            };
            self.current = Some(Box::pin(async move {
                show(&*interface, &path, &re, signal, DEADLINE).await;
            }));
        }
        if let Some(current) = self.current.as_mut() {
            current.await;
            self.current = None;
        }
    }

    /// True if nothing is being shown, and nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.current.is_none() && self.waiting.is_empty()
    }

    /// Shows what still waits, for a while: typing has to end in every case.
    pub(super) async fn finish(&mut self) {
        let _ = timeout(LAST, async {
            while !self.is_empty() {
                self.next().await;
            }
        })
        .await;
    }
}

/// Whatever is shown at a place whose session has died ends.
pub(crate) async fn clear(interface: &dyn Interface, path: &InterfacePath) {
    show(interface, path, "", Signal::Idle, DEADLINE).await;
}

/// Shows a sign; false if the interface did not take it in time, or panicked.
pub(crate) async fn show(
    interface: &dyn Interface,
    path: &InterfacePath,
    re: &str,
    signal: Signal,
    deadline: Duration,
) -> bool {
    let showing = AssertUnwindSafe(interface.signal(path, re, signal)).catch_unwind();
    let shown = matches!(timeout(deadline, showing).await, Ok(Ok(())));
    if !shown {
        tracing::warn!(%path, "an interface did not take a sign");
    }
    shown
}
