//! The chat double over HTTP on loopback: it lives in the test and survives the bot that is killed.

mod answers;
mod cut;
mod routes;
mod weather;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::chat_double::{ChatDouble, Faults, Judge, Rules, Said, Summary};
pub(crate) use cut::{CuttableListener, Wire};
pub(crate) use weather::Weather;

/// A platform for the `loopback` interface. It ends when it is dropped.
///
/// The test speaks to it in its own process; only the bot comes over HTTP. Of the faults that a
/// [`ChatDouble`] plans, an unknown outcome is a connection that is cut before the answer.
pub struct LoopbackServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

/// What handlers and test share.
pub(crate) struct Shared {
    double: ChatDouble,
    weather: Weather,
    since: Instant,
}

impl Shared {
    fn now(&self) -> Duration {
        self.since.elapsed()
    }
}

impl LoopbackServer {
    /// Listens on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// There is no such port.
    pub async fn start(rules: Rules) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            double: ChatDouble::new(rules),
            weather: Weather::default(),
            since: Instant::now(),
        });
        let service = routes::router(Arc::clone(&shared)).into_make_service_with_connect_info::<Wire>();
        let mut tasks = JoinSet::new();
        // serving ends only with the task
        tasks.spawn(async move { drop(axum::serve(CuttableListener::new(listener), service).await) });
        Ok(Self {
            shared,
            address,
            _tasks: tasks,
        })
    }

    /// What stands as `base_url` in the bot's configuration.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The platform itself, for everything that has no shortcut here.
    #[must_use]
    pub fn double(&self) -> &ChatDouble {
        &self.shared.double
    }

    /// The platform's time, from the start of the server.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.shared.now()
    }

    /// A person says something; gives the message's id.
    #[expect(clippy::must_use_candidate, reason = "most tests need no id")]
    pub fn say(&self, said: Said) -> String {
        self.shared.double.say(self.now(), said)
    }

    /// Replaces the plan of faults.
    pub fn plan(&self, faults: Faults) {
        self.shared.double.plan(faults);
    }

    /// The bot was killed and started anew; see [`ChatDouble::bot_restarted`].
    pub fn bot_restarted(&self) {
        self.shared.double.bot_restarted(self.now());
    }

    /// Stops answering: what comes is neither done nor refused, and what is under way stays unanswered.
    pub fn partition(&self) {
        self.shared.weather.partition(true);
    }

    /// Answers again; connections that waited are cut.
    pub fn heal(&self) {
        self.shared.weather.partition(false);
    }

    /// Answers every call with 401, or no longer.
    pub fn lock_out(&self, out: bool) {
        self.shared.weather.lock_out(out);
    }

    /// Does the next calls at once and answers each of them late; updates are not among them.
    pub fn delay(&self, calls: usize, by: Duration) {
        self.shared.weather.delay(calls, by);
    }

    /// Judges the run; see [`ChatDouble::verdict`].
    ///
    /// # Errors
    /// Every broken promise, as a sentence.
    pub fn verdict(&self, judge: &Judge<'_>) -> Result<Summary, Vec<String>> {
        self.shared.double.verdict(judge)
    }
}
