//! A client of the Ollama door that sees everything: statuses, lines, and where a stream ends.

use std::time::Duration;

use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::daemon::Daemon;

/// How long an answer may take: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_secs(90);

/// A client with its door.
pub(crate) struct Ollama {
    client: Client,
    url: String,
    token: Option<String>,
}

/// What came back for one message.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The body as it came.
    pub(crate) body: String,
}

impl Ollama {
    pub(crate) fn of(daemon: &Daemon) -> Self {
        Self {
            client: Client::builder().timeout(PATIENCE).no_proxy().build().unwrap(),
            url: daemon.url().to_owned(),
            token: None,
        }
    }

    /// The same with a bearer token.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Says something in a conversation, and hears the streamed answer to its end.
    pub(crate) async fn say(&self, conversation: &str, text: &str) -> Reply {
        Reply::of(self.begin(conversation, text).await).await
    }

    /// Says something in a conversation; the answer is still to be read.
    pub(crate) async fn begin(&self, conversation: &str, text: &str) -> Response {
        let body = json!({"model": "tertulia", "messages": [{"role": "user", "content": text}]});
        self.post("/api/chat", Some(conversation), body.to_string()).await
    }

    /// Asks any route.
    pub(crate) async fn get(&self, route: &str) -> Response {
        let mut request = self.client.get(format!("{}{route}", self.url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        request.send().await.unwrap()
    }

    /// Sends any body to any route.
    pub(crate) async fn post(&self, route: &str, conversation: Option<&str>, body: String) -> Response {
        let mut request = self.client.post(format!("{}{route}", self.url)).body(body);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(conversation) = conversation {
            request = request.header("x-conversation-id", conversation);
        }
        request.send().await.unwrap()
    }
}

impl Reply {
    /// Reads the rest of an answer.
    pub(crate) async fn of(response: Response) -> Self {
        Self {
            status: response.status().as_u16(),
            body: response.text().await.unwrap(),
        }
    }

    /// The lines of the body.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        self.body.lines().map(parse).collect()
    }

    /// The text that was shown.
    pub(crate) fn text(&self) -> String {
        let lines = self.lines();
        lines
            .iter()
            .filter_map(|line| line.pointer("/message/content")?.as_str())
            .collect()
    }

    /// The error in Ollama's form, which must be the last thing said.
    #[track_caller]
    pub(crate) fn error(&self) -> String {
        let lines = self.lines();
        let errors = lines.iter().filter(|line| line.get("error").is_some()).count();
        assert_eq!(errors, 1, "{self:?}");
        let last = lines.last().unwrap();
        assert_eq!(last.as_object().map(serde_json::Map::len), Some(1), "{self:?}");
        last["error"].as_str().unwrap().to_owned()
    }

    /// True if this is a whole answer.
    pub(crate) fn is_whole(&self) -> bool {
        let lines = self.lines();
        self.status == 200 && lines.last().is_some_and(|line| line["done"] == true)
    }
}
