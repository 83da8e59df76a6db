//! The whole program as a Telegram bot.

mod configuration;
