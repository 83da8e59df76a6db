//! The contents of files that go out.

use std::sync::Arc;

use async_trait::async_trait;

use crate::StoreError;

/// The contents of files that go out. A slot names its files by their handles; what no slot names any more is deleted when what
/// named it is forgotten, and at the next start.
#[async_trait]
pub trait Files: Send + Sync {
    /// Keeps a content, durable when it returns, and gives its handle: the same for the same content. A slot has to name it
    /// soon.
    async fn keep_file(&self, content: Arc<[u8]>) -> Result<String, StoreError>;

    /// The content of this handle; `None` if it is not there any more.
    async fn file(&self, handle: &str) -> Result<Option<Arc<[u8]>>, StoreError>;
}
