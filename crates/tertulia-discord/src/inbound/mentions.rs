//! What stands in angle brackets, as people see it: names instead of ids.

use super::{Reader, Scene, people};
use crate::ids::Snowflake;
use crate::wire::Message;

/// The longest of what stands in angle brackets, in bytes.
const LONGEST: usize = 120;
/// Seconds of a day.
const DAY: i64 = 86_400;

impl Reader<'_> {
    /// A text with names instead of ids.
    pub(super) fn readable(&self, text: &str, message: &Message, scene: Scene) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('<') {
            out.push_str(before);
            let end = behind.find('>').filter(|end| *end <= LONGEST);
            let inner = end.and_then(|end| behind.get(..end));
            let shown = inner.and_then(|inner| Some((self.shown(inner, message, scene)?, inner.len())));
            if let Some((shown, length)) = shown {
                out.push_str(&shown);
                rest = behind.get(length + 1..).unwrap_or_default();
            } else {
                out.push('<');
                rest = behind;
            }
        }
        out.push_str(rest);
        out
    }

    fn shown(&self, inner: &str, message: &Message, scene: Scene) -> Option<String> {
        if let Some(id) = inner.strip_prefix("@&") {
            let name = self.known.role_name(scene.guild, id.parse().ok()?)?;
            return Some(format!("@{}", people::clean(name)));
        }
        if let Some(id) = inner.strip_prefix('@') {
            let id: Snowflake = id.strip_prefix('!').unwrap_or(id).parse().ok()?;
            let user = message.mentions.iter().find(|user| user.id == id)?;
            return Some(format!("@{}", people::name(user)));
        }
        if let Some(id) = inner.strip_prefix('#') {
            let name = self.known.channel_name(id.parse().ok()?)?;
            return Some(format!("#{}", people::clean(name)));
        }
        emoji(inner).or_else(|| time(inner)).or_else(|| command(inner))
    }
}

/// An emoji of a server's own, `:name:id` or `a:name:id`.
fn emoji(inner: &str) -> Option<String> {
    let (name, id) = inner
        .strip_prefix('a')
        .unwrap_or(inner)
        .strip_prefix(':')?
        .split_once(':')?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    id.parse::<Snowflake>().ok()?;
    (!name.is_empty() && name.chars().all(is_name)).then(|| format!(":{name}:"))
}

/// A slash command, `/name:id`.
fn command(inner: &str) -> Option<String> {
    let (name, id) = inner.strip_prefix('/')?.split_once(':')?;
    id.parse::<Snowflake>().ok()?;
    Some(format!("/{}", people::clean(name)))
}

/// A time, `t:seconds` or `t:seconds:style`, which each reader sees in their own zone.
fn time(inner: &str) -> Option<String> {
    let seconds = inner.strip_prefix("t:")?;
    let seconds: i64 = seconds.split(':').next()?.parse().ok()?;
    // four-digit years
    if !(-62_135_596_800..253_402_300_800).contains(&seconds) {
        return None;
    }
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let of_day = seconds.rem_euclid(DAY);
    let (hour, minute) = (of_day / 3600, of_day % 3600 / 60);
    Some(format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC"))
}

/// The date of a day, counted from 1970, in years that begin with March.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_by_the_calendar() {
        for (inner, expected) in [
            ("t:0", Some("1970-01-01 00:00 UTC")),
            ("t:1709164800:R", Some("2024-02-29 00:00 UTC")),
            ("t:1709251199", Some("2024-02-29 23:59 UTC")),
            ("t:-1", Some("1969-12-31 23:59 UTC")),
            ("t:4102444800:F", Some("2100-01-01 00:00 UTC")),
            ("t:999999999999999", None),
            ("t:x", None),
        ] {
            assert_eq!(time(inner).as_deref(), expected, "{inner}");
        }
    }
}
