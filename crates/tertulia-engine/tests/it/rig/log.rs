//! Everything that is logged on this thread.

use std::io;
use std::sync::{Arc, Mutex};

use tracing::Level;
use tracing::subscriber::DefaultGuard;

/// Everything that is logged on this thread, until it is dropped.
pub(crate) struct Log {
    lines: Arc<Mutex<Vec<u8>>>,
    _guard: DefaultGuard,
}

#[derive(Clone)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn taken() -> Self {
        let lines = Arc::default();
        let sink = Sink(Arc::clone(&lines));
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(Level::TRACE)
            .with_ansi(false)
            .with_writer(move || sink.clone())
            .finish();
        Self {
            lines,
            _guard: tracing::subscriber::set_default(subscriber),
        }
    }

    /// The lines with this in them.
    pub(crate) fn with(&self, part: &str) -> Vec<String> {
        let all = String::from_utf8(self.lines.lock().unwrap().clone()).unwrap();
        all.lines()
            .filter(|line| line.contains(part))
            .map(str::to_owned)
            .collect()
    }
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
