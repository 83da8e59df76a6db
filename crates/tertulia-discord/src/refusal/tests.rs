//! Each refusal, and what follows from it.

use super::*;

fn answer(status: u16, body: &str) -> Answer<'_> {
    Answer {
        status,
        retry_after: None,
        scope: None,
        body,
    }
}

fn coded(status: u16, code: u64, asked: Asked) -> Refusal {
    let body = format!(r#"{{"code": {code}, "message": "m"}}"#);
    answer(status, &body).refusal(asked)
}

fn failed(error: fn(String) -> DeliverError, words: &str) -> Refusal {
    Refusal::Failed(error(words.to_owned()))
}

#[test]
fn codes_tell_what_is_wrong() {
    use Asked::{Delete, Edit, Interaction, Post, Read};
    for (status, code, asked, expected) in [
        (404, 10_008, Edit, failed(DeliverError::Missing, "404 10008: m")),
        (404, 10_008, Delete, Refusal::Done),
        (404, 10_008, Post, Refusal::Reference),
        (404, 10_008, Interaction, Refusal::Expired),
        (404, 10_003, Post, failed(DeliverError::Gone, "404 10003: m")),
        (404, 10_004, Read, failed(DeliverError::Gone, "404 10004: m")),
        (404, 10_062, Interaction, Refusal::Expired),
        (404, 10_015, Interaction, Refusal::Expired),
        (401, 50_027, Interaction, Refusal::Expired),
        (400, 40_060, Interaction, Refusal::Answered),
        (400, 50_083, Edit, Refusal::Archived("400 50083: m".to_owned())),
        (400, 50_083, Post, failed(DeliverError::Refused, "400 50083: m")),
        (400, 160_005, Post, failed(DeliverError::Refused, "400 160005: m")),
        (400, 160_002, Post, Refusal::Reference),
        (400, 30_046, Edit, failed(DeliverError::Missing, "400 30046: m")),
        (429, 30_046, Edit, failed(DeliverError::Missing, "429 30046: m")),
        (403, 50_001, Post, failed(DeliverError::Refused, "403 50001: m")),
        (403, 50_013, Post, failed(DeliverError::Refused, "403 50013: m")),
        (403, 50_007, Post, failed(DeliverError::Refused, "403 50007: m")),
        (403, 50_005, Edit, failed(DeliverError::Missing, "403 50005: m")),
        (403, 0, Post, failed(DeliverError::Refused, "403 0: m")),
        (400, 50_006, Post, failed(DeliverError::Malformed, "400 50006: m")),
        (400, 200_000, Post, failed(DeliverError::Malformed, "400 200000: m")),
        (413, 40_005, Post, failed(DeliverError::Malformed, "413 40005: m")),
        (500, 130_000, Post, failed(DeliverError::Lost, "500 130000: m")),
        (404, 0, Post, failed(DeliverError::Malformed, "404 0: m")),
        (401, 0, Post, Refusal::DeadToken),
        (403, 40_333, Post, Refusal::Banned(BANNED_WAIT)),
        (500, 0, Post, failed(DeliverError::Unsure, "500 0: m")),
    ] {
        assert_eq!(coded(status, code, asked), expected, "{status} {code} {asked:?}");
    }
}

#[test]
fn what_stands_before_discord_speaks_no_json() {
    for (status, body, expected) in [
        (429, "<html>1015", Refusal::Banned(BANNED_WAIT)),
        (403, "error code: 1010", Refusal::Banned(BANNED_WAIT)),
        (404, "<html>", failed(DeliverError::Lost, "404")),
        (413, "", failed(DeliverError::Malformed, "413")),
        (502, "<html>", failed(DeliverError::Unsure, "502")),
        (520, "", failed(DeliverError::Unsure, "520")),
        (401, "", Refusal::DeadToken),
    ] {
        assert_eq!(answer(status, body).refusal(Asked::Post), expected, "{status} {body}");
    }
    let mut long = answer(429, "");
    long.retry_after = Some(3000);
    assert_eq!(long.refusal(Asked::Read), Refusal::Banned(Duration::from_mins(50)));
}

#[test]
fn a_form_tells_which_field_is_wrong() {
    let refusal = |errors: &str| {
        let body = format!(r#"{{"code": 50035, "message": "Invalid Form Body", "errors": {errors}}}"#);
        answer(400, &body).refusal(Asked::Post)
    };
    let long = r#"{"content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."}]}}"#;
    assert_eq!(refusal(long), Refusal::Failed(DeliverError::TooLong));
    let reference = r#"{"message_reference": {"_errors": [{"code": "REPLIES_UNKNOWN_MESSAGE"}]}}"#;
    assert_eq!(refusal(reference), Refusal::Reference);
    let other = r#"{"components": {"0": {}}}"#;
    assert_eq!(
        refusal(other),
        failed(DeliverError::Malformed, "400 50035: Invalid Form Body (components)")
    );
    assert_eq!(
        refusal("7"),
        failed(DeliverError::Malformed, "400 50035: Invalid Form Body ()")
    );
}

#[test]
fn waits_are_discord_s_own_within_an_hour() {
    let limited = |body: &str, retry_after, scope| {
        let answer = Answer {
            status: 429,
            retry_after,
            scope,
            body,
        };
        match answer.refusal(Asked::Post) {
            Refusal::Failed(DeliverError::RateLimited { after, scope }) => (after.as_millis(), scope),
            other => panic!("not limited: {other:?}"),
        }
    };
    let body = r#"{"message": "You are being rate limited.", "retry_after": 0.25, "global": false}"#;
    assert_eq!(limited(body, Some(1), Some(Scope::User)), (250, RateScope::Path));
    assert_eq!(limited(body, Some(1), Some(Scope::Shared)), (250, RateScope::Path));
    assert_eq!(limited(body, Some(1), Some(Scope::Global)), (250, RateScope::Account));
    let global = r#"{"message": "x", "retry_after": 7, "global": true}"#;
    assert_eq!(limited(global, None, None), (7000, RateScope::Account));
    let slow = r#"{"code": 20016, "message": "slowmode", "retry_after": 12.5}"#;
    assert_eq!(limited(slow, None, None), (12_500, RateScope::Path));
    for (odd, retry_after, expected) in [
        (r#"{"message": "x"}"#, Some(3), 3000),
        (r#"{"message": "x"}"#, None, 5000),
        (r#"{"message": "x", "retry_after": -1}"#, None, 5000),
        (r#"{"message": "x", "retry_after": 1e300}"#, None, 5000),
        (r#"{"message": "x", "retry_after": 1e6}"#, None, 3_600_000),
    ] {
        assert_eq!(limited(odd, retry_after, None).0, expected, "{odd}");
    }
}

#[test]
fn only_what_is_our_own_fault_counts_against_us() {
    for (status, scope, expected) in [
        (401, None, true),
        (403, None, true),
        (429, None, true),
        (429, Some(Scope::User), true),
        (429, Some(Scope::Shared), false),
        (404, None, false),
        (500, None, false),
    ] {
        let answer = Answer {
            scope,
            ..answer(status, "")
        };
        assert_eq!(answer.is_invalid(), expected, "{status} {scope:?}");
    }
    assert_eq!([Scope::read("user"), Scope::read("x")], [Some(Scope::User), None]);
}
