//! The real binary is killed under a chat platform that lives on, and judged by what people see there alone.
//!
//! `TERTULIA_KILLS=full` makes it the long run of `./check-long kills`; `TERTULIA_SEED` repeats a run.

mod bot;
mod chance;
mod platform;
mod points;
mod scene;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tertulia_testkit::chat_double::Summary;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use chance::Chance;
use platform::On;
use points::{PLANS, Plan, TELEGRAM_PLANS};
use scene::{Scene, Setting};

/// Bots at once.
const AT_ONCE: usize = 4;
/// A turn is run so often before its interruption is reported.
const ATTEMPTS: usize = 3;
/// A random life is not longer than this.
const LONGEST_LIFE: Duration = Duration::from_millis(800);

fn is_full() -> bool {
    std::env::var("TERTULIA_KILLS").is_ok_and(|word| word == "full")
}

/// What was counted in several scenes.
#[derive(Debug, Default)]
struct Count {
    kills: usize,
    seen: Summary,
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.kills += other.kills;
        self.seen.questions += other.seen.questions;
        self.seen.answered += other.seen.answered;
        self.seen.notices += other.seen.notices;
        self.seen.unanswered += other.seen.unanswered;
        self.seen.resent += other.seen.resent;
        self.seen.posts += other.seen.posts;
    }

    fn print(&self, what: &str) {
        let Summary {
            questions,
            answered,
            notices,
            resent,
            ..
        } = self.seen;
        let kills = self.kills;
        println!(
            "{what}: {kills} kills, {questions} messages, {answered} answered, {notices} reported as interrupted, \
             {resent} marked second copies"
        );
    }
}

/// Lives through the plans, round by round, until so many deaths were planned; each plan on one of its platforms.
async fn die_by_names(plans: &'static [Plan], kills: u64) -> Count {
    let chance = Chance::of_this_run();
    let mut scenes = JoinSet::new();
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut planned = 0;
    for round in 0usize.. {
        for (nth, plan) in (round..).zip(plans) {
            let (chance, places) = (chance.branch(planned), Arc::clone(&places));
            planned += plan.before.len() as u64 + 1;
            scenes.spawn(async move {
                let _place = places.acquire_owned().await?;
                die_by_name(plan, round, nth, chance).await
            });
        }
        if planned >= kills {
            break;
        }
    }
    sum(scenes, chance.seed()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_by_a_death_at_any_named_point() {
    let total = die_by_names(PLANS, if is_full() { 100 } else { 0 }).await;
    total.print("named points");
    assert!(total.kills >= 25);
    assert_eq!(total.seen.notices, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_in_telegram_by_a_death_at_any_named_point() {
    let total = die_by_names(TELEGRAM_PLANS, if is_full() { 100 } else { 0 }).await;
    total.print("named points in Telegram");
    assert!(total.kills >= 12);
    assert_eq!(total.seen.notices, 0);
}

/// One plan on a platform of its own; rounds differ in platform and hit.
async fn die_by_name(plan: &Plan, round: usize, nth: usize, chance: Chance) -> Result<Count> {
    let on = plan.on[nth % plan.on.len()];
    let hit = u32::try_from(nth + round)? % plan.hits + 1;
    let point = format!("{}:{hit}", plan.point);
    let setting = Setting {
        on,
        progress: plan.progress,
        pause_ms: plan.pause_ms,
        twice_percent: 20,
        chats: 3,
        messages: 8,
        silence_ms: 200,
        on_disk: false,
    };
    let mut scene = Scene::new(setting, chance).await?;
    let done = async {
        scene.say(6);
        for earlier in plan.before {
            scene.die_at(&format!("{earlier}:1")).await?;
        }
        scene.die_at(&point).await?;
        let seen = scene.settle().await?;
        let kills = plan.before.len() + 1;
        ensure!(kills < ATTEMPTS, "so many deaths make notices");
        ensure!(seen.questions == setting.messages, "{} messages", seen.questions);
        Ok(Count { kills, seen })
    };
    let done: Result<Count> = done.await;
    done.with_context(|| format!("{point} after {:?} on {on:?}, kept in {}", plan.before, scene.keep()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_by_deaths_at_random() {
    let chance = Chance::of_this_run();
    let (kills, messages, chats) = if is_full() { (100, 480, 50) } else { (50, 150, 12) };
    let settings = [
        (points::KEYED, "edit", 2, false),
        (points::FINDABLE, "hidden", 10, true),
        (points::BLIND, "edit", 20, false),
    ];
    let mut scenes = JoinSet::new();
    for (nth, (on, progress, twice_percent, on_disk)) in settings.into_iter().enumerate() {
        let setting = Setting {
            on,
            progress,
            pause_ms: 2,
            twice_percent,
            chats: (chats + nth) / 3,
            messages: messages / 3,
            // so that people write in nearly every life
            silence_ms: if is_full() { 160 } else { 270 },
            on_disk,
        };
        let kills = (kills + nth) / 3;
        scenes.spawn(die_at_random(setting, kills, chance.branch(nth as u64)));
    }
    let total = sum(scenes, chance.seed()).await;
    total.print("random moments");
    assert_eq!(total.kills, kills);
    assert_eq!(total.seen.questions, messages);
    assert!(total.seen.answered > total.seen.notices);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_in_telegram_by_deaths_at_random() {
    let chance = Chance::of_this_run();
    let (kills, messages, chats) = if is_full() { (100, 300, 30) } else { (18, 60, 9) };
    let mut scenes = JoinSet::new();
    for (nth, (progress, on_disk)) in [("draft", false), ("edit", false), ("hidden", true)]
        .into_iter()
        .enumerate()
    {
        let setting = Setting {
            on: On::Telegram,
            progress,
            pause_ms: 5,
            twice_percent: 10,
            chats: (chats + nth) / 3,
            messages: messages / 3,
            silence_ms: 270,
            on_disk,
        };
        scenes.spawn(die_at_random(setting, (kills + nth) / 3, chance.branch(nth as u64)));
    }
    let total = sum(scenes, chance.seed()).await;
    total.print("random moments in Telegram");
    assert_eq!(total.kills, kills);
    assert_eq!(total.seen.questions, messages);
    assert!(total.seen.answered > total.seen.notices);
}

async fn die_at_random(setting: Setting, kills: usize, chance: Chance) -> Result<Count> {
    let mut scene = Scene::new(setting, chance).await?;
    let done = async {
        for _ in 0..kills {
            scene.die_within(LONGEST_LIFE).await?;
        }
        let seen = scene.settle().await?;
        Ok(Count { kills, seen })
    };
    let done: Result<Count> = done.await;
    done.with_context(|| format!("{:?}, kept in {}", setting.on, scene.keep()))
}

/// Waits for all scenes, and fails with all that went wrong.
async fn sum(mut scenes: JoinSet<Result<Count>>, seed: u64) -> Count {
    let mut total = Count::default();
    let mut faults = Vec::new();
    while let Some(done) = scenes.join_next().await {
        match done.map_err(anyhow::Error::from).and_then(|counted| counted) {
            Ok(count) => total.add(&count),
            Err(fault) => faults.push(format!("{fault:#}")),
        }
    }
    println!("TERTULIA_SEED={seed}");
    assert!(
        faults.is_empty(),
        "{} scenes failed:\n{}",
        faults.len(),
        faults.join("\n\n")
    );
    total
}
