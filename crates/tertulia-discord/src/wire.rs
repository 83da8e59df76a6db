//! What Discord sends, as far as it is looked at: unknown kinds and odd fields lose nothing else.

mod channel;
mod embed;
mod gateway;
mod interaction;
mod message;
mod people;

pub use channel::{Channel, ChannelKind, Guild, Role};
pub use embed::Embed;
pub use gateway::{Event, Frame, Ready, Removed};
pub use interaction::{Choice, Interaction, InteractionKind};
pub use message::{Attachment, Message, Poll, Reference, Sticker};
pub use people::User;

#[cfg(test)]
mod tests;
