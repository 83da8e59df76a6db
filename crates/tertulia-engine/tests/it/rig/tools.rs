//! A tool for tests: it counts its calls, takes its time, and panics on request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tertulia_core::record::ToolEffect;
use tertulia_message::ToolOffer;
use tertulia_ports::{Tool, ToolContext, ToolError, ToolSpec};

/// The tool.
pub(crate) struct TestTool {
    spec: ToolSpec,
    takes: Duration,
    panics: bool,
    hidden: AtomicBool,
    begun: AtomicUsize,
    done: AtomicUsize,
}

impl TestTool {
    pub(crate) fn new(name: &str, effect: ToolEffect, takes: Duration) -> Self {
        Self {
            spec: ToolSpec {
                offer: ToolOffer {
                    name: name.to_owned(),
                    description: "a tool for tests".to_owned(),
                    parameters: json!({"type": "object"}),
                },
                effect,
                deadline: Duration::from_secs(30),
                speaks_on: None,
            },
            takes,
            panics: false,
            hidden: AtomicBool::new(false),
            begun: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        }
    }

    pub(crate) fn quick(name: &str) -> Arc<Self> {
        Arc::new(Self::new(name, ToolEffect::Reads, Duration::ZERO))
    }

    pub(crate) fn panicking(name: &str) -> Arc<Self> {
        Arc::new(Self {
            panics: true,
            ..Self::new(name, ToolEffect::Reads, Duration::ZERO)
        })
    }

    /// From now on reading its description panics.
    pub(crate) fn hide(&self) {
        self.hidden.store(true, Ordering::SeqCst);
    }

    pub(crate) fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    pub(crate) fn done(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Tool for TestTool {
    fn spec(&self) -> &ToolSpec {
        assert!(
            !self.hidden.load(Ordering::SeqCst),
            "the tool panics, as the test wants"
        );
        &self.spec
    }

    async fn call(&self, _arguments: Value, _context: &ToolContext) -> Result<String, ToolError> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        assert!(!self.panics, "the tool panics, as the test wants");
        tokio::time::sleep(self.takes).await;
        self.done.fetch_add(1, Ordering::SeqCst);
        Ok("the tool's result".to_owned())
    }
}
