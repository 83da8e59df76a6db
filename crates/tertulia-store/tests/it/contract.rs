//! The store keeps the contract of the port.

use std::sync::Arc;

use tertulia_store::{Options, SqliteStore};
use tertulia_testkit::store_contract::store_contract;

use crate::bench::directory;

#[tokio::test]
async fn the_store_on_sqlite_keeps_the_contract() {
    let root = directory();
    let number = std::cell::Cell::new(0);
    store_contract(|clock| {
        number.set(number.get() + 1);
        let directory = root.path().join(number.get().to_string());
        Arc::new(SqliteStore::open(&directory, Options::new(clock)).unwrap())
    })
    .await;
}
