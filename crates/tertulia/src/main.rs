//! The daemon: reads `bot.toml`, assembles the parts, runs.

fn main() {}
