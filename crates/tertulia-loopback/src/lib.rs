//! A little chat platform over HTTP, for tests that kill the real program.
