//! The whole program, driven from the outside.

mod tidy;
