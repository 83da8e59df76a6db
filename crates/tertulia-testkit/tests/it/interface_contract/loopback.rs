//! What can only go wrong over a real socket.

use std::sync::Arc;
use std::time::Duration;

use tertulia_interface::{Inlet, Interface, ListenError};
use tertulia_loopback::{Config, Loopback};
use tertulia_message::{Act, DeliverError, Markup, Outbound, Post, ReplyRef};
use tertulia_testkit::chat_double::{CallKind, Fault, Faults, Judge, Kind, Rules, Said};
use tertulia_testkit::interface_contract::{Mood, Recorder};
use tertulia_testkit::loopback_server::LoopbackServer;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const PATIENCE: Duration = Duration::from_secs(20);

async fn server() -> LoopbackServer {
    LoopbackServer::start(Rules::of(Kind::Findable))
        .await
        .expect("a free port on loopback")
}

fn client(base_url: String) -> Arc<Loopback> {
    let mut config = Config::at(base_url);
    config.deadline_ms = 300;
    Arc::new(Loopback::new("loopback", &config).expect("a good address"))
}

fn answer(re: &str) -> Outbound {
    Outbound {
        path: "loopback/a".parse().expect("a path"),
        key: "k".into(),
        re: Some(ReplyRef {
            id: re.into(),
            token: None,
        }),
        act: Act::Post(Post::of(Markup::text("one"))),
        files: Vec::new(),
    }
}

fn listen(client: &Arc<Loopback>, recorder: &Arc<Recorder>) -> JoinSet<Result<(), ListenError>> {
    let (client, inlet) = (Arc::clone(client), Inlet::new(Arc::clone(recorder) as _));
    let mut task = JoinSet::new();
    task.spawn(async move { client.listen(inlet, CancellationToken::new()).await });
    task
}

async fn eventually(holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait)
        .await
        .expect("it never came to this");
}

fn bot_posts(server: &LoopbackServer) -> usize {
    let shown = server.double().transcript("a", None);
    shown.iter().filter(|(author, _)| author.is_none()).count()
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_of_unknown_outcome_and_can_be_found() {
    let server = server().await;
    let client = client(server.base_url());
    let question = server.say(Said::direct("a", "p", "hello"));
    server.delay(1, PATIENCE);
    let unsure = client.deliver(&answer(&question)).await;
    assert!(matches!(unsure, Err(DeliverError::Unsure(_))), "{unsure:?}");
    assert!(matches!(
        client.find(&answer(&question)).await,
        tertulia_message::Found::Found(_)
    ));
    assert_eq!(server.verdict(&Judge::lenient("(resent)", &[])).unwrap().answered, 1);
}

#[tokio::test]
async fn a_connection_is_really_cut_after_the_post() {
    let server = server().await;
    let client = client(server.base_url());
    let question = server.say(Said::direct("a", "p", "hello"));
    server.plan(Faults::none().next(CallKind::Post, Fault::UnsureExecuted));
    let unsure = client.deliver(&answer(&question)).await;
    assert_eq!(unsure, Err(DeliverError::Unsure("the connection broke".into())));
    assert_eq!(server.double().transcript("a", None).len(), 2);
    client.deliver(&answer(&question)).await.unwrap();
    assert!(
        server.verdict(&Judge::lenient("(resent)", &[])).is_err(),
        "the judge sees the double"
    );
}

#[tokio::test]
async fn a_partition_executes_nothing_and_loses_nothing() {
    let server = server().await;
    let client = client(server.base_url());
    let recorder = Arc::new(Recorder::new(Mood::Take));
    let _task = listen(&client, &recorder);
    let question = server.say(Said::direct("a", "p", "before"));
    eventually(|| recorder.events().len() == 1).await;
    server.partition();
    server.say(Said::direct("a", "p", "meanwhile"));
    let unsure = client.deliver(&answer(&question)).await;
    assert!(matches!(unsure, Err(DeliverError::Unsure(_))), "{unsure:?}");
    assert_eq!(recorder.events().len(), 1);
    assert_eq!(bot_posts(&server), 0);
    server.heal();
    eventually(|| recorder.events().len() == 2).await;
    assert_eq!(
        bot_posts(&server),
        0,
        "what waited in the partition is not done afterwards"
    );
    client.deliver(&answer(&question)).await.unwrap();
    assert_eq!(bot_posts(&server), 1);
}

#[tokio::test]
async fn a_platform_that_is_not_there_got_nothing() {
    let server = server().await;
    let base_url = server.base_url();
    drop(server);
    let with_password = base_url.replace("http://", "http://bot:canary@");
    let lost = client(with_password).deliver(&answer("1")).await;
    assert!(matches!(lost, Err(DeliverError::Lost(_))), "{lost:?}");
    assert!(!format!("{lost:?}").contains("canary"));
}

#[tokio::test]
async fn a_platform_that_does_not_know_us_ends_listening() {
    let server = server().await;
    let client = client(server.base_url());
    let recorder = Arc::new(Recorder::new(Mood::Take));
    server.say(Said::direct("a", "p", "hello"));
    let mut task = listen(&client, &recorder);
    eventually(|| recorder.events().len() == 1).await;
    server.lock_out(true);
    server.say(Said::direct("a", "p", "again"));
    let ended = tokio::time::timeout(PATIENCE, task.join_next()).await.expect("it ends");
    assert!(matches!(ended, Some(Ok(Err(ListenError::Refused(_))))), "{ended:?}");
    let refused = client.deliver(&answer("1")).await;
    assert!(matches!(refused, Err(DeliverError::Refused(_))), "{refused:?}");
}

#[tokio::test]
async fn updates_that_come_twice_are_the_same_events() {
    let mut rules = Rules::of(Kind::Blind);
    rules.twice_percent = 100;
    let server = LoopbackServer::start(rules).await.expect("a free port on loopback");
    let client = client(server.base_url());
    let recorder = Arc::new(Recorder::new(Mood::Take));
    for text in ["one", "two"] {
        server.say(Said::direct("a", "p", text));
    }
    let _task = listen(&client, &recorder);
    eventually(|| server.double().confirmed() == 4).await;
    assert_eq!(recorder.events().len(), 2);
}
