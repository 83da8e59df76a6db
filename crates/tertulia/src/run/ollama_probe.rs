//! Looks for an Ollama on its usual port, without making anybody wait.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::environment::Environment;

/// Where an Ollama usually is.
const USUAL: &str = "127.0.0.1:11434";

/// An Ollama on this machine answers at once, or not at all.
const PATIENCE: Duration = Duration::from_millis(150);

/// The longest answer that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// The address of an Ollama and the first model that it lists.
///
/// `OLLAMA_HOST` says where it is, as it does to Ollama's own programs; our own address is nobody else's.
pub(super) async fn first_model(environment: &Environment, own: Option<SocketAddr>) -> Option<(SocketAddr, String)> {
    let address = address(environment.get("OLLAMA_HOST"))?;
    if own == Some(address) {
        return None;
    }
    let listed = tokio::time::timeout(PATIENCE, list(address)).await.ok()?.ok()?;
    Some((address, model(&listed)?))
}

/// Only an address counts, since looking up a name may take long.
pub(super) fn address(configured: Option<&str>) -> Option<SocketAddr> {
    let text = configured.unwrap_or(USUAL).trim();
    let text = text.strip_prefix("http://").unwrap_or(text).trim_end_matches('/');
    let ip = || Some(SocketAddr::new(text.parse().ok()?, 11434));
    let mut address: SocketAddr = text.replace("localhost", "127.0.0.1").parse().ok().or_else(ip)?;
    if address.ip().is_unspecified() {
        address.set_ip([127, 0, 0, 1].into());
    }
    Some(address)
}

/// HTTP/1.0 by hand: the answer ends with the connection, and no client has to be built for it.
async fn list(address: SocketAddr) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /api/tags HTTP/1.0\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer).await?;
    Ok(answer)
}

fn model(answer: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(answer).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    if head.lines().next()?.split(' ').nth(1) != Some("200") {
        return None;
    }
    let listed: Value = serde_json::from_str(body).ok()?;
    let name = listed.get("models")?.get(0)?.get("name")?.as_str()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_as_ollama_reads_it() {
        let check =
            |text, expected: Option<&str>| assert_eq!(address(text), expected.map(|text| text.parse().unwrap()));
        check(None, Some("127.0.0.1:11434"));
        check(Some("0.0.0.0"), Some("127.0.0.1:11434"));
        check(Some("http://127.0.0.1:80/"), Some("127.0.0.1:80"));
        check(Some("localhost:80"), Some("127.0.0.1:80"));
        check(Some("ollama.example"), None);
    }

    #[test]
    fn only_a_list_of_models_is_an_answer() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(model(text.as_bytes()).as_deref(), expected, "{text}");
        check(
            "HTTP/1.1 200 OK\r\na: b\r\n\r\n{\"models\":[{\"name\":\"m:latest\"},{\"name\":\"n\"}]}",
            Some("m:latest"),
        );
        check("HTTP/1.1 200 OK\r\n\r\n{\"models\":[]}", None);
        check("HTTP/1.1 404 Not Found\r\n\r\n{\"models\":[{\"name\":\"m\"}]}", None);
        check("SSH-2.0", None);
    }
}
