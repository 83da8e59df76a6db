//! A talking route from its request to the last byte of its answer.

mod steps;

use std::convert::Infallible;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Map, Value};
use steps::{Answer, Step};
use tertulia_message::{Account, Addressed, Inbound, PersonId, Request as Asked, RequestHistory, Spent, What};
use tertulia_output::ollama::{Aggregate, Done, Line};
use uuid::Uuid;

use super::admit::Hall;
use super::work::{Ask, Talk, Work};
use super::{address, form};
use crate::body;
use crate::client::Client;
use crate::refusal::Refusal;

/// Answers a request of one of the talking routes.
pub(super) async fn talk(hall: &Hall, request: Request, talk: &dyn Talk) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let client = head.extensions.get::<Client>().cloned().unwrap_or(Client::Local);
    let limits = &hall.config.limits;
    let body = body::read_object(body, limits.large_body, limits.body).await?;
    let ask = Ask::read(talk, &body)?;
    let model = hall.models.find(&ask.model)?;
    let Some(work) = ask.work else {
        let line = Line {
            route: talk.route(),
            model: &ask.model,
            at: (hall.config.clock)(),
        };
        let spent = Spent::default();
        return Ok(form::json(&line.done(&Done {
            reason: ask.load,
            spent,
        })));
    };
    let inbound = inbound(hall, &client, (&head.headers, &body), work, model.plain_name())?;
    // an answer may take long, and a body with pictures is large
    drop((head, body));
    tracing::info!(path = %inbound.path, id = inbound.id, stream = ask.stream, "a request came in");
    let reader = hall.admit(inbound).await?;
    let answer = Answer::new(reader, &hall.config, talk.route(), ask.model);
    if ask.stream {
        streamed(answer).await
    } else {
        whole(answer).await
    }
}

fn inbound(
    hall: &Hall,
    client: &Client,
    (headers, body): (&HeaderMap, &Map<String, Value>),
    mut work: Work,
    model: &str,
) -> Result<Inbound, Refusal> {
    let interface = hall.config.name.as_str();
    let id = Uuid::new_v4().to_string();
    let named = address::conversation(headers, body)?.filter(|_| !work.is_supplied());
    let path = match &named {
        Some(named) => address::remembered(interface, client, named)?,
        None => address::forgotten(interface, &id)?,
    };
    let asked = Asked {
        model: model.to_owned(),
        system: work.system.take(),
        tools: std::mem::take(&mut work.tools),
        generation: std::mem::take(&mut work.generation),
        history: history(work, named.is_some())?,
    };
    Ok(Inbound {
        account: Account {
            interface: interface.to_owned(),
            identity: client.identity().to_owned(),
        },
        path,
        id,
        sender: PersonId::new(interface, client.identity()),
        sender_name: client.identity().to_owned(),
        addressed: Addressed::Direct,
        what: What::Request(Box::new(asked)),
        files: Vec::new(),
        reply_to: None,
        quoted: None,
        join: None,
        token: None,
        sent_at: Some((hall.config.clock)().as_millisecond()),
    })
}

fn history(work: Work, is_remembered: bool) -> Result<RequestHistory, Refusal> {
    let messages = if is_remembered {
        work.new_messages()
    } else {
        work.messages
    };
    if messages.is_empty() {
        return Err(Refusal::bad("there is no new message to answer"));
    }
    Ok(if is_remembered {
        RequestHistory::Stored(messages)
    } else {
        RequestHistory::Supplied(messages)
    })
}

/// The answer in pieces. The head waits for the first one, so that an early failure has a status of its own.
async fn streamed(mut answer: Answer) -> Result<Response, Refusal> {
    let first = match answer.step().await {
        Some(Step::Failed(refusal)) => return Err(refusal),
        Some(step) => answer.line(&step),
        None => String::new(),
    };
    let lines = stream::unfold((answer, Some(first)), |(mut answer, first)| async move {
        let line = if let Some(first) = first {
            first
        } else {
            let step = answer.step().await?;
            answer.line(&step)
        };
        Some((Ok::<_, Infallible>(Bytes::from(line)), (answer, None)))
    });
    Ok(([(header::CONTENT_TYPE, form::LINES)], Body::from_stream(lines)).into_response())
}

/// The answer in one object.
async fn whole(mut answer: Answer) -> Result<Response, Refusal> {
    let mut sum = Aggregate::default();
    while let Some(step) = answer.step().await {
        match step {
            Step::Chunk(chunk) => sum.push(chunk),
            Step::Failed(refusal) => return Err(refusal),
            Step::Done(done) => {
                let object = answer.frame(|line| sum.finish(line, &done));
                return object.map(|object| form::json(&object)).map_err(steps::failure);
            }
        }
    }
    Err(steps::failure("the answer has no end".to_owned()))
}
