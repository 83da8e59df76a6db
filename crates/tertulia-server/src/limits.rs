//! What a client may take of the server.

use std::time::Duration;

/// Bounds for connections and requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpLimits {
    /// Connections at once; further ones wait in the system's backlog.
    pub connections: usize,
    /// How long the head of a request may take, and how long a connection may idle between two requests.
    pub header: Duration,
    /// How long the body of a request may take.
    pub body: Duration,
    /// How long a reader may take nothing of what is ready for it.
    pub stall: Duration,
    /// How long open answers get to end when the daemon stops.
    pub grace: Duration,
    /// The largest body in bytes, where nothing but text is taken.
    pub small_body: usize,
    /// The largest body in bytes, where pictures are taken.
    pub large_body: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections: 2048,
            header: Duration::from_secs(5),
            body: Duration::from_secs(30),
            stall: Duration::from_mins(1),
            grace: Duration::from_secs(10),
            small_body: 1 << 20,
            large_body: 32 << 20,
        }
    }
}
