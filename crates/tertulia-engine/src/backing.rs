//! Where a session's work comes from and where its transactions go.

use std::sync::Arc;
use std::time::Duration;

use tertulia_core::record::{ConversationId, Work};
use tertulia_core::transaction::Transaction;
use tertulia_ports::{Store, StoreError};

use crate::crash;

/// The pause before a write that could not be done is tried again.
const PAUSE: Duration = Duration::from_millis(250);

/// Where a session's work comes from and where its transactions go.
pub(crate) enum Backing {
    /// A conversation that is remembered.
    Stored(ConversationId),
    /// A request that brings its own history: only its usage is kept.
    Passing(Option<Box<Work>>),
}

impl Backing {
    pub(crate) async fn fetch(
        &mut self,
        store: &Arc<dyn Store>,
        entries: u32,
    ) -> Result<Option<Box<Work>>, StoreError> {
        match self {
            Self::Stored(conversation) => patiently(|| store.next_work(*conversation, entries))
                .await
                .map(|work| work.map(Box::new)),
            Self::Passing(work) => Ok(work.take()),
        }
    }

    /// What of a transaction is really written.
    pub(crate) fn writes(&self, transaction: Transaction) -> Vec<Transaction> {
        match (self, transaction) {
            (Self::Stored(_), transaction) => vec![transaction],
            (Self::Passing(_), Transaction::Settle(settle)) => {
                settle.usage.into_iter().map(Transaction::Spent).collect()
            }
            (Self::Passing(_), _) => Vec::new(),
        }
    }
}

/// Commits, however long the disk is full or the database locked: whoever waits for it goes on when it is done.
pub(crate) async fn commit(store: &Arc<dyn Store>, transaction: Transaction) -> Result<(), StoreError> {
    crash::point("before", transaction.name());
    let done = patiently(|| store.commit(transaction.clone())).await;
    crash::point("after", transaction.name());
    done
}

/// Calls again, however long the store is busy.
pub(crate) async fn patiently<T, F>(mut call: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut told = false;
    loop {
        match call().await {
            Err(StoreError::Busy(source)) => {
                if !told {
                    tracing::error!(error = %source, "the store cannot write at the moment; everything waits for it");
                    told = true;
                }
                tokio::time::sleep(PAUSE).await;
            }
            Ok(done) if told => {
                tracing::info!("the store writes again");
                return Ok(done);
            }
            done => return done,
        }
    }
}
