//! Reads recordings.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// One recording, with one exchange or two.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) results: Vec<RecordedResult>,
}

/// What was answered, and what a client must make of it.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
    pub(crate) expected: Value,
}

/// What a tool answered.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct RecordedResult {
    /// `None` where the wire has no ids: then the results stand in the order of the calls.
    pub(crate) id: Option<String>,
    #[serde(deserialize_with = "as_text")]
    pub(crate) content: String,
}

#[derive(Deserialize)]
struct Recording {
    api: String,
    #[serde(flatten)]
    single: Option<Interaction>,
    interactions: Option<Vec<Interaction>>,
    #[serde(default)]
    tool_results: Vec<RecordedResult>,
}

#[derive(Deserialize)]
struct Interaction {
    /// Missing where it was not recorded.
    request: Option<Asked>,
    response: Response,
    expected: Value,
}

#[derive(Deserialize, Default)]
struct Asked {
    #[serde(default)]
    method: String,
    #[serde(default)]
    path: String,
}

#[derive(Deserialize)]
struct Response {
    status: u16,
    content_type: String,
    #[serde(default)]
    headers: Option<BTreeMap<String, String>>,
    body: String,
}

/// Where the recordings are; `None`, with a message, where they are not.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/recordings");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: ../shared/recordings is not there");
    None
}

/// How many recordings of an API the list of them has in these folders.
pub(crate) fn listed(root: &Path, folders: &[&str], api: &str) -> usize {
    let list = fs::read_to_string(root.join("index.tsv")).unwrap();
    let is_meant = |row: &&str| {
        let mut fields = row.split('\t');
        let folder = fields.next().and_then(|file| file.split('/').next());
        folder.is_some_and(|folder| folders.contains(&folder)) && fields.nth(1) == Some(api)
    };
    list.lines().filter(is_meant).count()
}

/// All recordings of an API in these folders, and the number of files of other APIs.
///
/// # Panics
/// When they are not those that are listed.
pub(crate) fn cases(root: &Path, folders: &[&str], api: &str) -> (Vec<Case>, usize) {
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| {
            fs::read_dir(root.join(folder))
                .unwrap()
                .map(|entry| entry.unwrap().path())
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let total = paths.len();
    let cases: Vec<Case> = paths.iter().filter_map(|path| case(root, path, api)).collect();
    let others = total - cases.len();
    let listed = listed(root, folders, api);
    assert!(
        listed > 0 && cases.len() == listed,
        "{} of {listed} recordings",
        cases.len()
    );
    (cases, others)
}

fn case(root: &Path, path: &Path, api: &str) -> Option<Case> {
    let recording: Recording = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    if recording.api != api {
        return None;
    }
    let interactions = recording
        .interactions
        .unwrap_or_else(|| recording.single.into_iter().collect());
    Some(Case {
        name: path.strip_prefix(root).unwrap().display().to_string(),
        exchanges: interactions.into_iter().map(exchange).collect(),
        results: recording.tool_results,
    })
}

fn exchange(interaction: Interaction) -> Exchange {
    let response = interaction.response;
    let asked = interaction.request.unwrap_or_default();
    Exchange {
        method: asked.method,
        path: asked.path,
        status: response.status,
        content_type: response.content_type,
        headers: response.headers.unwrap_or_default(),
        body: response.body,
        expected: interaction.expected,
    }
}

fn as_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}
