//! The layers of the configuration: defaults, file, environment, command line.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use config::{Config, Map, Source, Value, ValueKind};

use super::error::{ConfigError, Origin};
use super::file;
use crate::environment::Environment;

/// The file that is read when none is named, if it is there.
const USUAL_FILE: &str = "/etc/tertulia/bot.toml";

/// A larger file is no configuration, in bytes.
const LARGEST: u64 = 1 << 20;

/// What the names of our variables begin with.
const PREFIX: &str = "TERTULIA__";

/// What the values of the environment's layer say about their origin: the words of the `config` crate.
const ENVIRONMENT: &str = "the environment";

const PORT_OPTION: &str = "--port";
const DEFAULT: &str = "default";

const DEFAULTS: &str = r#"
[server]
bind = "127.0.0.1"
port = 11435
max_connections = 2048
[log]
format = "text"
level = "info"
[limits]
queue = 50
answer_bytes = 1048576
rounds = 10
history_entries = 400
passing_requests = 256
conversations = 1024
"#;

/// Where to look for layers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    /// The file of `--config`.
    pub(crate) file: Option<PathBuf>,
    /// The port of `--port`.
    pub(crate) port: Option<u16>,
}

impl Sources {
    /// The text of the file; empty where there is none.
    pub(crate) fn text(&self) -> Result<String, ConfigError> {
        read_file(self.file.as_deref()).map(|(_, text)| text)
    }

    /// True if no other file than the usual one is read.
    pub(crate) fn is_usual(&self) -> bool {
        self.file.as_deref().is_none_or(|file| file == Path::new(USUAL_FILE))
    }
}

/// The layers as one.
pub(crate) struct Merged {
    pub(crate) sections: Map<String, Value>,
    /// The file that was read.
    pub(crate) file: Option<PathBuf>,
}

impl Merged {
    /// Reads the layers and puts them on top of each other.
    pub(crate) fn read(sources: &Sources, environment: &Environment) -> Result<Self, ConfigError> {
        let mut builder = Config::builder().add_source(Layer::parse(DEFAULT, DEFAULTS)?);
        let (file, text) = read_file(sources.file.as_deref())?;
        if let Some(file) = &file {
            builder = builder.add_source(Layer::parse(&file.to_string_lossy(), &text)?);
        }
        let variables = environment
            .all()
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        builder = builder.add_source(
            config::Environment::with_prefix("TERTULIA")
                .prefix_separator("__")
                .separator("__")
                .source(Some(variables.collect())),
        );
        if let Some(port) = sources.port {
            builder = builder.add_source(Layer::parse(PORT_OPTION, &format!("server.port = {port}"))?);
        }
        let sections = builder.build().and_then(|config| config.collect());
        let sections = sections.map_err(|error| ConfigError::new(Origin::Default, error.to_string()))?;
        Ok(Self { sections, file })
    }

    /// Where a value comes from; sections come from where the first of their values does.
    pub(crate) fn origin(&self, path: &[String], value: &Value) -> Origin {
        if let ValueKind::Table(values) = &value.kind
            && let Some((name, value)) = values.iter().next()
        {
            let path: Vec<String> = path.iter().chain([name]).cloned().collect();
            return self.origin(&path, value);
        }
        match value.origin() {
            Some(ENVIRONMENT) => Origin::Variable(format!("{PREFIX}{}", path.join("__").to_uppercase())),
            Some(PORT_OPTION) => Origin::Option(PORT_OPTION),
            Some(DEFAULT) => Origin::Default,
            Some(file) => Origin::File(file.into()),
            None => self.file.clone().map_or(Origin::Default, Origin::File),
        }
    }
}

/// The file and its text: the one that is named, which must be there, or the usual one.
fn read_file(named: Option<&Path>) -> Result<(Option<PathBuf>, String), ConfigError> {
    let file = named.unwrap_or(Path::new(USUAL_FILE));
    match file::read_text(file, LARGEST) {
        Ok(text) => Ok((Some(file.to_owned()), text)),
        Err(error) if error.kind() == ErrorKind::NotFound && named.is_none() => Ok((None, String::new())),
        Err(error) => {
            let problem = match error.kind() {
                ErrorKind::NotFound => "there is no such configuration file (--config)".to_owned(),
                _ => format!("the configuration file cannot be read ({error})"),
            };
            Err(ConfigError::new(Origin::File(file.to_owned()), problem))
        }
    }
}

/// A layer of TOML whose values know where they come from.
#[derive(Debug, Clone)]
struct Layer(Map<String, Value>);

impl Layer {
    fn parse(origin: &str, text: &str) -> Result<Self, ConfigError> {
        let table: toml::Table = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let problem = format!(
                "line {line} is not valid TOML ({})",
                error.message().replace('\n', ", ")
            );
            ConfigError::new(Origin::File(origin.into()), problem)
        })?;
        let origin = origin.to_owned();
        let values = table.into_iter().map(|(name, value)| (name, convert(&origin, value)));
        Ok(Self(values.collect()))
    }
}

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, config::ConfigError> {
        Ok(self.0.clone())
    }
}

fn convert(origin: &String, value: toml::Value) -> Value {
    let kind = match value {
        toml::Value::String(text) => ValueKind::String(text),
        toml::Value::Integer(number) => ValueKind::I64(number),
        toml::Value::Float(number) => ValueKind::Float(number),
        toml::Value::Boolean(flag) => ValueKind::Boolean(flag),
        toml::Value::Datetime(moment) => ValueKind::String(moment.to_string()),
        toml::Value::Array(items) => ValueKind::Array(items.into_iter().map(|item| convert(origin, item)).collect()),
        toml::Value::Table(table) => ValueKind::Table(
            table
                .into_iter()
                .map(|(name, value)| (name, convert(origin, value)))
                .collect(),
        ),
    };
    Value::new(Some(origin), kind)
}
