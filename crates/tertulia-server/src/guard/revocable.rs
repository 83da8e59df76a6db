//! The body of an answer that breaks off when its reader may read no more.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// The body of an answer that breaks off when its reader may read no more.
pub(super) struct Revocable {
    body: Body,
    revoked: Pin<Box<WaitForCancellationFutureOwned>>,
}

/// Why an answer broke off.
#[derive(Debug, thiserror::Error)]
#[error("the token is good no more")]
struct Revoked;

impl Revocable {
    pub(super) fn new(body: Body, revoked: CancellationToken) -> Self {
        Self {
            body,
            revoked: Box::pin(revoked.cancelled_owned()),
        }
    }
}

impl hyper::body::Body for Revocable {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.revoked.as_mut().poll(context).is_ready() {
            return Poll::Ready(Some(Err(axum::Error::new(Revoked))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
