//! When a message was sent, as a model reads it.

use crate::chat::{ChatMessage, Part};

const OPEN: &str = "[Sent on ";
const CLOSE: &str = " UTC]";
const DAYS: [&str; 7] = [
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
];

/// Puts the time behind a person's words. It stands with the message that is answered now, and nowhere else: all that is before
/// it stays letter by letter as it was, so that providers' prompt caches hold.
pub(super) fn stamp(message: &mut ChatMessage, millis: i64) {
    let ChatMessage::User { parts } = message else { return };
    let line = format!("{OPEN}{}{CLOSE}", written(millis));
    match parts.last_mut() {
        Some(Part::Text(text)) if text.is_empty() => text.push_str(&line),
        Some(Part::Text(text)) => {
            text.push_str("\n\n");
            text.push_str(&line);
        }
        Some(Part::Picture(_)) | None => parts.push(Part::Text(line)),
    }
}

/// The words without the time behind them.
#[must_use]
pub fn without_moment(text: &str) -> &str {
    let line = text.rsplit_once('\n').map_or(text, |(_, line)| line);
    if line.starts_with(OPEN) && line.ends_with(CLOSE) {
        text.strip_suffix(line).unwrap_or(text).trim_end_matches('\n')
    } else {
        text
    }
}

/// `Monday, 2026-11-30 at 20:28`.
fn written(millis: i64) -> String {
    const MINUTES_OF_DAY: i64 = 24 * 60;
    let minutes = millis.div_euclid(60_000);
    let (days, minute) = (minutes.div_euclid(MINUTES_OF_DAY), minutes.rem_euclid(MINUTES_OF_DAY));
    let (year, month, day) = date(days);
    let weekday = usize::try_from(days.rem_euclid(7))
        .ok()
        .and_then(|day| DAYS.get(day))
        .unwrap_or(&"");
    format!(
        "{weekday}, {year:04}-{month:02}-{day:02} at {:02}:{:02}",
        minute / 60,
        minute % 60
    )
}

/// The date so many days after 1 January 1970. Years begin in March, so that the odd day comes last.
fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_OF_ERA: i64 = 146_097;
    let days = days.saturating_add(719_468);
    let era = days.div_euclid(DAYS_OF_ERA);
    let day = days.rem_euclid(DAYS_OF_ERA);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(millis: i64, expected: &str) {
        assert_eq!(written(millis), expected);
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        check(0, "Thursday, 1970-01-01 at 00:00");
        check(-1, "Wednesday, 1969-12-31 at 23:59");
        check(951_782_400_000, "Tuesday, 2000-02-29 at 00:00");
        check(1_700_000_000_000, "Tuesday, 2023-11-14 at 22:13");
        check(4_107_542_399_999, "Sunday, 2100-02-28 at 23:59");
        check(4_107_542_400_000, "Monday, 2100-03-01 at 00:00");
    }

    #[test]
    fn the_time_stands_behind_the_words() {
        let mut message = ChatMessage::user("Hi\nyou");
        stamp(&mut message, 0);
        let text = "Hi\nyou\n\n[Sent on Thursday, 1970-01-01 at 00:00 UTC]";
        assert_eq!(message, ChatMessage::user(text));
        assert_eq!(without_moment(text), "Hi\nyou");
        for text in ["", "Hi", "[Sent on", "[Sent on x UTC] Hi"] {
            assert_eq!(without_moment(text), text);
        }
        let mut message = ChatMessage::user("");
        stamp(&mut message, 0);
        assert_eq!(
            message,
            ChatMessage::user("[Sent on Thursday, 1970-01-01 at 00:00 UTC]")
        );
    }
}
