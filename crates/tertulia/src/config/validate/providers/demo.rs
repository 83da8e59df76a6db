//! The kind `demo`.

use std::time::Duration;

use super::kind::Kind;
use crate::config::ProviderKind;

pub(super) const KIND: Kind = Kind {
    name: "demo",
    has_server: false,
    keys: &["pause_ms"],
    media: &[],
    model_keys: &[],
    read: |section, _| {
        let pause = section.whole("pause_ms").unwrap_or_default();
        Ok(ProviderKind::Demo(Duration::from_millis(pause)))
    },
    service: None,
};
