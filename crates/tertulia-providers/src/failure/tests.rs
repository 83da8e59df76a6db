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
        message(r#"{"error":{"message":"d","metadata":{"raw":"upstream","provider_name":null}}}"#),
        "d: upstream"
    );
    assert_eq!(message(" plain \n"), "plain");
}

#[test]
fn waits() {
    let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
    assert_eq!(wait(None, Some("2"), None), seconds(2.0));
    assert_eq!(wait(Some("250"), Some("2"), None), seconds(0.25));
    assert_eq!(wait(None, Some(" 1.5 "), None), seconds(1.5));
    for nonsense in ["-1", "NaN", "inf", "1e400", "soon", ""] {
        assert_eq!(wait(None, Some(nonsense), None), None, "{nonsense}");
    }
    assert_eq!(wait(None, None, None), None);
}

#[test]
fn dates_are_waits_by_the_servers_own_clock() {
    let date = "Wed, 21 Oct 2026 07:28:00 GMT";
    let check = |after, expected: Option<u64>| {
        assert_eq!(
            wait(None, Some(after), Some(date)),
            expected.map(Duration::from_secs),
            "{after}"
        );
    };
    check("Wed, 21 Oct 2026 07:28:09 GMT", Some(9));
    check("Wed, 21 Oct 2026 07:27:00 GMT", Some(0));
    check("Wed, 21 Okt 2026 07:28:09 GMT", None);
    assert_eq!(wait(None, Some(date), None), None);
}

#[test]
fn waits_in_the_body() {
    let wait = |body: &str| Evidence::from_body(body).after;
    let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
    assert_eq!(
        wait(r#"{"error":"Model x is loading","estimated_time":20.0}"#),
        seconds(20.0)
    );
    assert_eq!(
        wait(r#"{"title":"Too many","status":429,"retry_after":10}"#),
        seconds(10.0)
    );
    let said = |message: &str| wait(&serde_json::json!({ "error": { "message": message } }).to_string());
    assert_eq!(said("Limit 30000, Used 29000. Please try again in 2s."), seconds(2.0));
    assert_eq!(said("Please try again in 1m2.5s. Visit"), seconds(62.5));
    assert_eq!(said("Please try again in 6 minutes"), seconds(360.0));
    assert_eq!(said("Please retry in 250ms."), seconds(0.25));
    assert_eq!(said("Your rate limit resets in ~10s."), seconds(10.0));
    for none in [
        "try again in a while",
        "try again in 5",
        "try again in 3 moons",
        "try again in ...s",
        "again",
    ] {
        assert_eq!(said(none), None, "{none}");
    }
}

#[test]
fn the_server_says_whether_to_ask_again() {
    let fault = |status: u16, may_retry: bool| {
        let evidence = Evidence {
            status: Some(status),
            after: Some(Duration::from_secs(1)),
            may_retry: Some(may_retry),
            ..Evidence::default()
        };
        evidence.fault()
    };
    let soon = Some(Duration::from_secs(1));
    let never = Some(NOT_TODAY);
    assert_eq!(fault(429, true), ProviderFault::RateLimited { after: soon });
    assert_eq!(fault(429, false), ProviderFault::RateLimited { after: never });
    assert_eq!(fault(500, false), ProviderFault::Unavailable { after: never });
    assert_eq!(fault(400, true), ProviderFault::Unavailable { after: soon });
    assert_eq!(fault(401, true), ProviderFault::Unauthorized);
    assert_eq!(fault(400, false), ProviderFault::Rejected);
}

#[test]
fn openrouters_numbers_and_types() {
    let error = |code: u16, kind: &str| {
        format!(
            r#"{{"error":{{"code":{code},"message":"Provider returned error","metadata":{{"error_type":"{kind}"}}}}}}"#
        )
    };
    for (code, kind, expected) in [
        (400, "context_length_exceeded", ProviderFault::ContextTooLong),
        (400, "max_tokens_exceeded", ProviderFault::Rejected),
        (429, "rate_limit_exceeded", RATE),
        (400, "rate_limit_exceeded", RATE),
        (400, "provider_overloaded", DOWN),
        (502, "provider_unavailable", DOWN),
        (402, "payment_required", ProviderFault::Billing),
        (403, "payment_required", ProviderFault::Billing),
        (403, "content_policy_violation", ProviderFault::Rejected),
        (408, "timeout", DOWN),
        (413, "payload_too_large", ProviderFault::ContextTooLong),
    ] {
        check_in_stream(&error(code, kind), expected);
        check(code, &error(code, kind), expected);
    }
}

#[test]
fn too_much_in_the_words_of_others() {
    let tgi = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens";
    let less = "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000";
    for message in [
        tgi,
        less,
        "This model's maximum prompt length is 131072",
        "longer than the context length",
    ] {
        let body = serde_json::json!({ "error": message }).to_string();
        check(422, &body, ProviderFault::ContextTooLong);
        check(400, &body, ProviderFault::ContextTooLong);
    }
    check(
        413,
        "<html>Request Entity Too Large</html>",
        ProviderFault::ContextTooLong,
    );
    check(422, r#"{"error":"temperature must be <= 2"}"#, ProviderFault::Rejected);
    check(
        413,
        "Request too large: tokens per minute (TPM)",
        ProviderFault::Rejected,
    );
}

/// What each recorded error is, by the end of its name.
const RECORDED: [(&str, ProviderFault); 25] = [
    ("error-400-api-key", ProviderFault::Unauthorized),
    ("error-400-overflow", ProviderFault::ContextTooLong),
    ("error-400-context-length", ProviderFault::ContextTooLong),
    ("error-422-too-long", ProviderFault::ContextTooLong),
    ("error-413", ProviderFault::ContextTooLong),
    ("error-403-moderation", ProviderFault::Rejected),
    ("quota-no-retry", ProviderFault::Billing),
    ("per-day-no-retry", ProviderFault::Billing),
    ("openai-error-1", ProviderFault::Billing),
    ("openrouter/901-error-400", ProviderFault::NoSuchModel),
    ("replicate/010-error-404", ProviderFault::Rejected),
    ("tool-regular-error", ProviderFault::NoSuchModel),
    ("error-401", ProviderFault::Unauthorized),
    ("error-403", ProviderFault::Unauthorized),
    ("error-402", ProviderFault::Billing),
    ("error-404", ProviderFault::NoSuchModel),
    ("error-404-model", ProviderFault::NoSuchModel),
    ("error-500", DOWN),
    ("error-500-html", DOWN),
    ("error-502", DOWN),
    ("error-503", DOWN),
    ("error-503-loading", DOWN),
    ("error-529", DOWN),
    ("error-429", RATE),
    ("", ProviderFault::Rejected),
];

#[test]
fn recordings_of_errors_are_what_they_are() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/recordings"));
    let Ok(folders) = std::fs::read_dir(root) else {
        println!("skipped: no recordings at {}", root.display());
        return;
    };
    let files = folders
        .flatten()
        .flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
    let mut judged = 0;
    for file in files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
    {
        let recording: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let response = &recording["response"];
        let status = response["status"]
            .as_u64()
            .and_then(|status| u16::try_from(status).ok());
        let Some(status) = status.filter(|status| *status >= 400) else {
            continue;
        };
        let name = file.with_extension("");
        let name = name.to_string_lossy();
        let body = response["body"]
            .as_str()
            .map_or_else(|| response["body"].to_string(), str::to_owned);
        let evidence = Evidence {
            status: Some(status),
            ..Evidence::from_body(&body)
        };
        let expected = RECORDED.iter().find(|(end, _)| name.ends_with(end)).unwrap().1;
        let expected = if status == 429 && expected == ProviderFault::Rejected {
            RATE
        } else {
            expected
        };
        let same = std::mem::discriminant(&evidence.fault()) == std::mem::discriminant(&expected);
        assert!(same, "{name}: {:?} is not {expected:?}; {evidence:?}", evidence.fault());
        judged += 1;
    }
    println!("{judged} recorded errors");
    assert!(judged > 40, "only {judged}");
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
