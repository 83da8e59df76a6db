//! The rules of the wire form and of merging, one family of cases each.

mod assembling;
mod merging;
mod wire;
