//! Contents of files that go out.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use tertulia_ports::{Files, StoreError};

use super::FakeStore;
use super::state::State;

#[async_trait]
impl Files for FakeStore {
    async fn keep_file(&self, content: Arc<[u8]>) -> Result<String, StoreError> {
        let files = &mut self.lock().files;
        if let Some((handle, _)) = files.iter().find(|(_, known)| **known == content) {
            return Ok(handle.clone());
        }
        let numbers = files
            .keys()
            .filter_map(|handle| handle.strip_prefix("file-")?.parse::<u64>().ok());
        let handle = format!("file-{:09}", numbers.max().unwrap_or(0) + 1);
        files.insert(handle.clone(), content);
        Ok(handle)
    }

    async fn file(&self, handle: &str) -> Result<Option<Arc<[u8]>>, StoreError> {
        Ok(self.lock().files.get(handle).cloned())
    }
}

impl State {
    /// The files that slots name.
    pub(super) fn named_files(&self) -> BTreeSet<String> {
        let files = self.slots.values().flat_map(|slot| &slot.wish.post.files);
        files.map(|file| file.handle.clone()).collect()
    }

    /// Deletes those of these files that no slot names any more.
    pub(super) fn drop_unnamed(&mut self, before: &BTreeSet<String>) {
        let named = self.named_files();
        self.files
            .retain(|handle, _| named.contains(handle) || !before.contains(handle));
    }
}
