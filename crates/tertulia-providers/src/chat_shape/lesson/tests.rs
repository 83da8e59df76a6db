//! What refusals of many servers teach.

use super::*;

fn refusal(body: &str, status: u16) -> Evidence {
    Evidence {
        status: Some(status),
        ..Evidence::from_body(body)
    }
}

#[track_caller]
fn check(body: &str, expected: Option<(Parameter, bool)>) {
    let lesson = Lesson::of(&refusal(body, 400), |_| true);
    assert_eq!(
        lesson.map(|lesson| (lesson.parameter, lesson.lasting)),
        expected,
        "{body}"
    );
}

#[test]
fn the_parameter_is_found_by_its_field_or_its_name() {
    check(
        r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}"#,
        Some((Parameter::MaxTokens, true)),
    );
    check(
        r#"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}"#,
        Some((Parameter::MaxTokens, true)),
    );
    check(
        r#"{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","param":"messages[0].role","code":"unsupported_value"}}"#,
        Some((Parameter::SystemRole, true)),
    );
    check(
        r#"{"error":{"message":"property 'seed' is unsupported"}}"#,
        Some((Parameter::Seed, true)),
    );
    check(
        r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"`temperature` is not supported\"}}"}}}"#,
        Some((Parameter::Temperature, true)),
    );
    check(
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","top_p"],"msg":"Extra inputs are not permitted"}]}"#,
        Some((Parameter::TopP, true)),
    );
}

#[test]
fn what_is_true_of_one_value_is_not_remembered() {
    check(
        r#"{"error":{"message":"Unsupported value: 'reasoning_effort' does not support 'max' with this model.","param":"reasoning_effort","code":"unsupported_value"}}"#,
        Some((Parameter::Thinking, false)),
    );
    check(
        r#"{"error":{"message":"Unsupported parameter: 'reasoning_effort' is not supported with this model.","param":"reasoning_effort","code":"unsupported_parameter"}}"#,
        Some((Parameter::Thinking, true)),
    );
    check(
        r#"{"error":{"message":"Reasoning is mandatory for this endpoint and cannot be disabled.","code":400}}"#,
        Some((Parameter::Thinking, false)),
    );
}

#[test]
fn other_refusals_teach_nothing() {
    for body in [
        r#"{"error":{"message":"Invalid value for temperature: 3","param":"temperature","code":"invalid_value"}}"#,
        r#"{"error":{"message":"temperature must be at most 2"}}"#,
        r#"{"error":{"message":"the model does not support images"}}"#,
        r#"{"error":{"message":"Unsupported parameter: 'tools'","param":"tools","code":"unsupported_parameter"}}"#,
        "",
    ] {
        check(body, None);
    }
    let seed = r#"{"error":{"message":"seed is not supported","param":"seed","code":"unsupported_parameter"}}"#;
    assert_eq!(Lesson::of(&refusal(seed, 429), |_| true), None);
    assert_eq!(Lesson::of(&refusal(seed, 400), |_| false), None);
}

#[test]
fn what_is_refused_is_left_out_or_said_in_another_way() {
    let without = |parameters: &[Parameter], known: Traits| {
        let mut unwanted = Unwanted::default();
        assert!(parameters.iter().all(|parameter| unwanted.insert(*parameter)));
        assert!(!unwanted.insert(parameters[0]));
        unwanted.taken_from(known)
    };
    let usual = Traits::USUAL;
    let newer = Traits {
        system_role: ChatRole::Developer,
        limit: ChatLimit::MaxCompletionTokens,
        ..usual
    };
    assert_eq!(Unwanted::default().taken_from(newer), newer);
    let old = Parameter::MaxTokens;
    assert_eq!(without(&[old], usual).limit, ChatLimit::MaxCompletionTokens);
    assert_eq!(
        without(&[Parameter::MaxCompletionTokens], newer).limit,
        ChatLimit::MaxTokens
    );
    assert_eq!(
        without(&[old, Parameter::MaxCompletionTokens], newer).limit,
        ChatLimit::None
    );
    assert_eq!(without(&[Parameter::SystemRole], usual).system_role, ChatRole::User);
    assert_eq!(
        without(&[Parameter::DeveloperRole], newer).system_role,
        ChatRole::System
    );
    assert_eq!(
        without(&[Parameter::SystemRole], newer).system_role,
        ChatRole::Developer
    );
    let bare = without(&Parameter::ALL, usual);
    assert_eq!(
        (bare.temperature, bare.stream_options, bare.thinking, bare.schema),
        (false, false, ChatThinking::None, false)
    );
}

#[test]
fn models_are_remembered_by_name_and_not_without_end() {
    let learnt = Learnt::default();
    learnt.remember("GPT-9", Parameter::Seed);
    assert!(!learnt.of("gpt-9").taken_from(Traits::USUAL).seed);
    assert_eq!(learnt.of("gpt-8"), Unwanted::default());
    for number in 0..200 {
        learnt.remember(&format!("m{number}"), Parameter::Seed);
    }
    assert_eq!(learnt.models().len(), MODELS);
}

#[test]
fn a_server_that_insists_on_turns_says_so() {
    for body in [
        r#"{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/...","code":400}}"#,
        r#"{"object":"error","message":"After the optional system message, conversation roles must alternate."}"#,
        r#"{"error":"Template error: roles are not alternating"}"#,
    ] {
        check(body, Some((Parameter::Neighbours, true)));
        let evidence = refusal(body, 500);
        assert!(Lesson::of(&evidence, |_| true).is_some() && Lesson::of(&evidence, |_| false).is_none());
    }
}
