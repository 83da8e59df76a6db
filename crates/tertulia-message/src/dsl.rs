//! The message DSL: typed messages that are streamed as deltas, a wire format by contract.

mod apply;
mod assembler;
mod constructors;
mod delta_path;
mod group;
mod kind;
mod merge;
mod message;

pub use assembler::Assembler;
pub use group::Group;
pub use kind::Kind;
pub use merge::{MergeError, Merged, merge_into};
pub use message::{DeltaAction, Message, Metadata, Props};

#[cfg(test)]
mod tests;
