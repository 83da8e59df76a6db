//! Tests of the doubles.

mod interface_contract;
mod matrix;
mod simulation;
mod store_contract;
mod telegram_double;
