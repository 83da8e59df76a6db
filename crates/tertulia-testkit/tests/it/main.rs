//! Tests of the doubles.

mod discord_double;
mod interface_contract;
mod matrix;
mod simulation;
mod store_contract;
mod telegram_double;
