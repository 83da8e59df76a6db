//! Tests of the doubles.

mod interface_contract;
mod store_contract;
