//! When something was said, in the forms in which bots have written it down.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use rusqlite::types::Value;

/// The end of the year 9999, in milliseconds since 1970.
const LATEST: i64 = 253_402_300_799_999;

/// Milliseconds since 1970: from seconds, milliseconds, microseconds or nanoseconds, as a number or as text, or from a date
/// in ISO's form, which is in UTC where it does not say.
pub(super) fn read(value: &Value) -> Result<i64, &'static str> {
    let millis = match value {
        Value::Null => return Err("it has no timestamp"),
        Value::Blob(_) => return Err("its timestamp is bytes"),
        Value::Integer(number) => of_number(i128::from(*number) * 1_000_000),
        Value::Real(number) => of_real(*number),
        Value::Text(text) => of_text(text.trim()),
    };
    let millis = millis.ok_or("its timestamp is no moment")?;
    if (0..=LATEST).contains(&millis) {
        Ok(millis)
    } else {
        Err("its timestamp is before 1970 or after 9999")
    }
}

/// From millionths of a number whose size tells its unit: a date in seconds has at most eleven digits.
fn of_number(millionths: i128) -> Option<i64> {
    const WHOLE: i128 = 1_000_000;
    let per_milli = match millionths.abs() / WHOLE {
        0..100_000_000_000 => WHOLE / 1_000,
        100_000_000_000..100_000_000_000_000 => WHOLE,
        100_000_000_000_000..100_000_000_000_000_000 => WHOLE * 1_000,
        _ => WHOLE * 1_000_000,
    };
    i64::try_from(millionths.div_euclid(per_milli)).ok()
}

fn of_real(number: f64) -> Option<i64> {
    if !number.is_finite() || number.abs() >= 1e19 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "its size was checked")]
    let millionths = (number * 1e6).round() as i128;
    of_number(millionths)
}

fn of_text(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse::<i64>() {
        return of_number(i128::from(number) * 1_000_000);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && let Ok(number) = text.parse::<f64>()
    {
        return of_real(number);
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.as_millisecond());
    }
    let civil = text.parse::<DateTime>().ok();
    let civil = civil.or_else(|| {
        text.parse::<Date>()
            .ok()
            .map(|date| date.to_datetime(jiff::civil::Time::midnight()))
    });
    Some(TimeZone::UTC.to_timestamp(civil?).ok()?.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_form_is_the_same_moment() {
        let moment = 1_714_564_800_123;
        for value in [
            Value::Integer(1_714_564_800_123),
            Value::Integer(1_714_564_800_123_456),
            Value::Integer(1_714_564_800_123_456_789),
            Value::Real(1_714_564_800.123),
            Value::Real(1_714_564_800_123.4),
            Value::Text("1714564800.123".to_owned()),
            Value::Text(" 1714564800123 ".to_owned()),
            Value::Text("2024-05-01T12:00:00.123Z".to_owned()),
            Value::Text("2024-05-01T14:00:00.123+02:00".to_owned()),
            Value::Text("2024-05-01 12:00:00.123456+00:00".to_owned()),
            Value::Text("2024-05-01 12:00:00.123456".to_owned()),
            Value::Text("2024-05-01T12:00:00.123".to_owned()),
        ] {
            assert_eq!(read(&value), Ok(moment), "{value:?}");
        }
        let seconds = 1_714_564_800_000;
        for value in [
            Value::Integer(1_714_564_800),
            Value::Text("2024-05-01 12:00:00".to_owned()),
        ] {
            assert_eq!(read(&value), Ok(seconds), "{value:?}");
        }
        assert_eq!(read(&Value::Text("2024-05-01".to_owned())), Ok(1_714_521_600_000));
        assert_eq!(read(&Value::Integer(0)), Ok(0));
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for value in [
            Value::Null,
            Value::Integer(-1),
            Value::Integer(i64::MIN),
            Value::Real(f64::NAN),
            Value::Real(f64::INFINITY),
            Value::Real(1e30),
            Value::Text(String::new()),
            Value::Text("yesterday".to_owned()),
            Value::Text("1.2.3".to_owned()),
            Value::Text("2024-13-01".to_owned()),
            Value::Blob(vec![1]),
        ] {
            assert!(read(&value).is_err(), "{value:?}");
        }
    }
}
