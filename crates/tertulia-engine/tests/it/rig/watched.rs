//! The chat double with a watch on typing, and panics where the test wants them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tertulia_interface::{FetchError, Inlet, Interface, ListenError};
use tertulia_message::path::InterfacePath;
use tertulia_message::{DeliverError, FileRef, Found, Limits, Outbound, Progress, Receipt, Signal};
use tertulia_testkit::chat_double::DoubleInterface;
use tokio_util::sync::CancellationToken;

use super::Attic;

/// The chat double under watch.
pub(crate) struct Watched {
    inner: DoubleInterface,
    attic: Arc<Attic>,
    typing: Mutex<BTreeMap<InterfacePath, bool>>,
    began_typing: AtomicUsize,
    panics_before: AtomicUsize,
    panics_after: AtomicUsize,
    listen_panics: AtomicUsize,
    limits_panics: AtomicUsize,
    signals_panic: AtomicBool,
    signal_takes: Mutex<Duration>,
    delivery_takes: Mutex<Duration>,
    refuses: AtomicBool,
    hides: AtomicBool,
    explodes: AtomicBool,
    stuck: Mutex<Stuck>,
    unstuck: Condvar,
}

/// Where a call holds its thread until the test lets go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stuck {
    #[default]
    Nowhere,
    InLimits,
    InListen,
}

/// What panics when it is dropped: not even catching its panic helps.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("what was caught panics, too, as the test wants");
    }
}

impl Watched {
    pub(crate) fn new(inner: DoubleInterface, attic: Arc<Attic>) -> Self {
        Self {
            inner,
            attic,
            typing: Mutex::default(),
            began_typing: AtomicUsize::new(0),
            panics_before: AtomicUsize::new(0),
            panics_after: AtomicUsize::new(0),
            listen_panics: AtomicUsize::new(0),
            limits_panics: AtomicUsize::new(0),
            signals_panic: AtomicBool::new(false),
            signal_takes: Mutex::default(),
            delivery_takes: Mutex::default(),
            refuses: AtomicBool::new(false),
            hides: AtomicBool::new(false),
            explodes: AtomicBool::new(false),
            stuck: Mutex::default(),
            unstuck: Condvar::new(),
        }
    }

    /// From now on its platform refuses it.
    pub(crate) fn refuse(&self) {
        self.refuses.store(true, Ordering::SeqCst);
    }

    /// From now on it can show no answer in the making.
    pub(crate) fn hide_progress(&self) {
        self.hides.store(true, Ordering::SeqCst);
    }

    /// From now on listening takes its task with it.
    pub(crate) fn explode_at_listen(&self) {
        self.explodes.store(true, Ordering::SeqCst);
    }

    /// From now on these calls hold their threads.
    pub(crate) fn stick(&self, stuck: Stuck) {
        *self.stuck.lock().unwrap() = stuck;
        self.unstuck.notify_all();
    }

    fn hold(&self, here: Stuck) {
        let stuck = self.stuck.lock().unwrap();
        drop(self.unstuck.wait_while(stuck, |stuck| *stuck == here).unwrap());
    }

    /// So many of the next deliveries panic: before the platform hears of them, or after it did them.
    pub(crate) fn panic_at_deliver(&self, before: usize, after: usize) {
        self.panics_before.store(before, Ordering::SeqCst);
        self.panics_after.store(after, Ordering::SeqCst);
    }

    pub(crate) fn panic_at_listen(&self, times: usize) {
        self.listen_panics.store(times, Ordering::SeqCst);
    }

    /// So many of the next questions for its limits panic.
    pub(crate) fn panic_at_limits(&self, times: usize) {
        self.limits_panics.store(times, Ordering::SeqCst);
    }

    pub(crate) fn panic_at_signals(&self) {
        self.signals_panic.store(true, Ordering::SeqCst);
    }

    pub(crate) fn slow_signals(&self, takes: Duration) {
        *self.signal_takes.lock().unwrap() = takes;
    }

    pub(crate) fn slow_deliveries(&self, takes: Duration) {
        *self.delivery_takes.lock().unwrap() = takes;
    }

    /// How many conversations see it typing now.
    pub(crate) fn still_typing(&self) -> usize {
        self.typing.lock().unwrap().values().filter(|typing| **typing).count()
    }

    /// How often typing began.
    pub(crate) fn began_typing(&self) -> usize {
        self.began_typing.load(Ordering::SeqCst)
    }
}

fn strikes(left: &AtomicUsize) -> bool {
    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
        .is_ok()
}

#[async_trait]
impl Interface for Watched {
    fn limits(&self, path: &InterfacePath) -> Limits {
        self.hold(Stuck::InLimits);
        assert!(!strikes(&self.limits_panics), "limits panic, as the test wants");
        let limits = self.inner.limits(path);
        Limits {
            files: self.attic.most_files(),
            caption: 100,
            progress: if self.hides.load(Ordering::SeqCst) {
                Progress::Hidden
            } else {
                limits.progress
            },
            ..limits
        }
    }

    async fn listen(&self, inlet: Inlet, stop: CancellationToken) -> Result<(), ListenError> {
        assert!(!strikes(&self.listen_panics), "listening panics, as the test wants");
        if self.explodes.load(Ordering::SeqCst) {
            std::panic::panic_any(Bomb);
        }
        if self.refuses.load(Ordering::SeqCst) {
            return Err(ListenError::Refused("as the test wants".to_owned()));
        }
        self.hold(Stuck::InListen);
        self.inner.listen(self.attic.dressing(inlet), stop).await
    }

    async fn deliver(&self, outbound: &Outbound) -> Result<Receipt, DeliverError> {
        assert!(!strikes(&self.panics_before), "a delivery panics, as the test wants");
        let takes = *self.delivery_takes.lock().unwrap();
        tokio::time::sleep(takes).await;
        let done = self.inner.deliver(outbound).await;
        self.attic.note(outbound);
        assert!(!strikes(&self.panics_after), "a delivery panics, as the test wants");
        done
    }

    async fn signal(&self, path: &InterfacePath, re: &str, signal: Signal) {
        assert!(
            !self.signals_panic.load(Ordering::SeqCst),
            "a sign panics, as the test wants"
        );
        let takes = *self.signal_takes.lock().unwrap();
        tokio::time::sleep(takes).await;
        let typing = match signal {
            Signal::Typing => Some(true),
            Signal::Idle => Some(false),
            _ => None,
        };
        if let Some(typing) = typing {
            self.began_typing.fetch_add(usize::from(typing), Ordering::SeqCst);
            self.typing.lock().unwrap().insert(path.clone(), typing);
        }
        self.inner.signal(path, re, signal).await;
    }

    async fn find(&self, outbound: &Outbound) -> Found {
        self.inner.find(outbound).await
    }

    async fn fetch(&self, file: &FileRef) -> Result<Vec<u8>, FetchError> {
        self.attic.fetch(file).await
    }
}
