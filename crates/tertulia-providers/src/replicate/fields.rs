//! How a model names the fields of its input: as the operator says, as its schema says, or as is known of it.

use serde_json::Value;

use super::ReplicateModel;

/// The fields that a model has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(crate) prompt: String,
    pub(crate) system: Option<String>,
    pub(crate) limit: Option<String>,
    pub(crate) temperature: Option<String>,
    pub(crate) top_p: Option<String>,
    pub(crate) seed: Option<String>,
    pub(crate) images: Option<ListOr>,
    pub(crate) stop: Option<ListOr>,
    pub(crate) sound: Option<String>,
    pub(crate) voice: Option<String>,
    /// There are `width` and `height`.
    pub(crate) size: bool,
}

/// A field that takes a list, or one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListOr {
    pub(crate) name: String,
    pub(crate) is_list: bool,
}

const PROMPT: [&str; 3] = ["prompt", "text", "message"];
const SYSTEM: [&str; 4] = ["system_prompt", "system_instruction", "system_message", "system"];
const LIMIT: [&str; 5] = [
    "max_tokens",
    "max_new_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "max_length",
];
const IMAGES: [&str; 5] = ["images", "image_input", "image", "input_images", "input_image"];
const STOP: [&str; 2] = ["stop_sequences", "stop"];
const SOUND: [&str; 4] = ["audio", "audio_file", "input_audio", "file"];
const VOICE: [&str; 3] = ["voice", "voice_id", "speaker"];

/// What is known of models by the beginning of their names, for servers that do not tell: the fields of system prompt,
/// limit and pictures, and whether temperature and nucleus sampling can be set. The first that fits counts.
const TABLE: [(&str, Row); 6] = [
    ("meta/llama-2", (Some("system_prompt"), "max_new_tokens", None, true)),
    ("meta/", (Some("system_prompt"), "max_tokens", None, true)),
    ("ibm-granite/", (Some("system_prompt"), "max_tokens", None, true)),
    (
        "anthropic/",
        (Some("system_prompt"), "max_tokens", Some(("image", false)), false),
    ),
    (
        "openai/",
        (
            Some("system_prompt"),
            "max_completion_tokens",
            Some(("image_input", true)),
            false,
        ),
    ),
    (
        "google/gemini",
        (
            Some("system_instruction"),
            "max_output_tokens",
            Some(("images", true)),
            true,
        ),
    ),
];

type Row = (Option<&'static str>, &'static str, Option<(&'static str, bool)>, bool);

impl Default for Fields {
    /// A prompt, and nothing else: a model may refuse what it does not know.
    fn default() -> Self {
        Self {
            prompt: "prompt".to_owned(),
            system: None,
            limit: None,
            temperature: None,
            top_p: None,
            seed: None,
            images: None,
            stop: None,
            sound: None,
            voice: None,
            size: false,
        }
    }
}

impl Fields {
    /// What is known of a model by its owner and name in lower case.
    pub(crate) fn known(model: &str) -> Self {
        let Some((_, row)) = TABLE.iter().find(|(prefix, _)| model.starts_with(prefix)) else {
            return Self::default();
        };
        let (system, limit, images, sampled) = *row;
        let sampling = |name: &str| sampled.then(|| name.to_owned());
        Self {
            system: system.map(str::to_owned),
            limit: Some(limit.to_owned()),
            temperature: sampling("temperature"),
            top_p: sampling("top_p"),
            images: images.map(|(name, is_list)| ListOr {
                name: name.to_owned(),
                is_list,
            }),
            ..Self::default()
        }
    }

    /// What the schema of a model's input says, in the description of a model or of a version.
    pub(crate) fn described(described: &Value) -> Option<Self> {
        let version = described.get("latest_version").filter(|version| version.is_object());
        let schema = version.unwrap_or(described).get("openapi_schema")?;
        let fields = schema.pointer("/components/schemas/Input/properties")?.as_object()?;
        let first = |names: &[&str]| {
            let mut there = names.iter().filter(|name| fields.contains_key(**name));
            there.next().map(|name| (*name).to_owned())
        };
        let list_or = |names: &[&str]| {
            let name = first(names)?;
            let is_list = fields.get(&name)?.get("type")? == "array";
            Some(ListOr { name, is_list })
        };
        Some(Self {
            prompt: first(&PROMPT).unwrap_or_else(|| "prompt".to_owned()),
            system: first(&SYSTEM),
            limit: first(&LIMIT),
            temperature: first(&["temperature"]),
            top_p: first(&["top_p"]),
            seed: first(&["seed"]),
            images: list_or(&IMAGES),
            stop: list_or(&STOP),
            sound: first(&SOUND),
            voice: first(&VOICE),
            size: fields.contains_key("width") && fields.contains_key("height"),
        })
    }

    /// The same with what the operator says of the model.
    pub(crate) fn overruled(self, said: &ReplicateModel) -> Self {
        let either = |said: &Option<String>, known: Option<String>| match said {
            Some(name) => Some(name.clone()).filter(|name| !name.is_empty()),
            None => known,
        };
        let known_list = self.images.as_ref().is_some_and(|images| images.is_list);
        let images = either(&said.images, self.images.map(|images| images.name));
        Self {
            prompt: either(&said.prompt, None).unwrap_or(self.prompt),
            system: either(&said.system, self.system),
            limit: either(&said.limit, self.limit),
            temperature: either(&said.temperature, self.temperature),
            top_p: either(&said.top_p, self.top_p),
            images: images.map(|name| ListOr {
                name,
                is_list: said.image_list.unwrap_or(known_list),
            }),
            sound: either(&said.sound, self.sound),
            voice: either(&said.voice, self.voice),
            seed: self.seed,
            stop: self.stop,
            size: self.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_names_the_fields() {
        let schema = json!({"components": {"schemas": {"Input": {"properties": {
            "prompt": {"type": "string"}, "system_instruction": {"type": "string"}, "max_output_tokens": {"type": "integer"},
            "images": {"type": "array"}, "stop_sequences": {"type": "string"}, "top_p": {"type": "number"},
        }}}}});
        let fields = Fields::described(&json!({"latest_version": {"openapi_schema": schema}})).unwrap();
        assert_eq!(
            Fields::described(&json!({"openapi_schema": schema})),
            Some(fields.clone())
        );
        let list_or = |name: &str, is_list| {
            let name = name.to_owned();
            Some(ListOr { name, is_list })
        };
        let expected = Fields {
            system: Some("system_instruction".into()),
            limit: Some("max_output_tokens".into()),
            top_p: Some("top_p".into()),
            images: list_or("images", true),
            stop: list_or("stop_sequences", false),
            ..Fields::default()
        };
        assert_eq!(fields, expected);
        assert_eq!(Fields::described(&json!({"latest_version": null})), None);
    }

    #[test]
    fn the_operator_is_stronger() {
        let said = ReplicateModel {
            prompt: Some("question".into()),
            system: Some(String::new()),
            images: Some("picture".into()),
            image_list: Some(true),
            ..ReplicateModel::default()
        };
        let fields = Fields::known("anthropic/claude-4-sonnet").overruled(&said);
        assert_eq!((fields.prompt.as_str(), fields.system.as_deref()), ("question", None));
        assert_eq!(fields.limit.as_deref(), Some("max_tokens"));
        let images = fields.images.unwrap();
        assert_eq!((images.name.as_str(), images.is_list), ("picture", true));
        let known = Fields::known("meta/llama-2-70b-chat");
        assert_eq!(known.clone().overruled(&ReplicateModel::default()), known);
        assert_eq!(known.limit.as_deref(), Some("max_new_tokens"));
        assert_eq!(Fields::known("acme/chatty-8b"), Fields::default());
    }
}
