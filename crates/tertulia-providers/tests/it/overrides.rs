//! Every ability that an operator takes from a model shows in what every kind sends to it.

use serde_json::Value;
use tertulia_providers::AbilityOverrides;

use crate::wire::sent;

const KINDS: [&str; 10] = [
    "openai",
    "responses",
    "anthropic",
    "deepseek",
    "openrouter",
    "google",
    "huggingface",
    "huggingface-text",
    "ollama",
    "replicate",
];
/// The picture of the conversation, in base64.
const PICTURE: &str = "cG5n";

const ALL: AbilityOverrides = AbilityOverrides {
    conversation: Some(true),
    system: Some(true),
    tool_calls: Some(true),
    vision: Some(true),
    thinking: None,
    max_context: Some(32_000),
};

/// The body that a kind sends.
async fn body(kind: &str, abilities: AbilityOverrides) -> (String, Value) {
    let sent = sent(kind, abilities).await;
    let (_, body) = sent.split_once('\n').unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    assert!(sent.contains("Be kind."), "{kind}: the system prompt is lost: {sent}");
    (body.to_string(), body)
}

#[tokio::test]
async fn without_conversation_there_is_one_prompt() {
    let abilities = AbilityOverrides {
        conversation: Some(false),
        ..ALL
    };
    for kind in KINDS {
        let (text, body) = body(kind, abilities).await;
        assert!(
            text.contains("Human: \\\"bob\\\": And what is this?") && text.contains("Assistant:\""),
            "{kind}: {text}"
        );
        assert!(body["tools"].is_null(), "{kind}: {text}");
        for several in ["messages", "contents"] {
            assert!(
                body[several].as_array().is_none_or(|list| list.len() == 1),
                "{kind}: {text}"
            );
        }
    }
}

#[tokio::test]
async fn without_system_messages_the_prompt_is_said_by_the_user() {
    let abilities = AbilityOverrides {
        system: Some(false),
        ..ALL
    };
    // Gemini's instruction is no message
    for kind in KINDS.into_iter().filter(|kind| *kind != "google") {
        let (text, body) = body(kind, abilities).await;
        for role in ["system", "developer"] {
            assert!(!text.contains(&format!("\"role\":\"{role}\"")), "{kind}: {text}");
        }
        for apart in ["system", "instructions"] {
            assert!(body[apart].is_null(), "{kind}: {text}");
        }
        assert!(body["input"]["system_prompt"].is_null(), "{kind}: {text}");
    }
}

#[tokio::test]
async fn without_tool_calls_none_are_offered_or_told_in_the_own_way() {
    let abilities = AbilityOverrides {
        tool_calls: Some(false),
        ..ALL
    };
    for kind in KINDS {
        let (text, body) = body(kind, abilities).await;
        assert!(
            body["tools"].is_null() && text.contains("message_web"),
            "{kind}: {text}"
        );
        for own in [
            "\"tool_calls\"",
            "\"role\":\"tool\"",
            "tool_use",
            "functionCall",
            "function_call",
        ] {
            assert!(!text.contains(own), "{kind}: {text}");
        }
    }
}

#[tokio::test]
async fn blind_models_get_no_pictures() {
    for kind in KINDS {
        // what a model of text generation or without a field for it cannot see, nobody can make it see
        let sees = !matches!(kind, "huggingface-text" | "replicate");
        assert_eq!(body(kind, ALL).await.0.contains(PICTURE), sees, "{kind}");
        let blind = AbilityOverrides {
            vision: Some(false),
            ..ALL
        };
        assert!(!body(kind, blind).await.0.contains(PICTURE), "{kind}");
        let prompt = AbilityOverrides {
            conversation: Some(false),
            ..blind
        };
        assert!(!body(kind, prompt).await.0.contains(PICTURE), "{kind}");
    }
}
