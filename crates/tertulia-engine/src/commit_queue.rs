//! Transactions of one owner, committed one after the other in the order in which they were decided.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;

use tertulia_core::transaction::Transaction;
use tertulia_ports::{Store, StoreError};

use crate::backing;

type Committing<T> = Pin<Box<dyn Future<Output = (T, Result<(), StoreError>)> + Send>>;

/// Transactions of one owner, committed one after the other. Its length is bounded by what its machine decides at once.
pub(crate) struct CommitQueue<T> {
    store: Arc<dyn Store>,
    waiting: VecDeque<(Vec<Transaction>, T)>,
    current: Option<Committing<T>>,
}

impl<T: Send + 'static> CommitQueue<T> {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            waiting: VecDeque::new(),
            current: None,
        }
    }

    /// Queues what stands behind one token.
    pub(crate) fn push(&mut self, transactions: Vec<Transaction>, token: T) {
        self.waiting.push_back((transactions, token));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.current.is_none() && self.waiting.is_empty()
    }

    /// The next token with how its transactions ended; waits for ever while there is none. May be dropped and called again.
    pub(crate) async fn next(&mut self) -> (T, Result<(), StoreError>) {
        if self.current.is_none() {
            let Some((transactions, token)) = self.waiting.pop_front() else {
                return std::future::pending().await;
            };
            self.current = Some(Box::pin(commit_all(Arc::clone(&self.store), transactions, token)));
        }
        let Some(current) = self.current.as_mut() else {
            return std::future::pending().await;
        };
        let done = current.await;
        self.current = None;
        done
    }
}

async fn commit_all<T>(store: Arc<dyn Store>, transactions: Vec<Transaction>, token: T) -> (T, Result<(), StoreError>) {
    for transaction in transactions {
        if let Err(error) = backing::commit(&store, transaction).await {
            return (token, Err(error));
        }
    }
    (token, Ok(()))
}
