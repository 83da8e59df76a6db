//! What the end of a call means for a delivery.

use tertulia_message::DeliverError;

use crate::call::Failure;
use crate::refusal::Refusal;

/// What became of a message whose call has failed.
pub(super) fn told(failure: Failure) -> DeliverError {
    match failure {
        Failure::Answered {
            refusal, words, status, ..
        } => match *refusal {
            Refusal::Failed(DeliverError::Refused(words)) if is_absence(&words) => DeliverError::Gone(words),
            Refusal::Failed(error) => error,
            // nothing was done, and nothing will be until there is another token
            Refusal::DeadToken => DeliverError::Lost("the token is no longer one".to_owned()),
            Refusal::Relation => DeliverError::Refused(words),
            Refusal::Done => DeliverError::Unsure(format!("{status} {words}")),
        },
        Failure::NotSent(why) => DeliverError::Lost(why),
        Failure::Unknown(why) => DeliverError::Unsure(why),
    }
}

/// True if the server refuses because the bot is not in the room, and not for what it may do there.
fn is_absence(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    ["not in room", "not a member", "unknown room", "not joined"]
        .iter()
        .any(|reason| words.contains(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(refusal: Refusal) -> DeliverError {
        told(Failure::Answered {
            status: 400,
            code: "M_X".to_owned(),
            words: "words".to_owned(),
            refusal: Box::new(refusal),
        })
    }

    #[test]
    fn failures_say_what_became_of_the_message() {
        let refused = |words: &str| answered(Refusal::Failed(DeliverError::Refused(words.to_owned())));
        assert!(matches!(
            refused("403 M_FORBIDDEN: User @b:h not in room !r:h (None)"),
            DeliverError::Gone(_)
        ));
        assert!(matches!(
            refused(
                "403 M_FORBIDDEN: You don't have permission to post that to the room. user_level (0) < send_level (50)"
            ),
            DeliverError::Refused(_)
        ));
        // what waits for another token is not lost
        assert!(matches!(answered(Refusal::DeadToken), DeliverError::Lost(_)));
        assert_eq!(answered(Refusal::Failed(DeliverError::TooLong)), DeliverError::TooLong);
        assert!(matches!(answered(Refusal::Relation), DeliverError::Refused(_)));
        assert!(matches!(told(Failure::NotSent(String::new())), DeliverError::Lost(_)));
        assert!(matches!(told(Failure::Unknown(String::new())), DeliverError::Unsure(_)));
    }
}
