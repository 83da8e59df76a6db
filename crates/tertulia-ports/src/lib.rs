//! The traits through which the core's decisions are performed.

mod desk;
mod files;
mod media;
mod provider;
mod store;
mod tool;

pub use desk::{
    ConversationFacts, ConversationQuery, Desk, Governed, HistoryLine, HistoryQuery, SlotQuery, TurnQuery, TurnRows,
    UsageSum,
};
pub use files::Files;
pub use media::Media;
pub use provider::{DeltaStream, Provider};
pub use store::{Restored, Store, StoreError};
pub use tool::{Outbox, Tool, ToolContext, ToolError, ToolSpec};
