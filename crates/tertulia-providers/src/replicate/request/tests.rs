//! What is sent for which model.

use serde_json::json;
use tertulia_message::Generation;

use super::*;
use crate::replicate::ReplicateModel;
use crate::replicate::fields::Fields;

const ABLE: Capabilities = Capabilities {
    system: true,
    vision: true,
    ..crate::kinds::PROMPT_ONLY
};

fn picture(byte: u8) -> Part {
    Part::Picture(Picture {
        mime: "image/png".into(),
        bytes: [byte].into(),
    })
}

fn request() -> ModelRequest {
    ModelRequest {
        model: "acme/chatty-8b".into(),
        system: "Be kind.".into(),
        messages: vec![
            ChatMessage::User {
                parts: vec![Part::Text("Look.".into()), picture(1), picture(2)],
            },
            ChatMessage::Assistant {
                text: "Nice.".into(),
                calls: Vec::new(),
                data: None,
            },
            ChatMessage::user("Human: and now?"),
        ],
        tools: Vec::new(),
        generation: Generation {
            temperature: Some(0.5),
            top_p: Some(0.9),
            max_tokens: Some(64),
            stop: vec!["a,b".into(), "END".into()],
            seed: Some(7),
            ..Generation::default()
        },
    }
}

#[track_caller]
fn check(fields: &Fields, able: Capabilities, expected: &Value) {
    let mut body = Body::asking(&request(), fields, able);
    body.stream = true;
    let body = serde_json::to_value(body).unwrap();
    assert_eq!(body, json!({"input": expected, "stream": true}));
}

const TALK: &str = "Conversation History:\nuser: Look.\n\nassistant: Nice.\n\nHuman: > Human: and now?\n\nAssistant:";

#[test]
fn a_model_that_is_not_known_gets_a_prompt_and_nothing_else() {
    let prompt = format!("System: Be kind.\n\n{TALK}");
    check(&Fields::known("acme/chatty-8b"), ABLE, &json!({"prompt": prompt}));
}

#[test]
fn known_fields_are_used() {
    let expected = json!({
        "prompt": TALK, "system_instruction": "Be kind.", "max_output_tokens": 64, "temperature": 0.5, "top_p": 0.9,
        "images": ["data:image/png;base64,AQ==", "data:image/png;base64,Ag=="],
    });
    check(&Fields::known("google/gemini-2.5-flash"), ABLE, &expected);
    let expected = json!({
        "prompt": TALK, "system_prompt": "Be kind.", "max_tokens": 64, "image": "data:image/png;base64,Ag==",
    });
    check(&Fields::known("anthropic/claude-4-sonnet"), ABLE, &expected);
}

#[test]
fn what_the_operator_overrules_goes_into_the_prompt_or_away() {
    let able = Capabilities {
        system: false,
        vision: false,
        ..ABLE
    };
    let expected = json!({"prompt": format!("System: Be kind.\n\n{TALK}"), "max_tokens": 64});
    check(&Fields::known("anthropic/claude-4-sonnet"), able, &expected);
    let said = ReplicateModel {
        prompt: Some("text".into()),
        limit: Some("length".into()),
        ..ReplicateModel::default()
    };
    let expected = json!({"text": format!("System: Be kind.\n\n{TALK}"), "length": 64});
    check(&Fields::default().overruled(&said), ABLE, &expected);
}

#[test]
fn stops_are_a_list_or_a_text() {
    let with = |is_list| Fields {
        stop: Some(ListOr {
            name: "stop".into(),
            is_list,
        }),
        seed: Some("seed".into()),
        ..Fields::default()
    };
    let prompt = format!("System: Be kind.\n\n{TALK}");
    check(
        &with(true),
        ABLE,
        &json!({"prompt": prompt, "seed": 7, "stop": ["a,b", "END", "\n\nHuman:"]}),
    );
    check(
        &with(false),
        ABLE,
        &json!({"prompt": prompt, "seed": 7, "stop": "END,\n\nHuman:"}),
    );
}

#[test]
fn json_is_wished_for_in_words() {
    let mut request = request();
    request.generation.format = Some(json!({"type": "object"}));
    let fields = Fields {
        system: Some("system_prompt".into()),
        ..Fields::default()
    };
    let wish = "Be kind.\n\nAnswer with JSON that follows this schema";
    for (able, field) in [(ABLE, "system_prompt"), (crate::kinds::PROMPT_ONLY, "prompt")] {
        let body = serde_json::to_value(Body::asking(&request, &fields, able)).unwrap();
        assert!(body["input"][field].as_str().unwrap().contains(wish), "{body}");
    }
}
