//! Telegram: a hundred chats at once, a flood beside a quiet chat, and a long answer.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use tertulia_core::courier::RESENT_MARK;
use tertulia_testkit::chat_double::{Expected, Judge, Question};
use tertulia_testkit::model_double::{ModelDouble, Script, Speech};
use tertulia_testkit::telegram_double::{Settings, TelegramDouble};
use tokio::time::{Instant, sleep};

use crate::daemon::{Daemon, cpu};
use crate::machine::{Place, fsync, median, millis};
use crate::table::{Table, Target};

/// Telegram lives in this process.
const OURSELVES: &str = "/proc/self/stat";
const CHATS: usize = 100;
const TURNS: usize = 5;
/// What a turn may cost beside the fsyncs, in milliseconds.
const OWN: f64 = 10.0;
/// At most two before the provider is asked, one before the post, and one before its end.
const FSYNCS: f64 = 4.0;
const FLOOD: usize = 200;
/// So many turns in the quiet chat.
const QUIET: usize = 20;
const LONG: usize = 12_000;
/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(5);
/// How often it is looked whether an answer is there; the times are Telegram's own.
const GLANCE: Duration = Duration::from_millis(5);
const DEMO: &str = "[providers.demo]\n";

pub(crate) async fn measure(place: &Place, table: &mut Table) -> Result<()> {
    many(place, table).await?;
    for pause_ms in [0, 5] {
        flood(place, pause_ms, table).await?;
    }
    long(place, table).await
}

/// Telegram, its bot, and what was said and answered by Telegram's clock.
struct Scene {
    telegram: TelegramDouble,
    daemon: Daemon,
    read: usize,
    said: BTreeMap<(i64, String), Duration>,
}

impl Scene {
    async fn start(place: &Place, provider: &str) -> Result<Self> {
        let telegram = TelegramDouble::start(Settings::default()).await?;
        let (base_url, token) = (telegram.base_url(), telegram.token().to_owned());
        let config = format!(
            "{provider}[interfaces.telegram_bot]\nbase_url = \"{base_url}\"\ntoken_file = \"token\"\n\
             [access.interfaces]\ntelegram_bot = \"user\"\n[limits]\nqueue = 1000\n[store]\ndirectory = \"state\"\n"
        );
        let mut daemon = Daemon::start_with(&place.folder, Some(&config), &[("token", &token)])?;
        daemon.url().await?;
        Ok(Self {
            telegram,
            daemon,
            read: 0,
            said: BTreeMap::new(),
        })
    }

    fn say(&mut self, person: i64, word: String) {
        let now = self.telegram.now();
        self.telegram.say(person, person, &word);
        self.said.insert((person, word), now);
    }

    /// The answers since it was last looked: the chat, and how long each took.
    fn answers(&mut self) -> Vec<(i64, Duration)> {
        let accepted = self.telegram.accepted();
        let new = accepted
            .iter()
            .skip(self.read)
            .filter(|call| call.method == "sendMessage");
        let mut answers = Vec::new();
        for call in new {
            let Some(chat) = call.chat else { continue };
            let of_chat = self
                .said
                .range((chat, String::new())..)
                .take_while(|((of, _), _)| *of == chat);
            let mut answered = of_chat.filter(|((_, word), _)| call.text.contains(word));
            if let Some((key, at)) = answered.next().map(|(key, at)| (key.clone(), *at)) {
                answers.push((chat, call.at.saturating_sub(at)));
                self.said.remove(&key);
            }
        }
        self.read = accepted.len();
        answers
    }

    /// Everything was answered once, in its place and in order.
    async fn judge(&self) -> Result<()> {
        // nothing more comes
        sleep(Duration::from_millis(500)).await;
        let expected = |question: &Question| Expected::Contains(question.text.clone());
        let judge = Judge {
            resent_mark: RESENT_MARK,
            notices: &["⚠️"],
            expected: &expected,
        };
        let claims = |question: &Question, text: &str| text.contains(&question.text);
        match self.telegram.verdict(&judge, &claims) {
            Ok(summary) => {
                ensure!(summary.answered == summary.questions, "{summary:?}");
                Ok(())
            }
            Err(faults) => bail!("{}", faults.into_iter().take(5).collect::<Vec<_>>().join("\n")),
        }
    }
}

/// Every chat says the next thing as soon as the one before is answered.
async fn many(place: &Place, table: &mut Table) -> Result<()> {
    let mut scene = Scene::start(place, DEMO).await?;
    let before = cpu(OURSELVES)?;
    let begun = scene.telegram.now();
    let people: Vec<i64> = (0..CHATS)
        .map(|nth| scene.telegram.person(&format!("P{nth}")))
        .collect();
    let mut turns: BTreeMap<i64, usize> = BTreeMap::new();
    for person in &people {
        scene.say(*person, word(0));
        turns.insert(*person, 1);
    }
    let (mut times, until) = (Vec::new(), Instant::now() + PATIENCE);
    while times.len() < CHATS * TURNS {
        ensure!(Instant::now() < until, "{} of {} answers", times.len(), CHATS * TURNS);
        for (person, time) in scene.answers() {
            times.push(time);
            let turn = turns.get_mut(&person).context("a chat of nobody")?;
            if *turn < TURNS {
                scene.say(person, word(*turn));
                *turn += 1;
            }
        }
        sleep(GLANCE).await;
    }
    let whole = scene.telegram.now().saturating_sub(begun);
    scene.judge().await?;
    let count = f64::from(u32::try_from(CHATS * TURNS)?);
    let telegram = millis(cpu(OURSELVES)?.saturating_sub(before)) / count;
    let on = place.name;
    table.add(
        format!("fsync of 4 KiB on {on}"),
        millis(fsync(&place.folder)?),
        "ms",
        None,
    );
    let what =
        format!("{CHATS} Telegram chats at once, {TURNS} turns each, state on {on}: a turn, from message to answer");
    table.add(what, millis(median(times)?), "ms", None);
    let own = millis(whole) / count - telegram;
    let target = FSYNCS.mul_add(millis(fsync(&place.folder)?), OWN);
    table.add(
        "- own time for each turn, without Telegram's",
        own,
        "ms",
        Some(Target::AtMost(target)),
    );
    table.add(
        "- processor time of the bot for each",
        millis(scene.daemon.cpu()?) / count,
        "ms",
        None,
    );
    table.add("- processor time of Telegram for each", telegram, "ms", None);
    alone(place, table).await
}

/// The same with one chat: what a turn takes when nobody else speaks.
async fn alone(place: &Place, table: &mut Table) -> Result<()> {
    let mut scene = Scene::start(place, DEMO).await?;
    let person = scene.telegram.person("Ann");
    let times = quiet(&mut scene, person).await?;
    scene.judge().await?;
    let what = format!(
        "one Telegram chat, state on {}: a turn, from message to answer",
        place.name
    );
    let target = FSYNCS.mul_add(millis(fsync(&place.folder)?), OWN);
    table.add(what, millis(median(times)?), "ms", Some(Target::AtMost(target)));
    Ok(())
}

/// Turns one after the other, and how long each took.
async fn quiet(scene: &mut Scene, person: i64) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for turn in 0..QUIET {
        scene.say(person, word(turn));
        let until = Instant::now() + PATIENCE;
        loop {
            ensure!(Instant::now() < until, "no answer");
            let mut answers = scene.answers().into_iter();
            if let Some((_, time)) = answers.find(|(chat, _)| *chat == person) {
                times.push(time);
                break;
            }
            sleep(GLANCE).await;
        }
    }
    Ok(times)
}

/// How much slower a chat is answered while another one is flooded.
async fn flood(place: &Place, pause_ms: u64, table: &mut Table) -> Result<()> {
    let provider = format!("{DEMO}pause_ms = {pause_ms}\n");
    let mut scene = Scene::start(place, &provider).await?;
    let (ann, flooded) = (scene.telegram.person("Ann"), scene.telegram.person("Flo"));
    let before = median(quiet(&mut scene, ann).await?)?;
    for nth in 0..FLOOD {
        scene.say(flooded, format!("flood {nth:03}."));
    }
    let during = median(quiet(&mut scene, ann).await?)?;
    let what = format!("a chat beside a flood of {FLOOD}, the model {pause_ms} ms for a word: longer by");
    let more = (during.as_secs_f64() / before.as_secs_f64() - 1.0) * 100.0;
    table.add(what, more, "%", Some(Target::AtMost(20.0)));
    table.add("- before", millis(before), "ms", None);
    table.add("- during", millis(during), "ms", None);
    Ok(())
}

/// An answer of many parts, with code and emoji.
async fn long(place: &Place, table: &mut Table) -> Result<()> {
    let double = ModelDouble::start().await?;
    let provider = format!(
        "[providers.p]\nkind = \"openai\"\nmodel = \"{}\"\nbase_url = \"{}\"\n",
        ModelDouble::MODEL,
        double.base_url()
    );
    let scene = Scene::start(place, &provider).await?;
    let ann = scene.telegram.person("Ann");
    let text = long_text();
    double.push(Script::Say(Speech {
        text: text.clone(),
        pieces: 200,
        ..Speech::default()
    }));
    let said = scene.telegram.now();
    scene.telegram.say(ann, ann, "Tell me everything.");
    let until = Instant::now() + PATIENCE;
    while !scene.telegram.bot_shows(ann).concat().contains("The very end.") {
        ensure!(Instant::now() < until, "the end does not come");
        sleep(GLANCE).await;
    }
    let took = scene.telegram.now().saturating_sub(said);
    let whole = scene.telegram.bot_shows(ann).concat();
    let bare = |text: &str| text.replace(['`', '\n', ' '], "").replace("rust", "");
    ensure!(bare(&whole) == bare(&text), "it is not whole: {whole}");
    ensure!(
        scene.telegram.violations().is_empty(),
        "{:?}",
        scene.telegram.violations()
    );
    let what = format!(
        "an answer of {LONG} characters with code and emoji, in {} parts",
        scene.telegram.bot_shows(ann).len()
    );
    table.add(what, millis(took), "ms", None);
    Ok(())
}

fn long_text() -> String {
    let mut text = String::new();
    let mut n = 0;
    while text.chars().count() < LONG {
        let line = if n % 5 == 3 {
            format!("```rust\nlet line_{n} = \"<b>&amp;</b>\";\n```\n")
        } else {
            format!("Line {n} of it, with 👩‍👩‍👧‍👦 and `code_{n}` in it.\n\n")
        };
        text.push_str(&line);
        n += 1;
    }
    text + "The very end."
}

fn word(turn: usize) -> String {
    format!("word {turn:03}.")
}
