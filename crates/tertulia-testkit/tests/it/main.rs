//! Tests of the doubles.

mod store_contract;
