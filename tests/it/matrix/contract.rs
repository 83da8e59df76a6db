//! The rows of the contract of interfaces, with the interface as a library and the real server.
//!
//! The suite of the test kit wants a platform that lives in the test and fails at a word. Here a line to the server fails, people
//! are accounts, and what the bot shows is asked of the server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tertulia_interface::{FetchError, Inlet, Interface, ListenError};
use tertulia_matrix::{Config, Invites, Login, Matrix};
use tertulia_message::{Act, DeliverError, FileRef, Found, Inbound, Markup, Outbound, Post, Receipt, Secret, What};
use tertulia_testkit::interface_contract::{Mood, Recorder};
use tertulia_testkit::line::{Line, Snag};
use tertulia_testkit::matrix_person::{Attachment, MatrixPerson, NewRoom};
use tertulia_testkit::matrix_tools::MatrixTools;
use tertulia_testkit::synapse::Account;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::scene::{PlainPerson, Someone, named, shared, unique};

/// How long anything may take: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_mins(1);
const SEND: &str = "/send/m.room.message/";
/// A picture of one dot.
const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A server, a person in a room with the bot, and the bot's memory.
struct Stage {
    line: Line,
    anna: PlainPerson,
    bot: Account,
    room: String,
    folder: TempDir,
    recorder: Arc<Recorder>,
}

/// An interface that listens.
struct Listening {
    interface: Arc<dyn Interface>,
    stop: CancellationToken,
    task: JoinSet<Result<(), ListenError>>,
}

impl Stage {
    async fn start() -> Option<(Self, Listening)> {
        let thread = std::thread::current();
        let tools = MatrixTools::find_for(thread.name().unwrap_or_default())?;
        let (server, number) = (shared(&tools).await, unique());
        let account = async |name| server.account(&named(name, number)).await.unwrap();
        let mut stage = Self {
            line: Line::to(server.url()).await.unwrap(),
            anna: PlainPerson::new(server.url(), account("anna").await),
            bot: account("bot").await,
            room: String::new(),
            folder: tempfile::tempdir_in(memory()).unwrap(),
            recorder: Arc::new(Recorder::new(Mood::Take)),
        };
        let listening = stage.listen();
        let wanted = json!({"preset": "private_chat", "invite": [stage.bot.user_id], "is_direct": true});
        let made = stage.anna.done(Method::POST, "v3/createRoom", Some(wanted)).await;
        made["room_id"].as_str().unwrap().clone_into(&mut stage.room);
        until("the bot in the room", async || {
            stage.anna.has(&stage.room, &stage.bot.user_id).await
        })
        .await;
        // as soon as it has heard something there, it knows the room itself
        stage.anna.say(&stage.room, "one").await;
        stage.has(&["one"]).await;
        Some((stage, listening))
    }

    /// A new life of the bot.
    fn listen(&self) -> Listening {
        let login = Login::Password {
            user: self.bot.user_id.clone(),
            password: Secret::new(&self.bot.password),
        };
        let mut config = Config::new(self.line.url(), login, self.folder.path().join("matrix"));
        config.invites = Invites::Everybody;
        let interface: Arc<dyn Interface> = Arc::new(Matrix::new("matrix", config).unwrap());
        let (inlet, stop) = (Inlet::new(Arc::clone(&self.recorder) as _), CancellationToken::new());
        let mut task = JoinSet::new();
        let (listener, token) = (Arc::clone(&interface), stop.clone());
        task.spawn(async move { listener.listen(inlet, token).await });
        Listening { interface, stop, task }
    }

    async fn has(&self, words: &[&str]) {
        let what = format!("{words:?}, each once");
        until(&what, async || self.words() == words).await;
    }

    fn words(&self) -> Vec<String> {
        let text = |event: Inbound| match event.what {
            What::Message { text } => Some(text),
            _ => None,
        };
        self.recorder.events().into_iter().filter_map(text).collect()
    }

    /// What the bot shows by now.
    async fn shown(&self) -> Vec<String> {
        let shown = self.anna.sees(&self.room, &self.bot.user_id).await;
        let text = |shown: &Value| shown["body"].as_str().map(str::to_owned);
        shown.iter().filter_map(text).collect()
    }

    async fn act(&self, listening: &Listening, key: &str, act: Act) -> Result<Receipt, DeliverError> {
        listening.interface.deliver(&self.outbound(key, act)).await
    }

    fn outbound(&self, key: &str, act: Act) -> Outbound {
        outbound(&format!("matrix/{}", self.room), key, act)
    }
}

impl Listening {
    async fn stop(mut self) {
        self.stop.cancel();
        let ended = tokio::time::timeout(PATIENCE, self.task.join_next()).await;
        assert!(matches!(ended, Ok(Some(Ok(Ok(()))))), "stopped, listen gave {ended:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_heard_is_kept_before_it_counts_as_heard() {
    let Some((stage, listening)) = Stage::start().await else {
        return;
    };
    let say = async |words| stage.anna.say(&stage.room, words).await;
    // while the store refuses, the same is offered again
    stage.recorder.change(Mood::Refuse);
    let offered = stage.recorder.offered();
    say("two").await;
    say("three").await;
    until("a second offer", async || stage.recorder.offered() >= offered + 2).await;
    assert_eq!(stage.words(), ["one"]);
    stage.recorder.change(Mood::Take);
    stage.has(&["one", "two", "three"]).await;
    // a restart goes on where the marks are
    listening.stop().await;
    say("four").await;
    let listening = stage.listen();
    stage.has(&["one", "two", "three", "four"]).await;
    // the store has it, and nobody learns so
    stage.recorder.change(Mood::TakeAndHang);
    say("five").await;
    stage.has(&["one", "two", "three", "four", "five"]).await;
    listening.stop().await;
    stage.recorder.change(Mood::Take);
    let listening = stage.listen();
    say("six").await;
    stage.has(&["one", "two", "three", "four", "five", "six"]).await;
    assert_eq!(stage.recorder.events()[0].account.identity, stage.bot.user_id);
    // whoever is not let in is told so
    stage.recorder.change(Mood::Deny("members only".to_owned()));
    say("seven").await;
    until("a denial", async || stage.shown().await == ["members only"]).await;
    listening.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_can_be_repeated_found_and_taken_back() {
    let Some((stage, listening)) = Stage::start().await else {
        return;
    };
    let id = stage.act(&listening, "k", post("one")).await.unwrap().id;
    assert_eq!(stage.act(&listening, "k", post("one")).await.unwrap().id, id);
    assert_ne!(stage.act(&listening, "l", post("other")).await.unwrap().id, id);
    assert_eq!(stage.shown().await, ["one", "other"]);
    for key in ["k.1", "k.2"] {
        assert_eq!(stage.act(&listening, key, edit(&id, "two")).await.unwrap().id, id);
    }
    assert_eq!(stage.shown().await, ["two", "other"]);
    for key in ["k.3", "k.4"] {
        stage
            .act(&listening, key, Act::Delete { id: id.clone() })
            .await
            .unwrap();
    }
    assert_eq!(stage.shown().await, ["other"]);
    // of unknown fate, once done and once not
    for (key, snag, is_there) in [("m", Snag::CutAfter, true), ("n", Snag::CutBefore, false)] {
        stage.line.plan(SEND, snag);
        let answer = stage.outbound(key, post(key));
        let unsure = listening.interface.deliver(&answer).await;
        assert!(
            matches!(unsure, Err(DeliverError::Unsure(_) | DeliverError::Lost(_))),
            "{unsure:?}"
        );
        let found = listening.interface.find(&answer).await;
        let is_found = matches!(&found, Found::Found(id) if !id.is_empty());
        assert!(is_found == is_there || found == Found::CannotTell, "{key}: {found:?}");
        stage.act(&listening, key, post(key)).await.unwrap();
    }
    assert_eq!(stage.shown().await, ["other", "m", "n"]);
    listening.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_says_what_to_do() {
    type Fits = fn(&DeliverError) -> bool;
    let Some((stage, listening)) = Stage::start().await else {
        return;
    };
    let error = |code: &str| json!({"errcode": code, "error": "words", "retry_after_ms": 1200});
    let cases: [(u16, &str, Fits); 4] = [
        (413, "M_TOO_LARGE", |error| matches!(error, DeliverError::TooLong)),
        (403, "M_FORBIDDEN", |error| {
            matches!(error, DeliverError::Refused(_) | DeliverError::Gone(_))
        }),
        (502, "M_UNKNOWN", |error| matches!(error, DeliverError::Unsure(_))),
        // the last one: after it nothing is sent for a while
        (429, "M_LIMIT_EXCEEDED", |error| {
            matches!(error, DeliverError::RateLimited { .. })
        }),
    ];
    for (status, code, fits) in cases {
        stage.line.plan(SEND, Snag::Answer(status, error(code)));
        let refused = stage.act(&listening, &format!("k-{status}"), post("one")).await;
        assert!(refused.as_ref().is_err_and(fits), "{status} became {refused:?}");
    }
    for foreign in [
        "other/!room:localhost",
        "matrix/!nowhere:localhost",
        "matrix/room",
        "matrix/!a:b/$c/$d",
    ] {
        let refused = listening.interface.deliver(&outbound(foreign, "k", post("one"))).await;
        assert!(refused.is_err(), "{foreign}: {refused:?}");
    }
    assert_eq!(stage.shown().await, Vec::<String>::new());
    listening.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_people_send_can_be_fetched() {
    let Some((stage, listening)) = Stage::start().await else {
        return;
    };
    let tools = MatrixTools::find().unwrap();
    let server = shared(&tools).await;
    let account = server.account(&named("eva", unique())).await.unwrap();
    let eva = MatrixPerson::start(&tools, server.url(), &account).await.unwrap();
    for room in [NewRoom::default(), NewRoom::encrypted()] {
        let room = eva.create(&room.direct().with(&stage.bot.user_id)).await.unwrap();
        eva.wait_for_member(&room, &stage.bot.user_id, "join").await.unwrap();
        let picture = Attachment {
            kind: "image",
            name: "dot.png",
            mime: "image/png",
            base64: DOT,
        };
        eva.send_file(&room, picture).await.unwrap();
        let sent = || {
            let events = stage.recorder.events().into_iter();
            let mut files = events
                .filter(|event| event.path.target() == room)
                .flat_map(|event| event.files);
            files.next()
        };
        until("the picture", async || sent().is_some()).await;
        let file = sent().unwrap();
        assert_eq!(
            (file.name.as_str(), file.mime.as_deref()),
            ("dot.png", Some("image/png"))
        );
        let bytes = listening.interface.fetch(&file).await.unwrap();
        assert_eq!(STANDARD.encode(bytes), DOT);
        let gone = FileRef {
            handle: file.handle.replacen("mxc://localhost/", "mxc://localhost/x", 1),
            ..file
        };
        let refused = listening.interface.fetch(&gone).await;
        assert!(matches!(refused, Err(FetchError::Gone)), "{refused:?}");
    }
    listening.stop().await;
}

fn outbound(path: &str, key: &str, act: Act) -> Outbound {
    Outbound {
        path: path.parse().unwrap(),
        key: key.to_owned(),
        re: None,
        act,
        files: Vec::new(),
    }
}

fn post(text: &str) -> Act {
    Act::Post(Post::of(Markup::text(text)))
}

fn edit(id: &str, text: &str) -> Act {
    let post = Post::of(Markup::text(text));
    Act::Edit {
        id: id.to_owned(),
        post,
    }
}

fn memory() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    }
}

async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < until, "{what} never came");
        sleep(Duration::from_millis(50)).await;
    }
}
