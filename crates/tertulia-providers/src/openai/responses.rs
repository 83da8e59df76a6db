//! OpenAI's Responses API: items instead of messages, and models that get their own thoughts back.
//!
//! Nothing is stored at the provider, so what a model thought goes back with the conversation, encrypted where it is secret.

mod echo;
mod end;
mod input;
mod item;
mod items;
mod reader;
mod request;

use reqwest::Url;
use tertulia_core::provider::{ModelRequest, ProviderError};
use tertulia_ports::DeltaStream;

use crate::answer;
use crate::connection::Connection;
use crate::names::Names;

pub(crate) use request::Aim;

use reader::Reader;

/// Whose data it is: items mean nothing to the other API of the kind.
const KIND: &str = "openai/responses";

/// Asks, and streams the answer.
pub(crate) async fn stream(
    connection: &Connection,
    endpoint: &Url,
    request: &ModelRequest,
    aim: Aim<'_>,
) -> Result<DeltaStream, ProviderError> {
    let names = Names::new(&request.tools);
    let asking = connection.post(endpoint).json(&request::body(request, &names, aim));
    let response = connection.send(asking, "text/event-stream, application/json").await?;
    if !response.status().is_success() {
        return Err(connection.refused(response).await);
    }
    let reader = Reader::new(answer::shape(&response)?, aim.model.to_owned(), names);
    Ok(answer::stream(response, reader, connection.key().cloned()))
}
