//! The Telegram interface against a strict double of the Bot API.

mod delivery;
mod ear;
mod files;
mod groups;
mod intake;
mod menus;
mod outages;
mod stage;
