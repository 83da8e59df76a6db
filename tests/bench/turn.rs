//! What one turn costs beside the provider's own time, through the Ollama door with a remembered conversation.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use reqwest::{Client, RequestBuilder};
use serde_json::json;
use tertulia_testkit::model_double::ModelDouble;

use crate::daemon::Daemon;
use crate::machine::{Place, fsync, median, millis};
use crate::table::{Table, Target};

const CONVERSATIONS: usize = 20;
const TURNS: usize = 10;
/// What a turn may cost beside the fsyncs, in milliseconds.
const OWN: f64 = 5.0;
/// At most two before the provider is asked, and one before the end mark.
const FSYNCS: f64 = 3.0;

/// A message in a conversation that is remembered.
pub(crate) fn question(client: &Client, url: &str, conversation: &str) -> RequestBuilder {
    let body = json!({"model": "tertulia", "messages": [{"role": "user", "content": "hello"}]});
    client
        .post(format!("{url}/api/chat"))
        .header("X-Conversation-Id", conversation)
        .body(body.to_string())
}

/// Measures with the state in one place: with the demo, and with a server on loopback that answers at once.
pub(crate) async fn measure(place: &Place, table: &mut Table) -> Result<()> {
    let client = Client::builder().no_proxy().build()?;
    let double = ModelDouble::start().await?;
    let demo = turns(&client, place, "kind = \"demo\"", None).await?;
    let provider = format!(
        "kind = \"openai\"\nmodel = \"{}\"\nbase_url = \"{}\"",
        ModelDouble::MODEL,
        double.base_url()
    );
    let served = turns(&client, place, &provider, Some(&double)).await?;
    let on = place.name;
    let target = |turns: &Turns| Some(Target::AtMost(FSYNCS.mul_add(millis(turns.fsync), OWN)));
    table.add(format!("fsync of 4 KiB on {on}"), millis(demo.fsync), "ms", None);
    let what = format!("turn with the demo, state on {on}");
    table.add(what, millis(demo.own), "ms", target(&demo));
    let what = format!("turn with a server, without its own time, state on {on}");
    table.add(what, millis(served.own), "ms", target(&served));
    Ok(())
}

/// Medians.
struct Turns {
    /// From the request to the end mark, without what the server takes when it is asked directly.
    own: Duration,
    fsync: Duration,
}

async fn turns(client: &Client, place: &Place, provider: &str, server: Option<&ModelDouble>) -> Result<Turns> {
    let config = format!("[providers.p]\n{provider}\n[store]\ndirectory = \"state\"\n");
    let mut daemon = Daemon::start(&place.folder, Some(&config))?;
    let url = daemon.url().await?;
    let mut times = Vec::new();
    for nth in 0..CONVERSATIONS * TURNS {
        let alone = match server {
            Some(server) => ask_directly(client, server).await?,
            None => Duration::ZERO,
        };
        let conversation = (nth % CONVERSATIONS).to_string();
        let begun = Instant::now();
        let answer = question(client, &url, &conversation).send().await?;
        let answer = answer.error_for_status()?.text().await?;
        times.push(begun.elapsed().saturating_sub(alone));
        ensure!(answer.contains("\"done\":true"), "no end mark: {answer}");
        ensure!(!answer.contains("\"error\""), "{answer}");
    }
    Ok(Turns {
        own: median(times)?,
        fsync: fsync(daemon.folder())?,
    })
}

/// How long the server takes without a bot between.
async fn ask_directly(client: &Client, double: &ModelDouble) -> Result<Duration> {
    let body = json!({"model": ModelDouble::MODEL, "stream": true,
        "messages": [{"role": "user", "content": "hello"}]});
    let begun = Instant::now();
    let url = format!("{}/chat/completions", double.base_url());
    let answer = client.post(url).json(&body).send().await?;
    let answer = answer.error_for_status()?.text().await?;
    ensure!(answer.contains("[DONE]"), "no end mark: {answer}");
    Ok(begun.elapsed())
}
