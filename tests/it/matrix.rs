//! The whole program as a Matrix account, on a real server and with people who use a client of their own.

mod answers;
mod contract;
mod doctor;
mod files;
mod first_steps;
mod gating;
mod keys;
mod kills;
mod missed;
mod newcomer;
mod outages;
mod rooms;
pub(crate) mod scene;
mod secrets;
mod session;
mod threads;
mod versions;
