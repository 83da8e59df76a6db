//! Plays a transcript once without a crash, then once for every effect with a crash there.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use tertulia_core::courier::RESENT_MARK;
use tertulia_core::stop::STOPPED_MARK;
use tertulia_ports::Store;

use super::model;
use super::transcript::Transcript;
use super::world::World;
use crate::chat_double::{Expected, Judge, Kind, Question, Record, RecordAct, Said, Summary};

/// More effects than any transcript needs: a world that goes on for ever is a fault.
const MOST_EFFECTS: usize = 20_000;

/// What survives a crash.
#[async_trait]
pub trait Disk: Send {
    /// Opens the store anew; the one opened before is dropped.
    async fn open(&mut self) -> Arc<dyn Store>;
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sweep {
    /// Effects of the run without a crash.
    pub effects: usize,
    /// Runs in all.
    pub runs: usize,
    /// Second copies that showed the mark, over all runs.
    pub resent: usize,
    /// Notices instead of answers, over all runs.
    pub notices: usize,
    /// Messages that were posted anew because they were gone, over all runs.
    pub reposted: usize,
    /// Presses of buttons, over all runs.
    pub presses: usize,
}

/// What one run did.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    summary: Summary,
    reposted: usize,
    presses: usize,
}

/// When the process ends.
#[derive(Debug, Clone, Copy)]
enum Crash {
    Never,
    /// Instead of the nth effect.
    Before(usize),
    /// After the nth effect, whose outcome nobody learns.
    After(usize),
    /// After the nth effect, and once more so many effects later, in the middle of the recovery.
    Twice(usize, usize),
    /// As `Twice`, but so many times more: the attempts are used up, and any turn may end in a notice.
    Often(usize, usize, u32),
}

impl Crash {
    /// Whether the process dies instead of this effect.
    fn before(self, effect: usize) -> bool {
        matches!(self, Self::Before(nth) if nth == effect)
    }

    /// Whether the process dies after this effect.
    fn after(self, effect: usize) -> bool {
        matches!(self, Self::After(nth) | Self::Twice(nth, _) | Self::Often(nth, ..) if nth == effect)
    }

    /// What is still to come once it has struck after this effect.
    fn next(self, effect: usize) -> Self {
        match self {
            Self::Twice(_, later) | Self::Often(_, later, 1) => Self::After(effect + later),
            Self::Often(_, later, more) => Self::Often(effect + later, later, more - 1),
            _ => Self::Never,
        }
    }
}

/// Plays a transcript on every platform it names, once without a crash and then with one at every effect: before it,
/// after it but before its outcome is known, and then once more soon after. Every `stride`th effect is tried; 1 tries them all.
///
/// # Errors
/// Says which run failed and why: what the platform's record shows, and what the store still wants.
pub async fn sweep(
    transcript: &Transcript,
    seed: u64,
    stride: usize,
    mut disk: impl AsyncFnMut() -> Box<dyn Disk>,
) -> Result<Sweep, Vec<String>> {
    let mut sweep = Sweep::default();
    for kind in &transcript.kinds {
        let (effects, summary) = play(transcript, *kind, seed, Crash::Never, disk().await).await?;
        sweep.count(summary);
        sweep.effects += effects;
        for nth in (1..=effects).step_by(stride) {
            // a notice that is split cannot be told from a notice with something behind it
            let often = (nth % 3 == 0 && !transcript.splits()).then_some(Crash::Often(nth, nth % 11 + 4, 3));
            let once_or_twice = [Crash::Before(nth), Crash::After(nth), Crash::Twice(nth, nth % 7 + 1)];
            for crash in once_or_twice.into_iter().chain(often) {
                let (_, summary) = play(transcript, *kind, seed, crash, disk().await).await?;
                sweep.count(summary);
            }
        }
    }
    Ok(sweep)
}

impl Sweep {
    fn count(&mut self, told: Told) {
        let summary = told.summary;
        self.reposted += told.reposted;
        self.presses += told.presses;
        self.runs += 1;
        self.resent += summary.resent;
        self.notices += summary.notices;
    }
}

async fn play(
    transcript: &Transcript,
    kind: Kind,
    seed: u64,
    crash: Crash,
    mut disk: Box<dyn Disk>,
) -> Result<(usize, Told), Vec<String>> {
    let mut world = World::new(transcript, kind, disk.open().await, seed);
    let name = format!("{}, seed {seed}, {crash:?}", world.name());
    let failed = |what: String| vec![format!("{name}: {what}")];
    world.start().await.map_err(failed)?;
    let mut effects = 0;
    let used_up = matches!(crash, Crash::Often(..));
    let mut crash = crash;
    loop {
        if crash.before(effects + 1) {
            restart(&mut world, &mut disk).await.map_err(failed)?;
            crash = Crash::Never;
        }
        let dies = crash.after(effects + 1);
        if !world.step(!dies).await.map_err(failed)? {
            break;
        }
        effects += 1;
        if dies {
            restart(&mut world, &mut disk).await.map_err(failed)?;
            crash = crash.next(effects);
        }
        if effects > MOST_EFFECTS {
            return Err(failed("does not come to rest".to_owned()));
        }
    }
    let told = judge(&world, used_up).await.map_err(|faults| {
        faults
            .into_iter()
            .map(|fault| format!("{name}: {fault}"))
            .collect::<Vec<_>>()
    })?;
    Ok((effects, told))
}

async fn restart(world: &mut World<'_>, disk: &mut Box<dyn Disk>) -> Result<(), String> {
    world.crash();
    world.store = disk.open().await;
    world.start().await
}

async fn judge(world: &World<'_>, used_up: bool) -> Result<Told, Vec<String>> {
    // the double is locked while it judges
    let records = world.double.records();
    let expected = |question: &Question| {
        if is_taken(&records, question) {
            return Expected::Any;
        }
        expected(question, world.transcript)
    };
    let judge = Judge {
        resent_mark: RESENT_MARK,
        notices: &["⚠️"],
        expected: &expected,
    };
    let told = world.transcript.questions().flat_map(|question| question.split(';'));
    let told: Vec<&str> = told.filter_map(model::told).collect();
    world.double.expect_beside(&told);
    let summary = world.double.verdict(&judge)?;
    let mut faults = world.till.doubles();
    // of a turn that was given up it may not have been said
    if summary.notices == 0 && summary.beside < told.len() {
        faults.push(format!("of {told:?} only {} are said", summary.beside));
    }
    faults.extend(answered_after_a_stop(world));
    faults.extend(wrong_buttons(world, used_up));
    let left = world.store.restore().await.map_err(|error| vec![error.to_string()])?;
    if !left.conversations.is_empty() || !left.slots.is_empty() || !left.commands.is_empty() {
        faults.push(format!("something is left to do: {left:?}"));
    }
    let excused = world
        .transcript
        .questions()
        .filter(|question| may_fail(question))
        .count()
        + world.transcript.retries();
    if summary.notices > excused && !used_up {
        faults.push(format!(
            "{} notices, but only {excused} questions may fail",
            summary.notices
        ));
    }
    let told = Told {
        summary,
        reposted: reposted(&records),
        presses: world.double.pressed().len(),
    };
    if faults.is_empty() { Ok(told) } else { Err(faults) }
}

/// Messages that are gone and were posted once more, to the same question.
fn reposted(records: &[Record]) -> usize {
    let gone = records.iter().filter(|record| record.act == RecordAct::Deleted);
    let again = |gone: &&Record| {
        let later = records.iter().filter(|record| record.n > gone.n);
        let mut later = later.filter(|record| record.act == RecordAct::Posted);
        later.any(|record| record.in_reply_to == gone.in_reply_to)
    };
    gone.filter(again).count()
}

/// Buttons that are left at the end: nothing runs any more, and what may be tried again are notices, and what was stopped.
/// Nobody can take the button from a message whose id the bot never learnt; it was sent again.
fn wrong_buttons(world: &World<'_>, used_up: bool) -> Vec<String> {
    let records = world.double.records();
    let posts: Vec<&Record> = records
        .iter()
        .filter(|record| record.act == RecordAct::Posted)
        .collect();
    let is_copied = |message: &str| {
        let mut posted = posts.iter().filter(|post| post.message.to_string() == message);
        posted.any(|first| posts.iter().any(|post| post.n > first.n && post.key == first.key))
    };
    let spots: BTreeSet<_> = records.iter().map(|record| &record.spot).collect();
    let left = spots.into_iter().flat_map(|spot| world.double.buttons(spot));
    let cut = !world.transcript.pressed_off().is_empty() || !world.transcript.stops().is_empty();
    let may_be_left = used_up || cut || world.transcript.questions().any(may_fail);
    left.filter(|(message, token)| !(is_copied(message) || may_be_left && token.starts_with("retry.")))
        .map(|(message, token)| format!("message {message} still has the button {token}"))
        .collect()
}

/// True if people took the last message away that the bot could still change; copies that it knows nothing of may be left.
fn is_taken(records: &[Record], question: &Question) -> bool {
    let mut answers = records.iter().filter(|record| record.in_reply_to == Some(question.id));
    let last = answers.rfind(|record| matches!(record.act, RecordAct::Posted | RecordAct::Deleted));
    question.excused && last.is_some_and(|record| record.act == RecordAct::Deleted)
}

/// Questions that may end in a notice: the model fails, or a tool with effects may have been interrupted.
fn may_fail(question: &str) -> bool {
    question
        .split(';')
        .any(|step| matches!(step.trim(), "fail" | "break" | "pay" | "hollow"))
}

fn expected(question: &Question, transcript: &Transcript) -> Expected {
    let said = match question.text.as_str() {
        token if token.starts_with("stop.") => return Expected::Nothing,
        // of whatever was answered last; an older button is good for nothing
        token if token.starts_with("retry.") => return Expected::Optional,
        "/stop" => "stopped",
        "/new" => "we begin anew",
        "/retry" => match transcript.asked_again(&question.text) {
            Some(asked) => return Expected::Contains(model::expected(asked)),
            None => "there is nothing to answer again",
        },
        command if command.starts_with('/') => "the command is done",
        _ => {
            let text = model::expected(&question.text);
            let mut pressed = transcript.pressed_off().into_iter();
            let is_cut = transcript.stops().iter().any(|(cut, _)| cut.text == question.text)
                || pressed.any(|cut| cut.text == question.text);
            return if is_cut {
                let mark = STOPPED_MARK.trim_end_matches(')').to_owned();
                Expected::Cut { text, mark }
            } else {
                Expected::Contains(text)
            };
        }
    };
    Expected::Contains(said.to_owned())
}

/// Messages that were still answered when the command that ends them had its own answer.
fn answered_after_a_stop(world: &World<'_>) -> Vec<String> {
    let records = world.double.records();
    let id_of = |said: &Said| {
        let it = records
            .iter()
            .find(|record| matches!(record.act, RecordAct::Said { .. }) && record.text == said.text);
        it.map(|record| record.message)
    };
    let answers = |id: Option<u64>| {
        let posts = records.iter().filter(|record| record.act == RecordAct::Posted);
        posts.filter(move |record| record.in_reply_to == id)
    };
    let stops = world.transcript.stops();
    let late = stops.iter().filter_map(|(cut, stop)| {
        let (cut, stop) = (id_of(cut), id_of(stop));
        let told = answers(stop).next()?.n;
        let late = answers(cut).find(|record| record.n > told)?;
        Some(format!(
            "message {cut:?} is still answered after {stop:?} was: {:?}",
            late.text
        ))
    });
    late.collect()
}
