//! The whole program, driven from the outside.
