//! Status and code decide before wording does.

use super::*;

#[track_caller]
fn check(status: u16, body: &str, expected: ProviderFault) {
    let mut evidence = Evidence::from_body(body);
    evidence.status = Some(status);
    assert_eq!(evidence.fault(), expected, "{evidence:?}");
}

#[track_caller]
fn check_in_stream(body: &str, expected: ProviderFault) {
    let evidence = Evidence::from_body(body);
    assert_eq!(evidence.fault(), expected, "{evidence:?}");
}

const RATE: ProviderFault = ProviderFault::RateLimited { after: None };
const DOWN: ProviderFault = ProviderFault::Unavailable { after: None };

#[test]
fn the_two_families_of_429() {
    check(
        429,
        r#"{"error":{"message":"slow","type":"tokens","code":"rate_limit_exceeded"}}"#,
        RATE,
    );
    check(
        429,
        r#"{"error":{"message":"quota","type":"insufficient_quota","code":null}}"#,
        ProviderFault::Billing,
    );
    let code = r#"{"error":{"type":"x","code":"project_spend_limit_exceeded"}}"#;
    check(429, code, ProviderFault::Billing);
    check(429, "busy", RATE);
}

#[test]
fn keys_money_and_models() {
    check(401, "", ProviderFault::Unauthorized);
    check(403, "{}", ProviderFault::Unauthorized);
    check(
        403,
        r#"{"error":{"message":"flagged","metadata":{"reasons":["x"]}}}"#,
        ProviderFault::Rejected,
    );
    check(402, r#"{"error":"credits"}"#, ProviderFault::Billing);
    check(
        404,
        r#"{"error":{"code":"model_not_found"}}"#,
        ProviderFault::NoSuchModel,
    );
    check(404, r#"{"error":"model 'x' not found"}"#, ProviderFault::NoSuchModel);
    check(404, "<html>not found</html>", ProviderFault::Rejected);
    check(
        400,
        r#"{"error":{"message":"acme/none is not a valid model ID","code":400}}"#,
        ProviderFault::NoSuchModel,
    );
}

#[test]
fn too_long_unless_it_is_a_rate() {
    let size = r#"{"error":{"code":400,"message":"request (6031 tokens) exceeds the available context size (4096)"}}"#;
    check(400, size, ProviderFault::ContextTooLong);
    check(
        400,
        r#"{"error":{"code":"context_length_exceeded"}}"#,
        ProviderFault::ContextTooLong,
    );
    check(
        422,
        r#"{"error":"inputs tokens + max_new_tokens must be <= 4096"}"#,
        ProviderFault::ContextTooLong,
    );
    let minute = r#"{"error":{"message":"Request too large: token limit per minute","code":"rate_limit_exceeded"}}"#;
    check(413, minute, RATE);
    check(400, "token limit: your quota is used up", ProviderFault::Rejected);
    check(500, "prompt is too long", DOWN);
}

#[test]
fn anthropics_own_words() {
    let error = |kind: &str, message: &str| {
        format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"req_1"}}"#)
    };
    let invalid = |message: &str| error("invalid_request_error", message);
    check(
        400,
        &invalid("Your credit balance is too low to go on"),
        ProviderFault::Billing,
    );
    check(
        429,
        &error("rate_limit_error", "enforced_spend_limit_reached"),
        ProviderFault::Billing,
    );
    check(429, &error("rate_limit_error", "30,000 input tokens per minute"), RATE);
    check(
        400,
        &invalid("input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000"),
        ProviderFault::ContextTooLong,
    );
    check(
        413,
        &error("request_too_large", "Request exceeds the maximum size"),
        ProviderFault::ContextTooLong,
    );
    check(
        404,
        &error("not_found_error", "model: claude-none"),
        ProviderFault::NoSuchModel,
    );
    check(404, &error("not_found_error", "Not Found"), ProviderFault::Rejected);
    check(529, &error("overloaded_error", "Overloaded"), DOWN);
    check_in_stream(&error("billing_error", "no money"), ProviderFault::Billing);
    check_in_stream(&error("timeout_error", "too slow"), DOWN);
    assert_eq!(Evidence::from_body(&invalid("x")).message, "x");
}

#[test]
fn servers_in_trouble() {
    for status in [408, 409, 500, 502, 503, 504, 529] {
        check(status, "<html>oops</html>", DOWN);
    }
    check(418, "teapot", ProviderFault::Rejected);
    check(302, "", ProviderFault::Rejected);
}

#[test]
fn errors_inside_a_stream() {
    check_in_stream(
        r#"{"error":{"code":400,"message":"Token limit reached"}}"#,
        ProviderFault::ContextTooLong,
    );
    check_in_stream(r#"{"error":{"code":502,"message":"gone"}}"#, DOWN);
    check_in_stream(
        r#"{"error":{"message":"oops","type":"server_error","code":null}}"#,
        DOWN,
    );
    check_in_stream(
        r#"{"error":{"message":"m","type":"invalid_request_error","status_code":400}}"#,
        ProviderFault::Rejected,
    );
    check_in_stream(r#"{"object":"error","message":"engine died"}"#, ProviderFault::Broken);
    check_in_stream(r#"{"object":"error","message":"engine died","code":500}"#, DOWN);
}

#[test]
fn messages_are_the_providers_own() {
    let message = |body: &str| Evidence::from_body(body).message;
    assert_eq!(message(r#"[{"error":{"message":"a"}}]"#), "a");
    assert_eq!(message(r#"{"error":"b"}"#), "b");
    assert_eq!(message(r#"{"detail":"c"}"#), "c");
    assert_eq!(
        message(r#"{"error":{"message":"d","metadata":{"raw":"upstream"}}}"#),
        "d: upstream"
    );
    assert_eq!(message(" plain \n"), "plain");
}

#[test]
fn waits() {
    assert_eq!(wait(None, Some("2")), Some(Duration::from_secs(2)));
    assert_eq!(wait(Some("250"), Some("2")), Some(Duration::from_millis(250)));
    assert_eq!(wait(None, Some("1.5")), Some(Duration::from_millis(1500)));
    assert_eq!(wait(None, Some("-1")), None);
    assert_eq!(wait(None, Some("Wed, 21 Oct 2026 07:28:00 GMT")), None);
    assert_eq!(wait(None, None), None);
}

#[test]
fn the_details_of_google_say_how_long_and_whether_to_wait() {
    let quota = |id: &str, delay: &str| {
        format!(
            r#"[{{"error":{{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[
            {{"violations":[{{"quotaId":"{id}"}}]}},{{"retryDelay":"{delay}"}}]}}}}]"#
        )
    };
    let wait = |seconds| ProviderFault::RateLimited {
        after: Some(Duration::from_secs_f64(seconds)),
    };
    check(429, &quota("GenerateRequestsPerMinutePerProject", "34.4s"), wait(34.4));
    check_in_stream(&quota("GenerateRequestsPerMinutePerProject", "2s"), wait(2.0));
    check(429, &quota("GenerateRequestsPerMinutePerProject", "soon"), RATE);
    check(429, &quota("GenerateRequestsPerMinutePerProject", "-1s"), RATE);
    check(
        429,
        &quota("GenerateRequestsPerDayPerProject", "41s"),
        ProviderFault::Billing,
    );
    let key = r#"{"error":{"code":400,"message":"API key not valid.","details":[{"reason":"API_KEY_INVALID"}]}}"#;
    check(400, key, ProviderFault::Unauthorized);
    check(
        400,
        r#"{"error":{"message":"x","details":"none"}}"#,
        ProviderFault::Rejected,
    );
}
