//! Gives a post the contents of its files, just before it goes out.

use tertulia_message::{Act, Attachment, Markup, Outbound};
use tertulia_ports::{Store, StoreError};

/// The type of what has none.
const ANY: &str = "application/octet-stream";

/// Loads what the post names. What is gone is told in a line: a message is never held up by it.
pub(crate) async fn load(store: &dyn Store, outbound: &mut Outbound) -> Result<(), StoreError> {
    let (Act::Post(post) | Act::Edit { post, .. }) = &mut outbound.act else {
        return Ok(());
    };
    for file in std::mem::take(&mut post.files) {
        if let Some(bytes) = store.file(&file.handle).await? {
            outbound.files.push(Attachment {
                name: file.name.clone(),
                mime: file.mime.clone().unwrap_or_else(|| ANY.to_owned()),
                bytes,
            });
            post.files.push(file);
        } else {
            tracing::warn!(path = %outbound.path, "a file that was to go out is gone");
            let gone = format!("(The file {} is no longer there.)", file.name);
            post.markup.blocks.extend(Markup::text(gone).blocks);
        }
    }
    Ok(())
}
