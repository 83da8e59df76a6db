//! A plain gateway client for the tests.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tertulia_testkit::discord_double::DiscordDouble;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::PATIENCE;

/// Guilds, messages, private messages, reactions, and what messages say.
pub(crate) const ALL: u64 = 1 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 13 | 1 << 15;

pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

/// What the gateway sends.
#[derive(Debug)]
pub(crate) enum Heard {
    Payload(Value),
    /// The connection is closed, with this code.
    Closed(Option<u16>),
}

impl Socket {
    /// Connects and takes HELLO.
    pub(crate) async fn open(url: &str) -> Self {
        let mut socket = Self::bare(&format!("{url}/?v=10&encoding=json")).await;
        assert_eq!(socket.payload().await["op"], 10);
        socket
    }

    pub(crate) async fn bare(url: &str) -> Self {
        Self(connect_async(url).await.unwrap().0)
    }

    pub(crate) async fn hear(&mut self) -> Heard {
        let message = tokio::time::timeout(PATIENCE, self.0.next())
            .await
            .expect("something is said");
        match message {
            Some(Ok(Message::Text(text))) => Heard::Payload(serde_json::from_str(&text).unwrap()),
            Some(Ok(Message::Close(frame))) => Heard::Closed(frame.map(|frame| frame.code.into())),
            Some(Ok(other)) => panic!("{other:?}"),
            Some(Err(_)) | None => Heard::Closed(None),
        }
    }

    pub(crate) async fn raw(&mut self) -> Message {
        self.0.next().await.unwrap().unwrap()
    }

    pub(crate) async fn payload(&mut self) -> Value {
        match self.hear().await {
            Heard::Payload(payload) => payload,
            Heard::Closed(code) => panic!("closed with {code:?}"),
        }
    }

    pub(crate) async fn closed(&mut self) -> Option<u16> {
        loop {
            if let Heard::Closed(code) = self.hear().await {
                return code;
            }
        }
    }

    pub(crate) async fn say(&mut self, payload: Value) {
        self.text(&payload.to_string()).await;
    }

    pub(crate) async fn text(&mut self, text: &str) {
        self.0.send(Message::Text(text.to_owned())).await.unwrap();
    }

    pub(crate) async fn bye(&mut self, code: u16) {
        let frame = CloseFrame {
            code: code.into(),
            reason: "".into(),
        };
        self.0.send(Message::Close(Some(frame))).await.unwrap();
        self.closed().await;
    }

    pub(crate) async fn identify(&mut self, double: &DiscordDouble, intents: u64) {
        self.say(identify(double, intents)).await;
    }

    pub(crate) async fn resume(&mut self, double: &DiscordDouble, session: &str, seq: u64) {
        let body = json!({"token": double.token(), "session_id": session, "seq": seq});
        self.say(json!({"op": 6, "d": body})).await;
    }

    /// The next event; it must be of this name.
    pub(crate) async fn event(&mut self, name: &str) -> Value {
        let payload = self.payload().await;
        assert_eq!(payload["t"], name, "{payload}");
        payload
    }
}

pub(crate) fn identify(double: &DiscordDouble, intents: u64) -> Value {
    let properties = json!({"os": "linux", "browser": "test", "device": "test"});
    json!({"op": 2, "d": {"token": double.token(), "intents": intents, "properties": properties}})
}

/// A session that has been told of all guilds; gives its id.
pub(crate) async fn session(double: &DiscordDouble, intents: u64) -> (Socket, String) {
    let mut socket = Socket::open(&double.gateway_url()).await;
    socket.identify(double, intents).await;
    let ready = socket.event("READY").await;
    for _ in ready["d"]["guilds"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|_| intents & 1 != 0)
    {
        socket.event("GUILD_CREATE").await;
    }
    (socket, ready["d"]["session_id"].as_str().unwrap().to_owned())
}
