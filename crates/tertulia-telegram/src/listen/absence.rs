//! Whether nobody asked Telegram for longer than it keeps messages; pure. The only clock here is Telegram's: the dates of messages.

use std::time::Duration;

/// The mark that holds when Telegram was last asked, in seconds since 1970.
pub(super) const POLLED_AT: &str = "polled_at";
/// Telegram keeps what nobody fetched for a day, in seconds.
const KEPT: i64 = 24 * 3600;
/// How often the mark is written, in seconds.
const OFTEN: i64 = 3600;

/// What is known of the time at Telegram.
#[derive(Debug, Default)]
pub(super) struct Absence {
    /// What the mark says.
    written: Option<i64>,
    /// Telegram's time when the listener began.
    began: Option<i64>,
}

impl Absence {
    /// Begins with the mark's value, if there is one.
    pub(super) fn since(mark: Option<&[u8]>) -> Self {
        let text = mark.and_then(|value| std::str::from_utf8(value).ok());
        Self {
            written: text.and_then(|text| text.parse().ok()),
            began: None,
        }
    }

    /// Something was sent at `date`, and came in when the listener had been at work for so long. True if nobody had asked
    /// Telegram for more than a day before it began; this is told once.
    pub(super) fn note(&mut self, date: i64, at_work: Duration) -> bool {
        let began = date.saturating_sub(seconds(at_work));
        let is_first = self.began.is_none();
        // what had to wait came in later than it was sent
        self.began = self.began.max(Some(began));
        is_first && self.written.is_some_and(|written| began.saturating_sub(written) > KEPT)
    }

    /// What the mark should say now, if that is worth writing.
    pub(super) fn due(&self, at_work: Duration) -> Option<i64> {
        let now = self.began?.saturating_add(seconds(at_work));
        let is_old = self.written.is_none_or(|written| now.saturating_sub(written) >= OFTEN);
        is_old.then_some(now)
    }

    /// The mark says it now.
    pub(super) fn wrote(&mut self, now: i64) {
        self.written = Some(now);
    }
}

fn seconds(time: Duration) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 3600;
    const NOW: i64 = 1_800_000_000;

    fn hours(hours: u64) -> Duration {
        Duration::from_secs(hours * 3600)
    }

    #[test]
    fn a_long_absence_is_told_once() {
        let mark = (NOW - 2 * DAY).to_string();
        let mut absence = Absence::since(Some(mark.as_bytes()));
        assert!(absence.note(NOW, Duration::ZERO));
        assert!(!absence.note(NOW + 5, Duration::from_secs(5)));
        let mut short = Absence::since(Some(mark.as_bytes()));
        assert!(!short.note(NOW - DAY, Duration::ZERO));
    }

    #[test]
    fn silence_is_no_absence() {
        let mark = (NOW - 3600).to_string();
        let mut absence = Absence::since(Some(mark.as_bytes()));
        assert!(
            !absence.note(NOW + 3 * DAY, hours(72)),
            "it was at work, and nobody wrote"
        );
        assert!(!Absence::since(None).note(NOW, Duration::ZERO));
        assert!(!Absence::since(Some(b"x")).note(NOW, Duration::ZERO));
    }

    #[test]
    fn the_mark_moves_at_most_hourly() {
        let mut absence = Absence::default();
        assert_eq!(absence.due(hours(1)), None, "no date is known yet");
        absence.note(NOW, Duration::ZERO);
        assert_eq!(absence.due(hours(0)), Some(NOW));
        absence.wrote(NOW);
        assert_eq!(absence.due(Duration::from_secs(3599)), None);
        assert_eq!(absence.due(hours(1)), Some(NOW + 3600));
    }
}
