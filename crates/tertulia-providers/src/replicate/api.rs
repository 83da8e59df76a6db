//! The calls of Replicate's API.

use std::sync::Arc;

use reqwest::header::{ACCEPT, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode, Url};
use secrecy::SecretString;
use serde_json::Value;
use tertulia_core::provider::{ProviderError, ProviderFault};

use super::cancels::Cancels;
use super::hosts::Hosts;
use super::prediction::{Places, Prediction};
use super::request::Body;
use crate::answer;
use crate::connection::Connection;
use crate::failure::NOT_TODAY;

const JSON: &str = "application/json";

/// The way to one server, and what is to be cancelled there.
pub(crate) struct Api {
    pub(crate) hosts: Hosts,
    connection: Connection,
    cancels: Cancels,
}

/// A prediction that runs. Dropped before it is [settled](Running::settled), it is cancelled.
pub(crate) struct Running {
    pub(crate) api: Arc<Api>,
    pub(crate) places: Places,
    is_settled: bool,
}

impl Api {
    pub(crate) fn new(hosts: Hosts, connection: Connection) -> Self {
        Self {
            hosts,
            connection,
            cancels: Cancels::default(),
        }
    }

    pub(crate) fn key(&self) -> Option<&SecretString> {
        self.connection.key()
    }

    /// What is at an address of the server.
    pub(crate) async fn described(&self, place: &Url) -> Result<Value, ProviderError> {
        let response = self
            .accepted(self.connection.send(self.connection.get(place), JSON).await?)
            .await?;
        self.connection.json(response).await
    }

    /// A prediction as it is now.
    pub(crate) async fn look(&self, place: &Url) -> Result<Prediction, ProviderError> {
        let prediction = Prediction::read(&self.described(place).await?);
        prediction.map_err(|error| self.scrubbed(&error))
    }

    /// Opens the stream of a prediction.
    pub(crate) async fn open(&self, place: &Url) -> Result<Response, ProviderError> {
        let response = self.get(place, "text/event-stream").await?;
        match answer::shape(&response)? {
            answer::Shape::Stream => Ok(response),
            answer::Shape::Whole => Err(answer::broken("no stream of events")),
        }
    }

    /// Asks for what lies at an address that may be followed, with the key only where that is for.
    pub(crate) async fn get(&self, place: &Url, accept: &'static str) -> Result<Response, ProviderError> {
        let asking = self.connection.get(place);
        let response = if self.hosts.takes_key(place) {
            self.connection.send(asking, accept).await?
        } else {
            let accept = HeaderValue::from_static(accept);
            self.connection.send_without_key(asking.header(ACCEPT, accept)).await?
        };
        self.accepted(response).await
    }

    /// The file at an address that may be followed, of at most so many bytes.
    pub(crate) async fn file(&self, place: &Url, longest: usize) -> Result<Vec<u8>, ProviderError> {
        self.connection.body(self.get(place, "*/*").await?, longest).await
    }

    /// An error without the key.
    pub(crate) fn scrubbed(&self, error: &ProviderError) -> ProviderError {
        self.connection.error(error.kind, &error.detail)
    }

    async fn accepted(&self, response: Response) -> Result<Response, ProviderError> {
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(self.connection.refused(response).await)
        }
    }

    /// Cancels a prediction, as far as that is possible without waiting for it: whether it is cancelled or ends by itself,
    /// nobody needs it any more.
    fn cancel(&self, place: Url) {
        let connection = self.connection.clone();
        self.cancels.begin(async move {
            drop(connection.send(connection.post(&place), JSON).await);
        });
    }

    /// Never asks the server to wait until the prediction is done (`Prefer: wait`): who is gone by then could not name it
    /// to cancel it, and there would be no sign of life meanwhile.
    fn making(&self, place: &Url, body: &Body) -> RequestBuilder {
        self.connection.post(place).json(body)
    }

    /// A model or version that is not there answers as any address that is not.
    async fn not_made(&self, response: Response) -> ProviderError {
        let status = response.status();
        let error = self.connection.refused(response).await;
        let names_version =
            status == StatusCode::UNPROCESSABLE_ENTITY && error.detail.contains("version does not exist");
        if status == StatusCode::NOT_FOUND || names_version {
            return ProviderError::new(ProviderFault::NoSuchModel, error.detail);
        }
        match error.kind {
            // this one says that nothing was done
            ProviderFault::Unavailable { .. } if status != StatusCode::SERVICE_UNAVAILABLE => only_once(error),
            _ => error,
        }
    }
}

/// The same error where a second question might cost a second time.
fn only_once(error: ProviderError) -> ProviderError {
    let kind = ProviderFault::Unavailable { after: Some(NOT_TODAY) };
    ProviderError { kind, ..error }
}

impl Running {
    /// Makes a prediction, once: where one may have been made, the error says that it is not to be asked for again.
    pub(crate) async fn begin(api: &Arc<Api>, place: &Url, body: &Body) -> Result<(Self, Prediction), ProviderError> {
        let response = api.connection.send_once(api.making(place, body), JSON).await?;
        if !response.status().is_success() {
            return Err(api.not_made(response).await);
        }
        let said = api.connection.json(response).await.map_err(only_once)?;
        let prediction = Prediction::read(&said).map_err(|error| api.scrubbed(&error))?;
        let places = Places::read(&said, &api.hosts).inspect_err(|_| {
            // it runs all the same
            if let Some(place) = Places::to_cancel(&said, &api.hosts) {
                api.cancel(place);
            }
        })?;
        let running = Self {
            api: Arc::clone(api),
            places,
            is_settled: false,
        };
        Ok((running, prediction))
    }

    /// It has ended by itself: there is nothing to cancel.
    pub(crate) fn settled(&mut self) {
        self.is_settled = true;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(place) = self.places.cancel.take().filter(|_| !self.is_settled) else {
            return;
        };
        self.api.cancel(place);
    }
}
