//! A platform's fleeting signs, one after the other beside the turn.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tertulia_interface::Interface;
use tertulia_message::Signal;
use tertulia_message::path::InterfacePath;
use tokio::time::timeout;

/// How long one sign may take.
const DEADLINE: Duration = Duration::from_secs(10);
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
                let _ = timeout(DEADLINE, interface.signal(&path, &re, signal)).await;
            }));
        }
        if let Some(current) = self.current.as_mut() {
            current.await;
            self.current = None;
        }
    }

    /// Shows what still waits: typing has to end in every case.
    pub(super) async fn finish(&mut self) {
        while self.current.is_some() || !self.waiting.is_empty() {
            self.next().await;
        }
    }
}
