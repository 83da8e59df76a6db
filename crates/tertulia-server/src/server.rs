//! A bound port and the connections on it.

mod stall;

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use stall::Impatient;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::limits::HttpLimits;

/// Takes ports.
#[derive(Debug)]
pub struct Server;

/// A port that is ours. Connections wait until a door serves them.
#[derive(Debug)]
pub struct Bound {
    /// Gone once a stop has begun: then nobody may wait for an answer that will not come.
    listener: Mutex<Option<Arc<TcpListener>>>,
    address: SocketAddr,
}

/// Why a port is not ours.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Somebody else has it: probably another instance.
    #[error("{0} is in use")]
    InUse(SocketAddr),
    /// The system does not give it.
    #[error("cannot listen on {address}")]
    Failed {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
}

impl Server {
    /// Takes a port; port 0 takes any free one.
    ///
    /// # Errors
    /// The port is taken, or the system does not give it.
    pub async fn bind(address: SocketAddr) -> Result<Bound, BindError> {
        let bound = TcpListener::bind(address).await.and_then(|listener| {
            let address = listener.local_addr()?;
            Ok(Bound {
                listener: Mutex::new(Some(Arc::new(listener))),
                address,
            })
        });
        bound.map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => BindError::InUse(address),
            _ => BindError::Failed { address, source },
        })
    }
}

impl Bound {
    /// The address, with the port that was really taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop`; then open answers get their grace, and what is left is cut.
    pub(crate) async fn serve(&self, app: Router, limits: &HttpLimits, stop: &CancellationToken) {
        let Some(listener) = self.listener().clone() else {
            return;
        };
        let permits = Arc::new(Semaphore::new(limits.connections));
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(ended) = connections.join_next() => report(ended),
                Some((stream, permit)) = accept(&listener, &permits) => {
                    let connection = converse(stream, app.clone(), limits.clone(), stop.clone());
                    connections.spawn(async move {
                        connection.await;
                        drop(permit);
                    });
                }
            }
        }
        drop(listener);
        *self.listener() = None;
        let ended = async {
            while let Some(ended) = connections.join_next().await {
                report(ended);
            }
        };
        if tokio::time::timeout(limits.grace, ended).await.is_err() {
            tracing::warn!(
                left = connections.len(),
                "connections were cut at the end of their grace"
            );
            connections.shutdown().await;
        }
    }

    fn listener(&self) -> MutexGuard<'_, Option<Arc<TcpListener>>> {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The next connection, once there is room for it.
async fn accept(listener: &TcpListener, permits: &Arc<Semaphore>) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits).acquire_owned().await.ok()?;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return Some((stream, permit)),
            Err(error) => {
                // mostly a shortage of file descriptors, which passes when connections end
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn converse(stream: TcpStream, app: Router, limits: HttpLimits, stop: CancellationToken) {
    // pieces of an answer are small, and each is wanted at once
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot switch off the delay of small packets");
    }
    let stream = TokioIo::new(Impatient::new(stream, limits.stall));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header)
        .serve_connection(stream, TowerToHyperService::new(app));
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "the task of a connection died");
    }
}
