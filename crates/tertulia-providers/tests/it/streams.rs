//! Answers of the double, and what happens when nobody wants them any more.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::{CallDelta, Delta, Stop, Usage};
use tertulia_message::ToolOffer;
use tertulia_ports::Provider;
use tertulia_testkit::model_double::{Cost, Ending, ModelDouble, Script, Speech};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::asking::{accept_question, ask, provider_at, question, request};

#[tokio::test]
async fn a_whole_answer_with_everything() {
    let double = ModelDouble::start().await.unwrap();
    let provider = provider_at(double.base_url());
    double.push(Script::Say(Speech {
        thinking: "Hm.".into(),
        text: "Grüße 😀 an alle".into(),
        pieces: 5,
        cost: Cost {
            prompt: 3,
            completion: 5,
        },
        ..Speech::default()
    }));
    let answer = ask(&provider, question()).await;
    assert_eq!(
        (answer.text.as_str(), answer.thinking.as_str()),
        ("Grüße 😀 an alle", "Hm.")
    );
    assert_eq!(
        (answer.stop, answer.usage),
        (
            Some(Stop::Done),
            Usage {
                tokens_in: Some(3),
                tokens_out: Some(5),
                ..Usage::default()
            }
        )
    );
    let seen = double.requests();
    assert_eq!(seen[0]["stream_options"], json!({"include_usage": true}));
    assert_eq!(seen[0]["messages"], json!([{"role": "user", "content": "Hi"}]));
    assert_eq!(double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn calls_come_back_under_the_tools_own_names() {
    let double = ModelDouble::start().await.unwrap();
    let provider = provider_at(double.base_url());
    double.push(Script::calls([
        ("a", "dir_list", "{\"path\": \"/\"}"),
        ("b", "now", "{}"),
    ]));
    let offer = |name: &str| ToolOffer {
        name: name.into(),
        description: String::new(),
        parameters: Value::Null,
    };
    let mut asked = request(vec![ChatMessage::user("Hi")]);
    asked.tools = vec![offer("dir.list"), offer("now")];
    let answer = ask(&provider, asked).await;
    let call = |index, id: &str, name: &str, arguments: &str| CallDelta {
        index,
        id: Some(id.into()),
        name: Some(name.into()),
        arguments: arguments.into(),
    };
    assert_eq!(
        answer.calls,
        [call(0, "a", "dir.list", "{\"path\": \"/\"}"), call(1, "b", "now", "{}")]
    );
    assert_eq!(answer.stop, Some(Stop::ToolCalls));
    assert_eq!(double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn the_end_mark_ends_a_stream_that_stays_open() {
    let double = ModelDouble::start().await.unwrap();
    double.push(Script::OpenAfterDone("done".into()));
    let answer = ask(&provider_at(double.base_url()), question()).await;
    assert_eq!((answer.text.as_str(), answer.stop), ("done", Some(Stop::Done)));
    assert!(double.until(|calls| calls[0].ending == Ending::Disconnected).await);
}

#[tokio::test]
async fn a_dropped_stream_closes_the_connection() {
    let double = ModelDouble::start().await.unwrap();
    let provider = provider_at(double.base_url());
    for script in [
        Script::SilentAtOnce,
        Script::SilentAfter(3),
        Script::Endless(Duration::from_millis(1)),
    ] {
        double.push(script);
        let mut stream = provider.stream(question()).await.unwrap();
        let last = double.calls().len() - 1;
        assert_eq!(double.calls()[last].ending, Ending::Open);
        if last > 0 {
            assert!(matches!(stream.next().await, Some(Ok(_))));
        }
        drop(stream);
        assert!(double.until(|calls| calls[last].ending == Ending::Disconnected).await);
    }
}

#[tokio::test]
async fn bytes_without_content_are_a_sign_of_life() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let provider = provider_at(format!("http://{}/v1", listener.local_addr().unwrap()));
    let open = async {
        let (mut connection, _) = accept_question(&listener).await;
        connection
            .write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
            .await
            .unwrap();
        connection
    };
    let (stream, mut connection) = tokio::join!(provider.stream(question()), open);
    let mut stream = stream.unwrap();
    for sign in [": ping\n", "\n", "data: {\"choices\":[]}\n\n", "dat"] {
        connection.write_all(sign.as_bytes()).await.unwrap();
        assert_eq!(stream.next().await, Some(Ok(Delta::Alive)), "{sign:?}");
    }
    let end = "a: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    connection.write_all(end.as_bytes()).await.unwrap();
    assert_eq!(stream.next().await, Some(Ok(Delta::End(Stop::Done))));
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn a_question_that_is_given_up_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let provider = provider_at(format!("http://{}/v1", listener.local_addr().unwrap()));
    let mut asking = provider.stream(question());
    let mut connection = tokio::select! {
        _ = &mut asking => panic!("nothing answers"),
        accepted = listener.accept() => accepted.unwrap().0,
    };
    drop(asking);
    let mut rest = Vec::new();
    connection.read_to_end(&mut rest).await.unwrap();
}
