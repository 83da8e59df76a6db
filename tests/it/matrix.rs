//! The whole program as a Matrix account, on a real server and with people who use a client of their own.

mod contract;
mod doctor;
mod first_steps;
mod keys;
mod kills;
mod missed;
mod outages;
pub(crate) mod scene;
mod secrets;
mod session;
