//! What the chat double does not know of: files, quotations and what belongs together.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tertulia_interface::{Accept, AcceptError, Batch, FetchError, Inlet, Standing, Verdict};
use tertulia_message::command::CommandSpec;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, FileRef, Inbound, Mark, Outbound, PersonId, Quoted, What};

/// What comes along with a message.
#[derive(Debug, Clone, Default)]
pub(crate) struct Along {
    pub(crate) files: Vec<FileRef>,
    pub(crate) quoted: Option<Quoted>,
    pub(crate) join: Option<String>,
}

/// How one fetch of a file ends.
#[derive(Debug, Clone)]
pub(crate) enum Fetched {
    Bytes(Vec<u8>),
    Gone,
    TooLarge,
    Failed,
    Panic,
    Never,
}

/// The attic; it outlives the process.
#[derive(Default)]
pub(crate) struct Attic {
    along: Mutex<BTreeMap<String, Along>>,
    files: Mutex<BTreeMap<String, VecDeque<Fetched>>>,
    fetched: Mutex<Vec<String>>,
    most_files: AtomicUsize,
    delivered: Mutex<Vec<Outbound>>,
}

impl Attic {
    /// What comes along with the message of this text.
    pub(crate) fn with(&self, text: &str, along: Along) {
        self.along.lock().unwrap().insert(text.to_owned(), along);
    }

    /// A file; each fetch ends as the next of these, the last one again and again.
    pub(crate) fn keep(&self, handle: &str, ends: impl IntoIterator<Item = Fetched>) {
        let ends = ends.into_iter().collect();
        self.files.lock().unwrap().insert(handle.to_owned(), ends);
    }

    /// Which files were fetched, in order.
    pub(crate) fn fetched(&self) -> Vec<String> {
        self.fetched.lock().unwrap().clone()
    }

    /// From now on the platform takes so many files in one message.
    pub(crate) fn take_files(&self, most: usize) {
        self.most_files.store(most, Ordering::SeqCst);
    }

    pub(super) fn most_files(&self) -> usize {
        self.most_files.load(Ordering::SeqCst)
    }

    pub(super) fn note(&self, outbound: &Outbound) {
        self.delivered.lock().unwrap().push(outbound.clone());
    }

    /// Everything that was delivered.
    pub(crate) fn delivered(&self) -> Vec<Outbound> {
        self.delivered.lock().unwrap().clone()
    }

    pub(super) async fn fetch(&self, file: &FileRef) -> Result<Vec<u8>, FetchError> {
        self.fetched.lock().unwrap().push(file.handle.clone());
        match self.next(&file.handle) {
            Fetched::Bytes(bytes) => Ok(bytes),
            Fetched::Gone => Err(FetchError::Gone),
            Fetched::TooLarge => Err(FetchError::TooLarge),
            Fetched::Failed => Err(FetchError::Failed("as the test wants".to_owned())),
            Fetched::Panic => panic!("a fetch panics, as the test wants"),
            Fetched::Never => std::future::pending().await,
        }
    }

    fn next(&self, handle: &str) -> Fetched {
        let mut files = self.files.lock().unwrap();
        match files.get_mut(handle) {
            None => Fetched::Gone,
            Some(ends) if ends.len() > 1 => ends.pop_front().unwrap(),
            Some(ends) => ends.front().unwrap().clone(),
        }
    }

    fn dress(&self, event: &mut Inbound) {
        let What::Message { text } = &event.what else { return };
        if let Some(along) = self.along.lock().unwrap().get(text).cloned() {
            event.files = along.files;
            event.quoted = along.quoted;
            event.join = along.join;
        }
    }

    /// The inlet that gives messages what comes along with them.
    pub(super) fn dressing(self: &Arc<Self>, inner: Inlet) -> Inlet {
        let attic = Arc::clone(self);
        Inlet::new(Arc::new(Dressing { inner, attic }))
    }
}

struct Dressing {
    inner: Inlet,
    attic: Arc<Attic>,
}

#[async_trait]
impl Accept for Dressing {
    async fn accept(&self, mut batch: Batch) -> Result<Vec<Verdict>, AcceptError> {
        for event in &mut batch.events {
            self.attic.dress(event);
        }
        self.inner.accept(batch).await
    }

    async fn marks(&self, account: &Account, prefix: &str) -> Result<Vec<Mark>, AcceptError> {
        self.inner.marks(account, prefix).await
    }

    fn commands(&self) -> &'static [CommandSpec] {
        self.inner.commands()
    }

    async fn hang_up(&self, account: &Account, id: &str) {
        self.inner.hang_up(account, id).await;
    }

    fn reached(&self, interface: &str, is_reached: bool) {
        self.inner.reached(interface, is_reached);
    }

    fn standing(&self, person: &PersonId, path: &InterfacePath) -> Standing {
        self.inner.standing(person, path)
    }
}
