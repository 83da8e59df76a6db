//! The bot dies, and the server lives on: every question has one answer, whatever the bot was doing.
//!
//! `TERTULIA_KILLS=full` goes through every point of a conversation, with three hits of each.

use tertulia_testkit::matrix_person::{MatrixPerson, NewRoom, Saying};

use super::scene::{PlainPerson, Scene, Setup, Someone};

/// Answers that are long enough to be shown while they grow.
const SLOW: &str = "[providers.demo]\npause_ms = 30\n";
const LONG: &str = "and then ten words more so that it grows a little";

/// The points of the usual run: before and after the inbox, in the middle of an answer, and around what is sent.
const POINTS: &[&str] = &[
    "before_accept",
    "after_accept",
    "at_delta",
    "before_post",
    "after_post",
    "after_edit",
];
/// All others that a conversation on this platform reaches.
const FURTHER: &[&str] = &[
    "before_begin",
    "after_begin",
    "before_ask",
    "before_open_slot",
    "after_open_slot",
    "before_settle",
    "after_settle",
    "before_reply",
    "after_reply",
    "before_edit",
    "before_progress_light",
    "after_progress_light",
];

/// The people, and what was said to the bot so far.
struct Talk {
    anna: PlainPerson,
    clear: String,
    ben: MatrixPerson,
    secret: String,
    said: Vec<String>,
}

impl Talk {
    async fn begin(scene: &Scene) -> Self {
        let anna = scene.plain("anna").await;
        let ben = scene.encrypting("ben").await;
        let clear = scene.room(&anna, NewRoom::default().direct()).await;
        let secret = scene.room(&ben, NewRoom::encrypted().direct()).await;
        let said = Vec::new();
        Self {
            anna,
            clear,
            ben,
            secret,
            said,
        }
    }

    /// The same is said in both rooms, where a command that does not queue is said as well.
    async fn say(&mut self, word: &str) {
        let words = format!("{word}. {LONG}");
        let saying = Saying::new(&words);
        tokio::join!(
            self.anna.says(&self.clear, &saying),
            self.ben.says(&self.secret, &saying)
        );
        self.anna.say(&self.clear, "!path").await;
        self.said.push(words);
    }

    /// Everything was answered once and in order in both rooms, and every command once.
    async fn judge(&self, scene: &Scene) {
        scene.hears_in_order(&self.anna, &self.clear, &self.said).await;
        scene.hears_in_order(&self.ben, &self.secret, &self.said).await;
        let paths = async || {
            let shown = scene.shown(&self.anna, &self.clear).await;
            let count = shown
                .iter()
                .filter(|shown| shown["body"].to_string().contains("path is"))
                .count();
            (count >= self.said.len()).then_some(count)
        };
        assert_eq!(
            scene.until("every path", paths).await,
            self.said.len(),
            "{}",
            scene.log()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_death_at_a_named_point_loses_and_doubles_nothing() {
    let Some(mut scene) = Setup::new(SLOW).admins(&["anna", "ben"]).start().await else {
        return;
    };
    let mut talk = Talk::begin(&scene).await;
    let full = std::env::var("TERTULIA_KILLS").is_ok_and(|word| word == "full");
    let (points, hits): (Vec<_>, _) = if full {
        (POINTS.iter().chain(FURTHER).collect(), 3)
    } else {
        (POINTS.iter().collect(), 1)
    };
    for (point, hit) in points.iter().flat_map(|point| (1..=hits).map(move |hit| (point, hit))) {
        let home = scene.kill();
        scene.setup().set_crash(Some(&format!("{point}:{hit}")));
        talk.say(&format!("{point}-{hit}")).await;
        scene.wake(home);
        if hit > 1 {
            talk.say(&format!("{point}-{hit}-more")).await;
        }
        let home = scene.died();
        scene.setup().set_crash(None);
        scene.wake(home);
        talk.judge(&scene).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_between_question_and_answer_loses_and_doubles_nothing() {
    let Some(mut scene) = Setup::new(SLOW).admins(&["anna", "ben"]).start().await else {
        return;
    };
    let mut talk = Talk::begin(&scene).await;
    for nth in 0..3 {
        talk.say(&format!("first-{nth}")).await;
        scene
            .hears(&talk.anna, &talk.clear, &format!("You said: first-{nth}"))
            .await;
        scene.kill_and_start();
        talk.say(&format!("second-{nth}")).await;
    }
    talk.judge(&scene).await;
}
