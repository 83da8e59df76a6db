//! Decides everything and performs nothing.
//!
//! Three machines, [`session::Session`] (one per conversation), [`courier::Courier`] (one per account) and
//! [`composer::Composer`] (one per turn), and pure functions beside them. Time, randomness and ids are arguments.

pub mod access;
pub mod again;
pub mod attachment;
pub mod authorize;
pub mod breaker;
pub mod chat;
pub mod claim;
pub mod commands;
pub mod composer;
pub mod courier;
pub mod fault;
pub mod layout;
pub mod markdown;
pub mod media;
pub mod nearest;
pub mod now;
pub mod policy;
pub mod preferences;
pub mod press;
pub mod price;
pub mod provider;
pub mod reasoning;
pub mod record;
pub mod reply;
pub mod route;
pub mod session;
pub mod split;
pub mod stop;
pub mod text_tools;
pub mod transaction;
pub mod window;
