//! Gemini against its strict double.

use serde_json::{Value, json};
use std::time::Duration;
use tertulia_core::chat::{ChatMessage, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::{ModelRequest, ProviderFault, Stop};
use tertulia_message::ToolOffer;
use tertulia_ports::Provider;
use tertulia_providers::{
    AbilityOverrides, Google, GoogleConfig, GoogleModel, GoogleThinking, Overrides, ServerConfig,
};
use tertulia_testkit::gemini_double::{GeminiDouble, GeminiScript};

use crate::asking::{CANARY, ask, request};

pub(crate) fn google_config(double: &GeminiDouble) -> GoogleConfig {
    GoogleConfig::of(ServerConfig {
        api_key: Some(CANARY.into()),
        model: GeminiDouble::MODEL.into(),
        ..ServerConfig::at("google", double.base_url())
    })
}

async fn double() -> GeminiDouble {
    GeminiDouble::start(Some(CANARY)).await.unwrap()
}

fn asking(messages: Vec<ChatMessage>) -> ModelRequest {
    ModelRequest {
        model: String::new(),
        tools: vec![ToolOffer {
            name: "dir.list".into(),
            description: String::new(),
            parameters: Value::Null,
        }],
        ..request(messages)
    }
}

#[tokio::test]
async fn a_round_of_tools_goes_there_and_back() {
    let double = double().await;
    let google = Google::new(google_config(&double)).unwrap();
    double.push(GeminiScript::Say {
        parts: vec![
            json!([{"text": "Let me see."}]),
            json!([{"functionCall": {"name": "dir_list", "args": {}}, "thoughtSignature": "signed"}]),
        ],
        pause: Duration::ZERO,
        reason: "STOP",
    });
    let mut messages = vec![ChatMessage::user("What is there?")];
    let answer = ask(&google, asking(messages.clone())).await;
    assert_eq!((answer.stop, answer.calls.len()), (Some(Stop::ToolCalls), 1));
    let call = ToolCall {
        id: "call_0_0".into(),
        name: answer.calls[0].name.clone().unwrap(),
        arguments: answer.calls[0].arguments.clone(),
    };
    messages.push(ChatMessage::Assistant {
        text: answer.text,
        calls: vec![call.clone()],
        data: answer.data,
    });
    messages.push(ChatMessage::Tool {
        results: vec![ToolResult {
            call_id: call.id,
            name: call.name,
            status: ToolStatus::Ok,
            content: "nothing".into(),
        }],
    });
    let answer = ask(&google, asking(messages)).await;
    assert_eq!(
        (answer.stop, answer.text.as_str()),
        (Some(Stop::Done), GeminiDouble::DEFAULT_ANSWER)
    );
    assert_eq!(double.refusals(), Vec::<String>::new());
    let parts = double.calls()[1].request["contents"][1]["parts"].clone();
    assert_eq!(parts[0], json!({"text": "Let me see."}));
    assert_eq!(parts[1]["thoughtSignature"], "signed");
}

#[tokio::test]
async fn the_window_is_learnt_when_asked_for() {
    let double = double().await;
    let mut config = google_config(&double);
    let google = Google::new(config.clone()).unwrap();
    assert_eq!(google.probe("", false).await, Ok(()));
    assert_eq!(google.capabilities("").max_context, 1_048_576);
    assert_eq!(google.probe("", true).await, Ok(()));
    assert_eq!(
        google.capabilities("Gemini-3-Flash-Preview").max_context,
        GeminiDouble::WINDOW
    );
    let missing = google.probe("gemini-none", true).await.unwrap_err();
    assert_eq!(missing.kind, ProviderFault::NoSuchModel, "{missing}");
    config.server.capabilities = Overrides {
        all: AbilityOverrides {
            max_context: Some(1_000),
            vision: Some(false),
            ..AbilityOverrides::default()
        },
        ..Overrides::default()
    };
    let google = Google::new(config.clone()).unwrap();
    assert_eq!(google.probe("", true).await, Ok(()));
    let able = google.capabilities("");
    assert_eq!((able.max_context, able.vision, able.system), (1_000, false, false));
    config.server.api_key = Some("another".into());
    let refused = Google::new(config).unwrap().probe("", true).await.unwrap_err();
    assert_eq!(refused.kind, ProviderFault::Unauthorized, "{refused}");
}

#[tokio::test]
async fn what_the_operator_says_of_a_model_holds() {
    let double = double().await;
    let mut config = google_config(&double);
    let said = GoogleModel {
        thinking: Some(GoogleThinking::Never),
        instruction: Some(false),
        ..GoogleModel::default()
    };
    config.models.insert("Gemini-3-flash-PREVIEW".into(), said);
    let google = Google::new(config).unwrap();
    assert!(!google.capabilities("").thinking);
    let mut question = asking(vec![ChatMessage::user("Hi")]);
    question.system = "Be kind.".into();
    question.generation.think = Some(json!(true));
    assert_eq!(ask(&google, question).await.stop, Some(Stop::Done));
    let asked = double.calls()[0].request.clone();
    assert_eq!(
        (&asked["systemInstruction"], &asked["generationConfig"]),
        (&Value::Null, &json!({}))
    );
    assert_eq!(
        asked["contents"][0]["parts"],
        json!([{"text": "Be kind."}, {"text": "Hi"}])
    );
}

#[tokio::test]
async fn errors_hide_the_key() {
    let double = double().await;
    let google = Google::new(google_config(&double)).unwrap();
    let body = json!({"error": {"code": 503, "message": format!("{CANARY} is overloaded"), "status": "UNAVAILABLE"}});
    double.push(GeminiScript::Fail(503, body));
    let error = ask(&google, asking(vec![ChatMessage::user("Hi")])).await.error.unwrap();
    assert_eq!(error.kind, ProviderFault::Unavailable { after: None });
    assert!(
        !error.detail.contains(CANARY) && error.detail.contains("overloaded"),
        "{error}"
    );
}
