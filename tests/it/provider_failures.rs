//! A provider that fails in every way it can: one clear message, what was shown stays, and nobody else is harmed.

use std::time::Duration;

use tertulia_testkit::model_double::{Ending, ModelDouble, Script};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::daemon::Daemon;
use crate::ollama::{Ollama, Reply};

/// How often a question is asked before the failure is reported, if nothing was shown yet.
const TRIES: usize = 4;

const BROKEN: &str = "The connection to the language model broke off before its answer was complete.";
const DOWN: &str = "The language model's provider is overloaded or down. Please try again later.";
const UNREACHABLE: &str = "The language model's provider cannot be reached. Please try again later.";

fn daemon(base_url: &str, timeouts: &str) -> Daemon {
    let model = ModelDouble::MODEL;
    Daemon::start(&format!(
        "[providers.double]\nkind = \"openai\"\nmodel = \"{model}\"\nbase_url = \"{base_url}\"\n\
         [providers.double.timeouts]\n{timeouts}\n"
    ))
}

/// Lets one conversation fail while another one's answer is under way, and goes on in both.
async fn fails(script: Script, times: usize, timeouts: &str) -> (Reply, ModelDouble) {
    let double = ModelDouble::start().await.unwrap();
    let daemon = daemon(&double.base_url(), timeouts);
    let ollama = Ollama::of(&daemon);
    // about as long as the failure takes
    let pieces = if times > 1 { 50 } else { 25 };
    let long = "many words ".repeat(pieces);
    double.push(Script::slow_text(&long, pieces, Duration::from_millis(100)));
    let (other, failed) = tokio::join!(ollama.say("other", "tell me much"), async {
        assert!(double.until(|calls| calls.len() == 1).await);
        (0..times).for_each(|_| double.push(script.clone()));
        let failed = ollama.say("failing", "what is the answer?").await;
        assert_eq!(double.scripts_left(), 0, "{script:?}: {failed:?}");
        failed
    });
    assert!(other.is_whole(), "{script:?}: {other:?}");
    assert_eq!(other.text(), long, "{script:?}");
    let next = ollama.say("failing", "and now?").await;
    assert!(next.is_whole(), "{script:?}: {next:?}");
    assert_eq!(next.text(), ModelDouble::DEFAULT_ANSWER, "{script:?}");
    assert_eq!(double.refusals(), Vec::<String>::new(), "{script:?}");
    (failed, double)
}

/// Nothing was shown: the error is the whole body, with a status of its own.
async fn fails_at_once(script: Script, times: usize, timeouts: &str, text: &str) {
    let (failed, double) = fails(script.clone(), times, timeouts).await;
    assert_eq!((failed.status, failed.error().as_str()), (500, text), "{script:?}");
    // the other conversation, the failures, the next question
    assert_eq!(double.requests().len(), 1 + times + 1, "{script:?}");
}

/// Something was shown: it stays, and the error is the last line.
async fn fails_later(script: Script, timeouts: &str, shown: &str, text: &str) {
    let (failed, double) = fails(script.clone(), 1, timeouts).await;
    assert_eq!((failed.status, failed.error().as_str()), (200, text), "{script:?}");
    assert_eq!(failed.text().trim_end(), shown, "{script:?}");
    // what people saw, the model knows: a question that is asked again would contradict it
    let last = double.requests().pop().unwrap();
    assert!(last["messages"].to_string().contains("what is the answer?"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overloaded_provider_is_asked_again_and_then_reported() {
    tokio::join!(
        fails_at_once(Script::status(500), TRIES, "", DOWN),
        fails_at_once(Script::status(503), TRIES, "", DOWN),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_after_is_obeyed() {
    let double = ModelDouble::start().await.unwrap();
    let daemon = daemon(&double.base_url(), "");
    let ollama = Ollama::of(&daemon);
    double.push(Script::rate_limited(2));
    let reply = tokio::join!(ollama.say("limited", "hello"), async {
        assert!(double.until(|calls| calls.len() == 1).await);
        // it must not come before its time; how late it comes is not looked at
        let early = tokio::time::timeout(Duration::from_millis(1500), double.until(|calls| calls.len() == 2));
        assert!(early.await.is_err(), "Retry-After was not obeyed");
    });
    assert_eq!(reply.0.text(), ModelDouble::DEFAULT_ANSWER, "{reply:?}");
    assert_eq!(double.requests().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_is_too_long_is_reported_instead() {
    let text = "The language model's provider asks us to slow down. Please try again later.";
    fails_at_once(Script::rate_limited(3600), 1, "", text).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_ends_at_its_deadline() {
    let first = "The language model did not begin to answer within 2 s. Please try again.";
    let midway = "The language model fell silent for 2 s in the middle of its answer.";
    tokio::join!(
        fails_at_once(Script::SilentAtOnce, 1, "first_byte = 2", first),
        fails_later(Script::SilentAfter(2), "idle = 2", "piece 0 piece 1", midway),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_end_ends_at_its_deadline() {
    let double = ModelDouble::start().await.unwrap();
    let daemon = daemon(&double.base_url(), "total = 2");
    double.push(Script::Endless(Duration::from_millis(50)));
    let failed = Ollama::of(&daemon).say("endless", "hello").await;
    assert_eq!(failed.error(), "The answer was not complete after 2 s.");
    assert!(failed.text().starts_with("again again "), "{failed:?}");
    assert!(
        double
            .until(|calls| calls.iter().all(|call| call.ending == Ending::Disconnected))
            .await
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_cut_keeps_what_was_shown() {
    tokio::join!(
        fails_later(Script::CutAfter(2), "", "piece 0 piece 1", BROKEN),
        fails_later(Script::NoFinish, "", "piece 0", BROKEN),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_an_end_without_answer() {
    tokio::join!(
        fails_later(Script::Garbage, "", "piece 0", BROKEN),
        fails_later(Script::BadUtf8, "", "piece 0", BROKEN),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_stream_at_all_is_reported() {
    tokio::join!(
        fails_at_once(Script::Html, TRIES, "", BROKEN),
        fails_at_once(Script::HugeLine(2 << 20), TRIES, "", BROKEN),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_in_the_stream_is_reported_in_our_words() {
    let script = Script::ErrorInStream {
        code: "server_is_overloaded".to_owned(),
        message: "node gpu-17 of cluster-internal is out of memory".to_owned(),
    };
    fails_later(script, "", "piece 0", DOWN).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_stays_open_after_the_end_does_not_matter() {
    let double = ModelDouble::start().await.unwrap();
    let daemon = daemon(&double.base_url(), "");
    let ollama = Ollama::of(&daemon);
    double.push(Script::OpenAfterDone("All is said.".to_owned()));
    let reply = ollama.say("open", "hello").await;
    assert_eq!(
        (reply.is_whole(), reply.text().as_str()),
        (true, "All is said."),
        "{reply:?}"
    );
    let next = ollama.say("open", "and now?").await;
    assert_eq!(next.text(), ModelDouble::DEFAULT_ANSWER, "{next:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_is_down_is_found_again_when_it_is_back() {
    let double = ModelDouble::start().await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let daemon = daemon(&format!("http://{address}/v1"), "");
    let ollama = Ollama::of(&daemon);
    let failed = ollama.say("lonely", "hello").await;
    assert_eq!((failed.status, failed.error().as_str()), (500, UNREACHABLE));
    let listener = TcpListener::bind(address).await.unwrap();
    let target = double.base_url().replace("http://", "").replace("/v1", "");
    let mut forwarding = JoinSet::new();
    forwarding.spawn(forward(listener, target));
    let next = ollama.say("lonely", "and now?").await;
    assert_eq!(next.text(), ModelDouble::DEFAULT_ANSWER, "{next:?}");
}

/// Hands connections on, one after another.
async fn forward(listener: TcpListener, target: String) {
    while let Ok((mut client, _)) = listener.accept().await {
        let mut server = TcpStream::connect(&target).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_one_object_fails_in_one_object() {
    let double = ModelDouble::start().await.unwrap();
    let daemon = daemon(&double.base_url(), "");
    double.push(Script::CutAfter(2));
    let body = r#"{"model": "tertulia", "stream": false, "messages": [{"role": "user", "content": "hello"}]}"#;
    let response = Ollama::of(&daemon).post("/api/chat", None, body.to_owned()).await;
    let failed = Reply::of(response).await;
    assert_eq!((failed.status, failed.error().as_str()), (500, BROKEN));
}
