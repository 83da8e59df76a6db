//! Attachments, at addresses that are signed and expire.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::world::World;
use crate::multipart::Upload;

const IN_ADDRESS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

/// A file that a message carries.
#[derive(Debug, Clone)]
struct Kept {
    channel: u64,
    file: Upload,
    /// The size that is told, if it is not the true one.
    told: Option<u64>,
}

/// Every file.
#[derive(Debug, Default)]
pub(super) struct Files {
    kept: BTreeMap<u64, Kept>,
    /// Addresses from before this count of renewals are dead.
    generation: u64,
}

impl Files {
    pub(super) fn keep(&mut self, id: u64, channel: u64, file: Upload, told: Option<u64>) {
        self.kept.insert(id, Kept { channel, file, told });
    }

    pub(super) fn bytes(&self, id: u64) -> Option<&[u8]> {
        self.kept.get(&id).map(|kept| kept.file.bytes.as_slice())
    }

    pub(super) fn name(&self, id: u64) -> Option<&str> {
        self.kept.get(&id).map(|kept| kept.file.name.as_str())
    }

    /// Every address that was given out is dead.
    pub(super) fn expire(&mut self) {
        self.generation += 1;
    }
}

impl World {
    /// The attachment object, with a new address.
    pub(super) fn attachment_json(&self, id: u64) -> Option<Value> {
        let kept = self.files.kept.get(&id)?;
        let until = self.today() / 1000 + self.settings.attachment_life.as_secs();
        let (since, sign) = (self.today() / 1000, self.sign(id, until));
        let url = format!(
            "{}/attachments/{}/{id}/{}?ex={until:x}&is={since:x}&hm={sign:x}&",
            self.base,
            kept.channel,
            utf8_percent_encode(&kept.file.name, IN_ADDRESS),
        );
        let mut body = json!({
            "id": id.to_string(), "filename": kept.file.name, "proxy_url": url, "url": url,
            "size": kept.told.unwrap_or(kept.file.bytes.len() as u64), "content_type": kept.file.mime,
        });
        if kept.file.mime.starts_with("image/") {
            super::refusal::insert(&mut body, "width", json!(320));
            super::refusal::insert(&mut body, "height", json!(240));
        }
        Some(body)
    }

    fn sign(&self, id: u64, until: u64) -> u64 {
        (id ^ until.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.files.generation
    }

    /// The file at an address, if its signature is good and its time not over.
    pub(super) fn download(&self, id: u64, query: &BTreeMap<String, String>) -> Option<&Upload> {
        let number = |name: &str| u64::from_str_radix(query.get(name)?, 16).ok();
        let until = number("ex")?;
        let is_good = number("hm")? == self.sign(id, until) && self.today() / 1000 < until;
        self.files.kept.get(&id).filter(|_| is_good).map(|kept| &kept.file)
    }
}
