//! A door: requests go in, and everything that is signalled about them is written down.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tertulia_interface::{Batch, FetchError, Inlet, Interface, ListenError, Verdict};
use tertulia_message::dsl::{Assembler, Message};
use tertulia_message::path::InterfacePath;
use tertulia_message::{
    Account, Addressed, DeliverError, Ending, FileRef, Found, Generation, Inbound, Limits, Outbound, Pace, PersonId,
    Progress, Reach, Receipt, Request, RequestHistory, Role, Signal, SuppliedMessage, TextLimit, ToolOffer, What,
};
use tertulia_testkit::fake_store::{FakeStore, RowState};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// What was signalled about a request, with the rows' states at that moment.
#[derive(Debug, Clone)]
pub(crate) struct Signalled {
    pub(crate) signal: Signal,
    pub(crate) rows: Vec<RowState>,
}

/// The door.
pub(crate) struct Door {
    store: Arc<FakeStore>,
    inlet: watch::Sender<Option<Inlet>>,
    signalled: Mutex<BTreeMap<String, Vec<Signalled>>>,
    delivered: Mutex<usize>,
    hangs: Mutex<bool>,
}

impl Door {
    pub(crate) fn new(store: Arc<FakeStore>) -> Self {
        Self {
            store,
            inlet: watch::Sender::new(None),
            signalled: Mutex::default(),
            delivered: Mutex::default(),
            hangs: Mutex::default(),
        }
    }

    /// From now on it never returns from a signal.
    pub(crate) fn hang(&self) {
        *self.hangs.lock().unwrap() = true;
    }

    /// How often it was wrongly asked to deliver something.
    pub(crate) fn delivered(&self) -> usize {
        *self.delivered.lock().unwrap()
    }

    /// A request of a remembered conversation.
    pub(crate) async fn stored(&self, id: &str, conversation: &str, text: &str) -> Verdict {
        self.asking(id, conversation, "tertulia", text).await
    }

    /// A request of a remembered conversation, to a model.
    pub(crate) async fn asking(&self, id: &str, conversation: &str, model: &str, text: &str) -> Verdict {
        let history = RequestHistory::Stored(vec![user(text)]);
        self.request(id, conversation, model, history, Vec::new()).await
    }

    /// A request that brings its own history.
    pub(crate) async fn supplied(&self, id: &str, text: &str, tools: Vec<ToolOffer>) -> Verdict {
        let history = RequestHistory::Supplied(vec![user(text)]);
        let target = format!("~{id}");
        self.request(id, &target, "tertulia", history, tools).await
    }

    async fn request(
        &self,
        id: &str,
        target: &str,
        model: &str,
        history: RequestHistory,
        tools: Vec<ToolOffer>,
    ) -> Verdict {
        let request = Request {
            history,
            model: model.to_owned(),
            system: None,
            tools,
            generation: Generation::default(),
        };
        self.hand_in(event(id, "door", target, "client", What::Request(Box::new(request))))
            .await
    }

    /// A person says something to the bot alone, on the chat platform; the verdict goes unheard there.
    pub(crate) async fn alone(&self, id: &str, who: &str, text: &str) -> Verdict {
        let text = text.to_owned();
        self.hand_in(event(id, "loopback", who, who, What::Message { text }))
            .await
    }

    async fn hand_in(&self, event: Inbound) -> Verdict {
        let batch = Batch {
            account: account(),
            events: vec![event],
            marks: Vec::new(),
            missed: false,
        };
        let verdicts = self.open_inlet().await.accept(batch).await;
        verdicts.map_or(Verdict::Ignored, |verdicts| verdicts.into_iter().next().unwrap())
    }

    pub(crate) async fn hang_up(&self, id: &str) {
        self.open_inlet().await.hang_up(&account(), id).await;
    }

    pub(crate) async fn open_inlet(&self) -> Inlet {
        let mut inlet = self.inlet.subscribe();
        let open = inlet.wait_for(Option::is_some).await.unwrap();
        open.clone().unwrap()
    }

    /// Everything about a request so far.
    pub(crate) fn signalled(&self, id: &str) -> Vec<Signalled> {
        self.signalled.lock().unwrap().get(id).cloned().unwrap_or_default()
    }

    /// The messages emitted about a request.
    pub(crate) fn emitted(&self, id: &str) -> Vec<Message> {
        let all = self.signalled(id).into_iter();
        all.filter_map(|signalled| match signalled.signal {
            Signal::Emit(message) => Some(message),
            _ => None,
        })
        .collect()
    }

    /// The text that a reader has in the end.
    pub(crate) fn text(&self, id: &str) -> String {
        let mut assembler = Assembler::new();
        for message in self.emitted(id) {
            assembler.push(&message).unwrap();
        }
        let texts = assembler.messages().iter().filter(|message| message.kind == "text");
        texts
            .filter_map(|message| message.props.get("content")?.as_str().map(str::to_owned))
            .collect()
    }

    /// How a request ended, if it did.
    pub(crate) fn ending(&self, id: &str) -> Option<Ending> {
        self.signalled(id)
            .into_iter()
            .find_map(|signalled| match signalled.signal {
                Signal::Close(ending) => Some(ending),
                _ => None,
            })
    }
}

#[async_trait]
impl Interface for Door {
    fn limits(&self, _path: &InterfacePath) -> Limits {
        Limits {
            text: TextLimit::None,
            weigh: |markup| markup.plain().len(),
            caption: 0,
            files: 0,
            progress: Progress::Stream,
            pace: Pace {
                every: std::time::Duration::ZERO,
                growth: 1,
            },
            keyed: false,
            reach: Reach::WhileConnected,
            threads: false,
            buttons: false,
        }
    }

    async fn listen(&self, inlet: Inlet, stop: CancellationToken) -> Result<(), ListenError> {
        self.inlet.send_replace(Some(inlet));
        stop.cancelled().await;
        self.inlet.send_replace(None);
        Ok(())
    }

    async fn deliver(&self, _outbound: &Outbound) -> Result<Receipt, DeliverError> {
        *self.delivered.lock().unwrap() += 1;
        Err(DeliverError::Gone("a door has no messages".to_owned()))
    }

    async fn signal(&self, _path: &InterfacePath, re: &str, signal: Signal) {
        let hangs = *self.hangs.lock().unwrap();
        if hangs {
            std::future::pending::<()>().await;
        }
        let rows = self.store.row_states().into_iter().map(|(_, state)| state).collect();
        let mut all = self.signalled.lock().unwrap();
        all.entry(re.to_owned()).or_default().push(Signalled { signal, rows });
    }

    async fn find(&self, _outbound: &Outbound) -> Found {
        Found::Absent
    }

    async fn fetch(&self, _file: &FileRef) -> Result<Vec<u8>, FetchError> {
        Err(FetchError::Gone)
    }
}

fn account() -> Account {
    Account {
        interface: "door".to_owned(),
        identity: "door".to_owned(),
    }
}

fn event(id: &str, interface: &str, target: &str, sender: &str, what: What) -> Inbound {
    Inbound {
        account: account(),
        path: InterfacePath::build(interface, [target]).unwrap(),
        id: id.to_owned(),
        sender: PersonId::new(interface, sender),
        sender_name: sender.to_owned(),
        addressed: Addressed::Direct,
        what,
        files: Vec::new(),
        reply_to: None,
        quoted: None,
        join: None,
        token: None,
        sent_at: None,
    }
}

fn user(text: &str) -> SuppliedMessage {
    SuppliedMessage {
        role: Role::User,
        text: text.to_owned(),
        thinking: String::new(),
        pictures: Vec::new(),
        calls: Vec::new(),
        call_id: None,
        tool_name: None,
    }
}
