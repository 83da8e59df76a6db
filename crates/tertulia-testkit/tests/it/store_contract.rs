//! The store in memory keeps the contract of the port.

use std::sync::Arc;

use tertulia_testkit::fake_store::FakeStore;
use tertulia_testkit::store_contract::store_contract;

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract() {
    store_contract(|clock| Arc::new(FakeStore::with_clock(clock))).await;
}
