//! serenity, the client that the bot uses, can talk to the double.

mod calls;
mod certificate;
mod limiter;
mod listening;
mod tunnel;

use serenity::all::{
    Client, ClientBuilder, Context, CreateAllowedMentions, Event, GatewayIntents, Http, HttpBuilder, RawEventHandler,
};
use serenity::async_trait;
use tertulia_testkit::discord_double::DiscordDouble;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::PATIENCE;

fn http(double: &DiscordDouble) -> Http {
    HttpBuilder::new(double.token())
        .proxy(double.base_url())
        .ratelimiter_disabled(true)
        .application_id(double.bot_id().into())
        .default_allowed_mentions(CreateAllowedMentions::new())
        .build()
}

/// Hands every event on; the library does not keep their order.
struct Listener(mpsc::Sender<Event>);

#[async_trait]
impl RawEventHandler for Listener {
    async fn raw_event(&self, _: Context, event: Event) {
        drop(self.0.send(event).await);
    }
}

async fn client(double: &DiscordDouble, intents: GatewayIntents) -> (Client, mpsc::Receiver<Event>) {
    let (sender, events) = mpsc::channel(1000);
    let builder = ClientBuilder::new_with_http(http(double), intents);
    (builder.raw_event_handler(Listener(sender)).await.unwrap(), events)
}

/// A running client; it ends when it is dropped.
struct Running {
    events: mpsc::Receiver<Event>,
    _task: JoinSet<()>,
}

impl Running {
    async fn start(double: &DiscordDouble, intents: GatewayIntents) -> Self {
        let (mut client, events) = client(double, intents).await;
        let mut task = JoinSet::new();
        task.spawn(async move { client.start().await.unwrap() });
        Self { events, _task: task }
    }

    /// The next event that is wanted.
    async fn wanted<T>(&mut self, wanted: impl Fn(Event) -> Option<T>) -> T {
        loop {
            let event = tokio::time::timeout(PATIENCE, self.events.recv()).await;
            if let Some(found) = wanted(event.expect("an event").unwrap()) {
                return found;
            }
        }
    }

    async fn message(&mut self) -> serenity::all::Message {
        let message = |event| match event {
            Event::MessageCreate(created) => Some(created.message),
            _ => None,
        };
        self.wanted(message).await
    }
}
