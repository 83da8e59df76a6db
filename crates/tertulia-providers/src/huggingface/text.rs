//! Text generation, as TGI and HuggingFace's own inference speak it: one prompt in, its continuation out.

mod reader;
mod request;
mod stops;

use reqwest::Url;
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError};
use tertulia_ports::DeltaStream;

use crate::answer;
use crate::connection::Connection;

use reader::Reader;
use request::Body;

/// Asks for the continuation of a prompt.
pub(crate) async fn stream(
    connection: &Connection,
    place: &Url,
    request: &ModelRequest,
    able: Capabilities,
) -> Result<DeltaStream, ProviderError> {
    let body = Body::new(request, able);
    let asking = connection.post(place).json(&body);
    let response = connection.send(asking, "text/event-stream, application/json").await?;
    if !response.status().is_success() {
        return Err(connection.refused(response).await);
    }
    let reader = Reader::new(answer::shape(&response)?, body);
    Ok(answer::stream(response, reader, connection.key().cloned()))
}
