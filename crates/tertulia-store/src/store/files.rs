//! Contents of files that go out lie where pictures do, named by their hash.

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use tertulia_ports::{Files, StoreError};

use super::SqliteStore;
use crate::fault::Fault;
use crate::media::Media;
use crate::sent;

impl SqliteStore {
    async fn media<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Media) -> io::Result<T> + Send + 'static,
    ) -> Result<T, Fault> {
        let media = self.media.clone();
        let task = tokio::task::spawn_blocking(move || work(&media));
        Ok(task.await.map_err(|error| Fault::Damaged(Arc::new(error)))??)
    }
}

#[async_trait]
impl Files for SqliteStore {
    async fn keep_file(&self, content: Arc<[u8]>) -> Result<String, StoreError> {
        Ok(self.media(move |media| media.keep_content(&content)).await?)
    }

    async fn file(&self, handle: &str) -> Result<Option<Arc<[u8]>>, StoreError> {
        if !sent::is_handle(handle) {
            return Ok(None);
        }
        let name = handle.to_owned();
        let content = self.media(move |media| media.content(&name)).await?;
        Ok(content.map(Arc::from))
    }
}
