//! Pure data: interface paths, the message DSL, markup, and what comes in and goes out.
//!
//! Nothing here performs anything. Every other crate of the workspace speaks in these types.

pub mod command;
pub mod delivery;
pub mod dsl;
pub mod inbound;
pub mod limits;
pub mod markup;
pub mod outbound;
pub mod path;
pub mod person;
pub mod secret;
pub mod signal;

pub use delivery::{DeliverError, Found, RateScope, Receipt, Recovery};
pub use dsl::{Assembler, DeltaAction, Group, Kind, MergeError, Merged, Message, Metadata, Props, merge_into};
pub use inbound::{
    Account, Addressed, FileRef, Generation, Inbound, Mark, PASTE, Picture, Quoted, Request, RequestHistory, Role,
    SuppliedCall, SuppliedMessage, ToolOffer, What,
};
pub use limits::{Limits, Pace, Progress, Reach, TextLimit};
pub use markup::{Block, Inline, ListItem, Markup};
pub use outbound::{Act, Attachment, Button, Outbound, Post, ReplyRef, SlotId, SlotKind};
pub use path::{InterfaceName, InterfacePath, PathError, PathLevel};
pub use person::{Level, PersonId};
pub use secret::Secret;
pub use signal::{Ending, Finish, Signal, Spent};
