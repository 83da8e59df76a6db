//! The gateway's side of a WebSocket: reads, writes, and keeps the deadlines.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use super::Shared;
use super::hub::{Connection, Order, Step};

const ORDERS: usize = 64;
/// For how long the answer to a close frame is awaited.
const FAREWELL: Duration = Duration::from_secs(2);

/// Accepts connections for ever.
pub(super) async fn serve(shared: Arc<Shared>, listener: TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if let Ok((stream, _)) = listener.accept().await {
            connections.spawn(connection(Arc::clone(&shared), stream));
        }
    }
}

async fn connection(shared: Arc<Shared>, stream: TcpStream) {
    if shared.weather.outlast_partition().await {
        return;
    }
    let (mut path, mut query) = (String::new(), String::new());
    #[expect(clippy::result_large_err, reason = "the library gives the type")]
    let read = |request: &Request, response: Response| {
        request.uri().path().clone_into(&mut path);
        request.uri().query().unwrap_or_default().clone_into(&mut query);
        Ok(response)
    };
    let Ok(socket) = tokio_tungstenite::accept_hdr_async(stream, read).await else {
        return;
    };
    let (orders, mut ordered) = mpsc::channel(ORDERS);
    let (connection, steps) = {
        let mut world = shared.world();
        let id = world.hub.connect(orders);
        let connection = Connection::new(id, path.starts_with("/resume"), world.at);
        let steps = world.hello(&connection, &query);
        (connection, steps)
    };
    let id = connection.id;
    let mut line = Line {
        shared: Arc::clone(&shared),
        socket,
        connection,
    };
    let code = line.talk(steps, &mut ordered).await;
    let mut world = shared.world();
    let at = world.at;
    world.hub.disconnect(at, id, code);
}

/// One connection.
struct Line {
    shared: Arc<Shared>,
    socket: WebSocketStream<TcpStream>,
    connection: Connection,
}

/// How a connection ends: with the code that the bot gave, if it gave one.
type End = Option<u16>;

impl Line {
    async fn talk(&mut self, mut steps: Vec<Step>, ordered: &mut mpsc::Receiver<Order>) -> End {
        let shared = Arc::clone(&self.shared);
        loop {
            for step in std::mem::take(&mut steps) {
                if let Err(end) = self.step(step).await {
                    return end;
                }
            }
            let arrival = shared.arrivals.notified();
            tokio::pin!(arrival);
            arrival.as_mut().enable();
            match self.news() {
                None => return None,
                Some(news) => {
                    for event in news {
                        if let Err(end) = self.step(Step::Send(event)).await {
                            return end;
                        }
                    }
                }
            }
            let deadline = self.deadline();
            tokio::select! {
                () = shared.weather.partition_begins() => {
                    shared.weather.outlast_partition().await;
                    return None;
                }
                Some(order) = ordered.recv() => steps = shared.world().obey(order, self.connection.id),
                () = arrival => {}
                () = tokio::time::sleep(deadline) => {
                    if self.deadline().is_zero() {
                        steps = shared.world().close(self.connection.id, 4009);
                    }
                }
                message = self.socket.next() => match message {
                    Some(Ok(Message::Text(text))) => {
                        steps = shared.world().receive(&mut self.connection, &text);
                    }
                    Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code.into()),
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return None,
                },
            }
        }
    }

    /// Events for the session; nothing if it has gone elsewhere.
    fn news(&self) -> Option<Vec<String>> {
        let Some(session) = &self.connection.session else {
            return Some(Vec::new());
        };
        self.shared.world().hub.drain(self.connection.id, session)
    }

    /// How long the bot still has for its heartbeat.
    fn deadline(&self) -> Duration {
        let world = self.shared.world();
        world.beat_deadline(&self.connection).saturating_sub(world.at)
    }

    async fn step(&mut self, step: Step) -> Result<(), End> {
        match step {
            Step::Send(text) => {
                let message = if self.connection.compressed {
                    Message::Binary(compressed(&text))
                } else {
                    Message::Text(text)
                };
                self.socket.send(message).await.map_err(|_| None)
            }
            Step::Close(code) => Err(self.close(code).await),
            Step::Drop => Err(None),
            Step::Freeze => Err(self.frozen().await),
        }
    }

    /// Hears nothing and says nothing, until the bot gives up.
    async fn frozen(&mut self) -> End {
        while let Some(Ok(message)) = self.socket.next().await {
            if let Message::Close(frame) = message {
                return frame.map(|frame| frame.code.into());
            }
        }
        None
    }

    /// Says goodbye, and waits a little for the bot to do the same.
    async fn close(&mut self, code: Option<u16>) -> End {
        let frame = code.map(|code| CloseFrame {
            code: code.into(),
            reason: reason(code).into(),
        });
        // a bot that is gone already needs no farewell
        drop(self.socket.send(Message::Close(frame)).await);
        let gone = async { while let Some(Ok(_)) = self.socket.next().await {} };
        drop(tokio::time::timeout(FAREWELL, gone).await);
        None
    }
}

fn compressed(text: &str) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // writing to memory does not fail
    drop(encoder.write_all(text.as_bytes()));
    encoder.finish().unwrap_or_default()
}

/// The words that go with a code.
fn reason(code: u16) -> &'static str {
    match code {
        4000 => "Unknown error.",
        4001 => "Unknown opcode.",
        4002 => "Decode error.",
        4003 => "Not authenticated.",
        4004 => "Authentication failed.",
        4005 => "Already authenticated.",
        4007 => "Invalid seq.",
        4008 => "Rate limited.",
        4009 => "Session timed out.",
        4010 => "Invalid shard.",
        4011 => "Sharding required.",
        4012 => "Invalid API version.",
        4013 => "Invalid intent(s).",
        4014 => "Disallowed intent(s).",
        _ => "",
    }
}
