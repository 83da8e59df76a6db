//! Discord's ids: numbers that hold the time at which they were made, so that their order is that of time.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// The beginning of Discord's time, in milliseconds since 1970.
const EPOCH: i64 = 1_420_070_400_000;
/// The lower bits of an id, which number what was made within one millisecond.
const BELOW_TIME: u32 = 22;

/// The id of anything on Discord.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Snowflake(u64);

/// What is no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id of this platform")]
pub struct NotAnId;

impl Snowflake {
    /// The id of this number; none for zero.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        (number > 0).then_some(Self(number))
    }

    /// The number itself.
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }

    /// When it was made, in milliseconds since 1970.
    #[must_use]
    pub fn made_at(self) -> i64 {
        // 42 bits fit
        i64::try_from(self.0 >> BELOW_TIME)
            .unwrap_or(i64::MAX - EPOCH)
            .saturating_add(EPOCH)
    }

    /// The smallest id that can have been made at this time, in milliseconds since 1970.
    #[must_use]
    pub fn at(millis: i64) -> Self {
        let since = u64::try_from(millis.saturating_sub(EPOCH)).unwrap_or(0);
        Self(since.min(u64::MAX >> BELOW_TIME) << BELOW_TIME).or_first()
    }

    /// The id before this one; the first one has none and stays.
    #[must_use]
    pub fn before(self) -> Self {
        Self(self.0 - 1).or_first()
    }

    fn or_first(self) -> Self {
        Self(self.0.max(1))
    }
}

impl FromStr for Snowflake {
    type Err = NotAnId;

    /// Reads the one form that every id has: digits, the first of them not zero.
    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let is_plain = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_plain);
        number.and_then(Self::new).ok_or(NotAnId)
    }
}

impl fmt::Display for Snowflake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

impl Serialize for Snowflake {
    /// As text, as Discord writes them: not every reader of JSON keeps 64 bits.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_tells_its_time() {
        let id: Snowflake = "175928847299117063".parse().unwrap();
        assert_eq!(id.made_at(), 1_462_015_105_796);
        assert!(Snowflake::at(id.made_at()) <= id && Snowflake::at(id.made_at() + 1) > id);
        assert_eq!(Snowflake::at(0).get(), 1);
        assert_eq!(Snowflake::at(EPOCH).before().get(), 1);
    }

    #[test]
    fn nothing_else_is_an_id() {
        for odd in ["", "0", "007", "+7", "-7", "x", "7 ", "18446744073709551616", "٣"] {
            assert_eq!(odd.parse::<Snowflake>(), Err(NotAnId), "{odd:?}");
        }
    }

    proptest! {
        #[test]
        fn ids_round_trip_and_keep_their_order(one in 1..=u64::MAX, other in 1..=u64::MAX) {
            let [one, other] = [one, other].map(|number| Snowflake::new(number).unwrap());
            prop_assert_eq!(one.to_string().parse(), Ok(one));
            prop_assert!(one < other || one.made_at() >= other.made_at());
            prop_assert_eq!(serde_json::to_string(&one).unwrap(), format!("\"{one}\""));
            prop_assert!(Snowflake::at(one.made_at()) <= one);
        }

        #[test]
        fn any_time_has_an_id(millis in any::<i64>()) {
            prop_assert!(Snowflake::at(millis).get() > 0);
        }
    }
}
