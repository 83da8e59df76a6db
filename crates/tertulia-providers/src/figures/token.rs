//! How long a token is on its way from the network to whoever reads the stream.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::{Delta, ModelRequest};
use tertulia_message::Generation;
use tertulia_ports::Provider;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::table::{Table, Target};
use crate::{OpenAi, OpenAiConfig};

const TOKENS: usize = 400;
const PAUSE: Duration = Duration::from_millis(2);

pub(super) fn measure(table: &mut Table) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let mut times = runtime.block_on(times());
    times.sort();
    let micros = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e6;
    let target = Some(Target::AtMost(1000.0));
    table.add(
        "a token from the network to the reader of the stream",
        micros(50),
        "\u{b5}s",
        target,
    );
    table.add("- 99 of 100 take no longer than", micros(99), "\u{b5}s", target);
}

/// The server writes when it has written, as text; both ends read one clock.
async fn times() -> Vec<Duration> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let start = Instant::now();
    let write = async {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut asked = [0; 8192];
        let _ = connection.read(&mut asked).await.unwrap();
        connection.set_nodelay(true).unwrap();
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        connection.write_all(head).await.unwrap();
        for _ in 0..TOKENS {
            tokio::time::sleep(PAUSE).await;
            let now = start.elapsed().as_nanos();
            let event = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{now}\"}}}}]}}\n\n");
            connection.write_all(event.as_bytes()).await.unwrap();
        }
    };
    let read = async {
        let provider = OpenAi::new(OpenAiConfig::at(base_url)).unwrap();
        let mut stream = provider.stream(request()).await.unwrap();
        let mut times = Vec::new();
        while let Some(Ok(delta)) = stream.next().await {
            if let Delta::Text(written) = delta {
                let now = start.elapsed();
                times.push(now.saturating_sub(Duration::from_nanos(written.parse().unwrap())));
            }
        }
        times
    };
    tokio::join!(write, read).1
}

fn request() -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        system: String::new(),
        messages: vec![ChatMessage::user("Hi")],
        tools: Vec::new(),
        generation: Generation::default(),
    }
}
