//! Tests of the doubles.

mod interface_contract;
mod simulation;
mod store_contract;
mod telegram_double;
