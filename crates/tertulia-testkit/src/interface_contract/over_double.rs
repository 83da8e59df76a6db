//! A chat double as the platform of the suite, whatever the line to it.

use std::sync::Arc;
use std::time::Duration;

use tertulia_interface::Interface;
use tertulia_message::{Addressed, What};

use super::stage::{Mishap, People, Scene, Stage, Tally, Told, Truth};
use crate::chat_double::{CallKind, ChatDouble, Fault, Faults, Said, Spot};

/// A chat double, and the interfaces named `loopback` to it.
pub trait OverDouble: Send + Sync {
    /// A new interface, as after a restart.
    fn interface(&self) -> Arc<dyn Interface>;
    /// The platform.
    fn double(&self) -> &ChatDouble;
    /// The platform's time.
    fn now(&self) -> Duration;
}

impl<T: OverDouble> Stage for T {
    fn interface(&self) -> Arc<dyn Interface> {
        OverDouble::interface(self)
    }

    fn scene(&self) -> Scene {
        Scene {
            here: "loopback/a".to_owned(),
            thread: "loopback/a/t".to_owned(),
            moved: "loopback/b/t".to_owned(),
            unknown: "loopback/unknown".to_owned(),
            foreign: vec!["foreign/a".to_owned(), "loopback/a/t/deeper".to_owned()],
        }
    }

    fn people(&self) -> &dyn People {
        self
    }

    fn truth(&self) -> &dyn Truth {
        self
    }

    fn plan(&self, mishaps: &[Mishap]) -> bool {
        let plan = |faults: Faults, mishap: &Mishap| faults.next(CallKind::Post, fault(*mishap));
        self.double().plan(mishaps.iter().fold(Faults::none(), plan));
        true
    }
}

fn fault(mishap: Mishap) -> Fault {
    match mishap {
        Mishap::Lost => Fault::Lost,
        Mishap::UnsureExecuted => Fault::UnsureExecuted,
        Mishap::UnsureNotExecuted => Fault::UnsureNotExecuted,
        Mishap::TooLong => Fault::TooLong,
        Mishap::Malformed => Fault::Malformed,
        Mishap::RateLimited(scope) => Fault::RateLimited {
            after: Duration::from_millis(Mishap::WAIT_MS),
            scope,
        },
        Mishap::Gone => Fault::Gone,
        Mishap::Refused => Fault::Refused,
        Mishap::Moved => Fault::Moved("b".to_owned()),
    }
}

impl<T: OverDouble> People for T {
    fn ask(&self) -> String {
        self.double().say(self.now(), Said::direct("a", "p", "hello"))
    }

    fn act_out(&self) -> Vec<Told> {
        let mut said = Said::at(Spot::thread("a/b", "t %"), "p", "hello", Addressed::Mention);
        said.reply_to = Some("1".to_owned());
        let id = self.double().say(self.now(), said);
        self.double().change(self.now(), &id, "hello again");
        self.double().redact(self.now(), &id);
        self.double().move_chat(self.now(), "a/b", "c");
        let told = |path: &str, what, said| Told {
            path: path.to_owned(),
            what,
            sender: "loopback/p".to_owned(),
            said,
        };
        let (text, of, to) = ("hello".to_owned(), id.clone(), "loopback/c".parse());
        let changed = "hello again".to_owned();
        let thread = "loopback/a%2Fb/t%20%25";
        let mut all = vec![
            told(thread, What::Message { text }, Some((id.clone(), Addressed::Mention))),
            told(thread, What::Edit { of, text: changed }, None),
            told(thread, What::Redact { of: id }, None),
        ];
        let moved = to.map(|to| Told {
            sender: "loopback/platform".to_owned(),
            ..told("loopback/a%2Fb", What::Moved { to }, None)
        });
        all.extend(moved);
        all
    }

    fn open(&self) {
        self.double().open_chat("a");
    }
}

impl<T: OverDouble> Truth for T {
    fn identity(&self) -> String {
        self.double().rules().identity
    }

    fn shown(&self) -> Vec<String> {
        let messages = self.double().transcript("a", None).into_iter();
        messages
            .filter(|(author, _)| author.is_none())
            .map(|(_, text)| text)
            .collect()
    }

    fn answered(&self) -> Option<String> {
        let answered = self.double().records().last()?.in_reply_to?;
        Some(answered.to_string())
    }

    fn unconfirmed(&self) -> usize {
        let double = self.double();
        double.waiting(Some(double.confirmed()))
    }

    fn violations(&self) -> Vec<String> {
        let violations = self.double().violations();
        violations.iter().map(ToString::to_string).collect()
    }

    fn tally(&self) -> Tally {
        let counts = self.double().counts();
        Tally {
            unchanged_edits: counts.unchanged_edits,
            redelivered: Some(counts.redelivered),
        }
    }
}
