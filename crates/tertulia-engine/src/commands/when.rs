//! Times as people say them.

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// The longest time that can be given, in days.
const LONGEST: u32 = 3650;

/// How long something lasts, in its largest unit, rounded down; `millis` in milliseconds.
pub(super) fn length(millis: i64) -> String {
    let units = [(DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (SECOND, "second")];
    let (unit, name) = units
        .into_iter()
        .find(|(unit, _)| millis >= *unit)
        .unwrap_or((SECOND, "second"));
    let number = millis.max(0) / unit;
    format!("{number} {name}{}", if number == 1 { "" } else { "s" })
}

/// How long ago `then` was; both in milliseconds since 1970.
pub(super) fn ago(now: i64, then: i64) -> String {
    let since = now.saturating_sub(then);
    if since < SECOND {
        return "just now".to_owned();
    }
    format!("{} ago", length(since))
}

/// A moment, in milliseconds since 1970, to the minute, in UTC.
pub(super) fn stamp(at: i64) -> String {
    let minutes = at.rem_euclid(DAY) / MINUTE;
    let (year, month, day) = date(at.div_euclid(DAY));
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02} UTC",
        minutes / 60,
        minutes % 60
    )
}

/// The date so many days after the first of January 1970. A year begins in March here, so that the leap day is its last.
fn date(days: i64) -> (i64, i64, i64) {
    const IN_400_YEARS: i64 = 146_097;
    const TO_MARCH_OF_YEAR_0: i64 = 719_468;
    let days = days.saturating_add(TO_MARCH_OF_YEAR_0);
    let (era, day) = (days.div_euclid(IN_400_YEARS), days.rem_euclid(IN_400_YEARS));
    let year = (day - day / 1460 + day / 36_524 - day / (IN_400_YEARS - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let turns = month / 10;
    (era * 400 + year + turns, month + 3 - 12 * turns, day)
}

/// Reads `30m`, `12h` or `7d`, in milliseconds.
pub(super) fn read(text: &str) -> Option<i64> {
    let unit = match text.chars().next_back()? {
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        _ => return None,
    };
    let number = super::words::number(text.get(..text.len().saturating_sub(1))?)?;
    let millis = i64::from(number).checked_mul(unit)?;
    (millis > 0 && millis <= i64::from(LONGEST) * DAY).then_some(millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_said_in_their_largest_unit() {
        for (millis, expected) in [
            (-5, "0 seconds"),
            (999, "0 seconds"),
            (1000, "1 second"),
            (119_000, "1 minute"),
            (2 * HOUR, "2 hours"),
            (9 * DAY, "9 days"),
        ] {
            assert_eq!(length(millis), expected);
        }
        for (at, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (-1, "1969-12-31 23:59 UTC"),
            (951_782_400_000, "2000-02-29 00:00 UTC"),
            (1_700_000_000_000, "2023-11-14 22:13 UTC"),
            (4_107_542_399_999, "2100-02-28 23:59 UTC"),
            (4_107_542_400_000, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(stamp(at), expected);
        }
        assert_eq!(ago(10, 10), "just now");
        assert_eq!(ago(DAY, 0), "1 day ago");
        assert_eq!(ago(0, i64::MAX), "just now");
        assert_eq!(ago(i64::MAX, i64::MIN), ago(i64::MAX, 0));
    }

    #[test]
    fn times_are_read_strictly() {
        assert_eq!(read("30m"), Some(30 * MINUTE));
        assert_eq!(read("12h"), Some(12 * HOUR));
        assert_eq!(read("7d"), Some(7 * DAY));
        assert_eq!(read("3650d"), Some(3650 * DAY));
        for wrong in [
            "",
            "m",
            "0m",
            "-1h",
            "+1h",
            "1",
            "1s",
            "1.5h",
            "1 h",
            "٣d",
            "7D",
            "3651d",
            "99999999999d",
            "½d",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
