//! `tertulia chat`: a terminal, or a pipe, that talks to the running daemon.

mod answer;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use crate::config;
use crate::failure::{Failure, chain};
use crate::terminal::harmless;
use answer::{Answer, Screen};

/// How to reach the daemon, and which conversation to keep.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The name under which the daemon remembers this conversation
    #[arg(long, value_name = "NAME", default_value = "terminal")]
    conversation: String,
    /// Where the daemon is
    #[arg(long, default_value = "http://127.0.0.1:11435")]
    url: String,
    /// A file with the daemon's token, if it wants one
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

/// Talks until the input ends.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let daemon = Daemon::new(options)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::broken(format!("the runtime could not be started: {error}")))?;
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut lines = io::stdin().lock().lines();
    loop {
        if is_terminal {
            write(b"> ")?;
        }
        let Some(line) = lines.next() else { return Ok(()) };
        let line = line.map_err(|error| Failure::invalid(format!("the input cannot be read: {error}")))?;
        match line.trim() {
            "" => {}
            "/quit" => return Ok(()),
            said => {
                match runtime.block_on(daemon.ask(said)) {
                    // somebody is there who can decide what to do about it
                    Err(failure) if is_terminal => {
                        let _ = writeln!(io::stderr().lock(), "{}", harmless(&failure.to_string()));
                    }
                    answered => answered?,
                }
            }
        }
    }
}

/// The daemon, as far as a client can see it.
struct Daemon {
    client: Client,
    url: Url,
    conversation: HeaderValue,
    authorization: Option<HeaderValue>,
}

impl Daemon {
    fn new(options: &Options) -> Result<Self, Failure> {
        let wrong = || {
            Failure::invalid(format!(
                "--url must be an address such as http://127.0.0.1:11435, not {:?}",
                options.url
            ))
        };
        let base = Url::parse(&options.url).map_err(|_| wrong())?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(wrong());
        }
        let url = base.join("/api/chat").map_err(|_| wrong())?;
        let conversation = HeaderValue::from_bytes(options.conversation.as_bytes())
            .ok()
            .filter(|name| !name.is_empty())
            .ok_or_else(|| Failure::invalid("--conversation must be a name without line breaks"))?;
        let token = options.token_file.as_ref().map(|file| {
            let token = config::read_file(file);
            token.map_err(|problem| Failure::invalid(format!("--token-file names {}, {problem}", file.display())))
        });
        let client = Client::builder().no_proxy().build();
        Ok(Self {
            client: client.map_err(|error| Failure::broken(chain(&error)))?,
            url,
            conversation,
            authorization: token.transpose()?.as_ref().map(bearer).transpose()?,
        })
    }

    /// Says one thing, and shows the answer while it comes.
    async fn ask(&self, said: &str) -> Result<(), Failure> {
        let response = self
            .request(said)
            .send()
            .await
            .map_err(|error| self.unreachable(error))?;
        if response.status() == StatusCode::UNAUTHORIZED {
            return Err(Failure::invalid(
                "the daemon wants another token: give it with --token-file",
            ));
        }
        let mut answer = Answer::new(Screen::of_process());
        let shown = show(response, &mut answer).await;
        if answer.has_shown() || shown.is_ok() {
            write(b"\n")?;
        }
        shown
    }

    fn request(&self, said: &str) -> RequestBuilder {
        let body = json!({"model": "tertulia", "stream": true, "messages": [{"role": "user", "content": said}]});
        let request = self
            .client
            .post(self.url.clone())
            .header("x-conversation-id", self.conversation.clone());
        let request = match &self.authorization {
            Some(authorization) => request.header(AUTHORIZATION, authorization.clone()),
            None => request,
        };
        request.json(&body)
    }

    fn unreachable(&self, error: reqwest::Error) -> Failure {
        let at = self.url.origin().ascii_serialization();
        if error.is_connect() {
            Failure::broken(format!(
                "no daemon answers at {at}: start one with `tertulia run`, or say --url"
            ))
        } else {
            let reason = chain(&error.without_url());
            Failure::broken(format!("what is at {at} did not answer as a daemon does: {reason}"))
        }
    }
}

/// Shows an answer while it comes.
async fn show(mut response: Response, answer: &mut Answer) -> Result<(), Failure> {
    loop {
        match response.chunk().await {
            Ok(Some(bytes)) => answer.read(&bytes)?,
            Ok(None) => return answer.end(),
            Err(error) => {
                let reason = chain(&error.without_url());
                return Err(Failure::broken(format!(
                    "the connection to the daemon broke off: {reason}"
                )));
            }
        }
    }
}

fn bearer(token: &SecretString) -> Result<HeaderValue, Failure> {
    // a file may hold several tokens, one a line: any of them will do
    let first = token.expose_secret().lines().next().unwrap_or_default().trim();
    let mut value = HeaderValue::try_from(format!("Bearer {first}"))
        .map_err(|_| Failure::invalid("--token-file holds no token that could be sent"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    written.map_err(|error| Failure::broken(format!("standard output is closed: {error}")))
}
