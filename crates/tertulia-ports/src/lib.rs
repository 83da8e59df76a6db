//! The traits through which the core's decisions are performed.

mod provider;
mod store;
mod tool;

pub use provider::{DeltaStream, Provider};
pub use store::{HistoryLine, HistoryQuery, Restored, Store, StoreError};
pub use tool::{Tool, ToolContext, ToolError, ToolSpec};
