//! Long arguments of a tool in small pieces: the time for a byte must not grow with their length.

use std::time::Duration;

use serde_json::json;
use tertulia_core::attachment::Attachments;
use tertulia_core::now::Now;
use tertulia_core::policy::Deadlines;
use tertulia_core::provider::Delta;
use tertulia_core::record::{ConversationId, InboxId, InboxRow, MessageBody, RowBody, TurnSettings, Work};
use tertulia_core::session::{Effect, Event, Session, Surroundings};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Limits, Pace, PersonId, Progress, Reach, TextLimit};

use super::best;
use super::table::Table;
use crate::answer::ReadAnswer;

/// Letters of the arguments in one event.
const PIECE: usize = 8;

pub(super) fn measure(table: &mut Table) {
    for (length, shown) in [
        (10_000, "10 kB"),
        (100_000, "100 kB"),
        (1_000_000, "1 MB"),
        (10_000_000, "10 MB"),
    ] {
        let events = stream(length);
        let nanos = |time: Duration| time.as_secs_f64() * 1e9 / length as f64;
        let time = best(|| drop(deltas(&events)));
        table.add(
            format!("arguments of {shown} in pieces of {PIECE} bytes: read, for each byte"),
            nanos(time),
            "ns",
            None,
        );
        let deltas = deltas(&events);
        let time = best(|| assert!(assembled(&deltas) > 0));
        table.add("- put together by the session, for each byte", nanos(time), "ns", None);
    }
}

fn stream(length: usize) -> Vec<u8> {
    let mut stream = Vec::new();
    for nth in 0..length / PIECE {
        let mut call = json!({"index": 0, "function": {"arguments": "x".repeat(PIECE)}});
        if nth == 0 {
            call["id"] = json!("call_1");
            call["function"]["name"] = json!("write");
        }
        let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m",
            "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]});
        stream.extend_from_slice(format!("data: {chunk}\n\n").as_bytes());
    }
    stream
}

fn deltas(events: &[u8]) -> Vec<Delta> {
    let mut reader = crate::chat_shape::figures_reader();
    let mut deltas = Vec::new();
    for piece in events.chunks(16 << 10) {
        reader.take(piece, &mut deltas).unwrap();
    }
    deltas
}

/// A session takes them; gives how many it took.
fn assembled(deltas: &[Delta]) -> usize {
    let mut session = Session::new("boot");
    let now = Now {
        mono: Duration::ZERO,
        wall: 0,
        dice: 0,
    };
    session.handle(Event::Nudge, now);
    session.handle(Event::Work(Some(Box::new(work())), Box::new(surroundings())), now);
    let mut asked = None;
    while let Some(effect) = session.poll() {
        match effect {
            Effect::Commit(_, token) => session.handle(Event::Committed(token), now),
            Effect::Ask(id, ..) => asked = Some(id),
            _ => {}
        }
    }
    for delta in deltas {
        session.handle(Event::Delta(asked.unwrap(), delta.clone()), now);
        while session.poll().is_some() {}
    }
    deltas.len()
}

fn work() -> Work {
    let row = InboxRow {
        id: InboxId(1),
        account: Account {
            interface: "chat".into(),
            identity: "bot".into(),
        },
        conversation: ConversationId(1),
        path: InterfacePath::parse("chat/a").unwrap(),
        ext_id: "x".into(),
        person: PersonId::new("chat", "ann"),
        body: RowBody::Message(MessageBody {
            text: "hello".into(),
            ..MessageBody::default()
        }),
        join: None,
        token: None,
        accepted_at: 0,
    };
    Work {
        rows: vec![row],
        unfinished: None,
        history: Vec::new(),
        slots: Vec::new(),
        epoch: 0,
    }
}

fn surroundings() -> Surroundings {
    let limits = Limits {
        text: TextLimit::Chars(4096),
        weigh: |markup| markup.plain().chars().count(),
        caption: 0,
        files: 0,
        progress: Progress::Edit,
        pace: Pace {
            every: Duration::from_secs(1),
            growth: 1,
        },
        keyed: false,
        reach: Reach::Always,
        threads: false,
        buttons: false,
    };
    Surroundings {
        limits,
        settings: TurnSettings {
            provider: "p".into(),
            model: "m".into(),
            system: String::new(),
            tools: None,
        },
        capabilities: crate::kind_defaults("openai").unwrap(),
        tools: Vec::new(),
        deadlines: Deadlines::default(),
        prices: None,
        fallbacks: Vec::new(),
        rounds: 3,
        answer_bytes: 1 << 30,
        attachments: Attachments::new(),
    }
}
