//! A daemon that runs is asked how it is: it has the database, and says whether its writer answers.

use super::report::Report;
use crate::control::client::{Client, Whereabouts, plain};
use crate::environment::Environment;

pub(super) fn look(whereabouts: &Whereabouts, environment: &Environment, report: &mut Report) {
    let asked = Client::connect(whereabouts, environment).and_then(|mut client| client.health());
    match asked {
        Ok(answer) => match answer.error {
            None => report.ok(
                "daemon",
                format!("runs, and has the database: {}", one_line(&answer.text)),
            ),
            Some(problem) => report.fail(
                "daemon",
                one_line(&problem),
                "look into its log: `journalctl -u tertulia`",
            ),
        },
        Err(failure) => {
            let finding = format!("one runs, and cannot be asked: {failure}");
            let advice = if failure.is_not_permitted() {
                "run the doctor as root, or as the user of the daemon"
            } else {
                "it hangs, is about to start or stop, or has its socket elsewhere: look into its log, or restart it"
            };
            report.fail("daemon", finding, advice);
        }
    }
}

fn one_line(markdown: &str) -> String {
    let text = plain(markdown);
    let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches(['•', ' '])).collect();
    lines.join("; ")
}
