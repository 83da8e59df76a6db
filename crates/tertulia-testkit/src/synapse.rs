//! A real Matrix server on loopback, for as long as its owner lives.
//!
//! ```no_run
//! # async fn example() -> Result<(), tertulia_testkit::matrix_tools::ToolError> {
//! use tertulia_testkit::matrix_tools::MatrixTools;
//! use tertulia_testkit::synapse::{Settings, Synapse};
//!
//! let Some(tools) = MatrixTools::find_for("example") else { return Ok(()) };
//! let server = Synapse::start(&tools, &Settings::default()).await?;
//! let bot = server.account("bot").await?;
//! // point the bot at server.url() with bot.access_token, then:
//! server.kill().await?;
//! server.start_again().await?;
//! # Ok(())
//! # }
//! ```
//!
//! It takes two seconds to start and 120 MiB, so whole suites share one; names of accounts must then be their own per test.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::matrix_tools::{MatrixTools, Tool, ToolError, text};

/// How the server differs from one that limits nobody and caches nothing.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Synapse's own rate limits: ten messages at once, then one in five seconds, and five logins, then one in five minutes.
    pub limits: bool,
    /// An identical sync is answered from a cache for two minutes, as on every real server.
    pub sync_cache: bool,
    /// Any other settings of Synapse.
    pub others: Vec<(String, Value)>,
}

/// An account, with a device that is logged in.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Account {
    /// E.g. `@anna:localhost`.
    pub user_id: String,
    /// The device of the token.
    pub device_id: String,
    /// The token.
    pub access_token: String,
    /// The password, for logins of their own.
    pub password: String,
}

/// The server. Address, accounts and rooms stay the same over stops and kills; all is gone when this is dropped.
#[derive(Debug)]
pub struct Synapse {
    tool: Tool,
    url: String,
}

impl Synapse {
    /// Starts a server with nothing in it, and waits until it answers.
    ///
    /// # Errors
    ///
    /// If it does not start; its last words are in the error.
    pub async fn start(tools: &MatrixTools, settings: &Settings) -> Result<Self, ToolError> {
        let tool = tools.start("synapse.py", &arguments(settings))?;
        let place = tool.first().await?;
        let url = text(&place, "url")?;
        Ok(Self { tool, url })
    }

    /// Its address, e.g. `http://127.0.0.1:4711`. Its name is `localhost`, which leads nowhere.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A new account: small letters, digits and `._=-/`.
    ///
    /// # Errors
    ///
    /// If there is one of that name.
    pub async fn account(&self, name: &str) -> Result<Account, ToolError> {
        let made = self.tool.order("account", json!({"name": name})).await?;
        serde_json::from_value(made.clone()).map_err(|_| ToolError::Odd(made))
    }

    /// A call of its API with the token of a server's admin: `{"status", "body"}`, also of a refusal.
    ///
    /// # Errors
    ///
    /// If the server does not run.
    pub async fn admin_call(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, ToolError> {
        let call = json!({"method": method, "path": path, "body": body});
        self.tool.order("call", call).await
    }

    /// Limits one account alone, to so many messages in a second after a burst; zeros free it of every limit.
    ///
    /// # Errors
    ///
    /// If the server does not run.
    pub async fn limit(&self, user_id: &str, per_second: u32, burst: u32) -> Result<(), ToolError> {
        let path = format!("/_synapse/admin/v1/users/{user_id}/override_ratelimit");
        let limit = json!({"messages_per_second": per_second, "burst_count": burst});
        let answer = self.admin_call("POST", &path, Some(limit)).await?;
        succeeded(answer)
    }

    /// Makes every token of an account invalid, for ever.
    ///
    /// # Errors
    ///
    /// If the server does not run, or knows no such account.
    pub async fn deactivate(&self, user_id: &str) -> Result<(), ToolError> {
        let path = format!("/_synapse/admin/v1/deactivate/{user_id}");
        let answer = self.admin_call("POST", &path, Some(json!({}))).await?;
        succeeded(answer)
    }

    /// Stops it as its service would.
    ///
    /// # Errors
    ///
    /// If its program is gone.
    pub async fn stop(&self) -> Result<(), ToolError> {
        self.tool.order("stop", json!({})).await.map(drop)
    }

    /// Kills it.
    ///
    /// # Errors
    ///
    /// If its program is gone.
    pub async fn kill(&self) -> Result<(), ToolError> {
        self.tool.order("kill", json!({})).await.map(drop)
    }

    /// Starts it again after a stop or a kill, on the same address, and waits until it answers.
    ///
    /// # Errors
    ///
    /// If it does not start.
    pub async fn start_again(&self) -> Result<(), ToolError> {
        self.tool.order("start", json!({})).await.map(drop)
    }

    /// Restarts it with some of Synapse's settings changed from now on.
    ///
    /// # Errors
    ///
    /// If it does not start with them.
    pub async fn restart_with(&self, settings: Value) -> Result<(), ToolError> {
        self.tool.order("restart", json!({"set": settings})).await.map(drop)
    }

    /// Lets it accept connections and say nothing, until [`Synapse::thaw`].
    ///
    /// # Errors
    ///
    /// If it does not run.
    pub async fn freeze(&self) -> Result<(), ToolError> {
        self.tool.order("freeze", json!({})).await.map(drop)
    }

    /// Lets it go on.
    ///
    /// # Errors
    ///
    /// If it does not run.
    pub async fn thaw(&self) -> Result<(), ToolError> {
        self.tool.order("thaw", json!({})).await.map(drop)
    }

    /// Stops it for good, and waits until its data are removed. Dropping does the same without waiting.
    ///
    /// # Errors
    ///
    /// If it does not end.
    pub async fn end(self) -> Result<(), ToolError> {
        self.tool.end().await
    }
}

fn arguments(settings: &Settings) -> Vec<String> {
    let switches = [(settings.limits, "--limits"), (settings.sync_cache, "--sync-cache")];
    let switches = switches.into_iter().filter(|(on, _)| *on);
    let others = settings
        .others
        .iter()
        .map(|(key, value)| format!("--set={key}={value}"));
    switches.map(|(_, switch)| switch.to_owned()).chain(others).collect()
}

fn succeeded(answer: Value) -> Result<(), ToolError> {
    match answer.get("status").and_then(Value::as_u64) {
        Some(200) => Ok(()),
        _ => Err(ToolError::Odd(answer)),
    }
}
