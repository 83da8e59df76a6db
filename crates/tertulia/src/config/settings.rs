//! The settings by key, each of the right type and with its origin.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use config::{Map, Value, ValueKind};

use super::error::{ConfigError, Origin};
use super::layers::Merged;
use super::nearest::nearest;
use super::schema::{Given, LATER_SECTIONS, Shape, keys};

/// A setting.
#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) given: Given,
    pub(crate) shape: Shape,
    pub(crate) origin: Origin,
}

/// The settings by path.
pub(crate) struct Settings {
    by_path: BTreeMap<Vec<String>, Setting>,
    /// Every section, also one without a key.
    sections: BTreeSet<Vec<String>>,
    file: Option<PathBuf>,
}

impl Settings {
    /// Checks every key and type.
    pub(crate) fn check(merged: &Merged) -> Result<Self, ConfigError> {
        let mut settings = Self {
            by_path: BTreeMap::new(),
            sections: BTreeSet::new(),
            file: merged.file.clone(),
        };
        settings.section(merged, &[], &merged.sections)?;
        Ok(settings)
    }

    /// Texts that no layer says.
    pub(crate) fn of_texts<'a, const N: usize>(texts: impl Iterator<Item = ([&'a str; N], &'a str)>) -> Self {
        let setting = |text: &str| Setting {
            given: Given::Text(text.to_owned()),
            shape: Shape::Text,
            origin: Origin::Default,
        };
        Self {
            by_path: texts
                .map(|(path, text)| (path.map(str::to_owned).to_vec(), setting(text)))
                .collect(),
            sections: BTreeSet::new(),
            file: None,
        }
    }

    fn section(&mut self, merged: &Merged, at: &[String], values: &Map<String, Value>) -> Result<(), ConfigError> {
        self.sections.insert(at.to_vec());
        // in the order of names, so that of several mistakes always the same is told
        let sorted: BTreeMap<_, _> = values.iter().collect();
        for (name, value) in sorted {
            let path: Vec<String> = at.iter().chain([name]).cloned().collect();
            let wrong = |problem: String| {
                let problem = format!("{} {problem}", dotted(&path));
                ConfigError::new(merged.origin(&path, value), problem)
            };
            if LATER_SECTIONS.contains(&name.as_str()) && at.is_empty() {
                return Err(wrong("is a section that is not in this version yet".to_owned()));
            }
            let Some(key) = keys().find(|key| key.begins_with(&path)) else {
                return Err(wrong(unknown(at, name)));
            };
            if key.segments().count() > path.len() {
                match &value.kind {
                    ValueKind::Table(values) => self.section(merged, &path, values)?,
                    _ => return Err(wrong("is a section, not a key".to_owned())),
                }
                continue;
            }
            let origin = merged.origin(&path, value);
            let given = key
                .shape
                .read(value, matches!(origin, Origin::Variable(_)))
                .map_err(wrong)?;
            let shape = key.shape;
            self.by_path.insert(path, Setting { given, shape, origin });
        }
        Ok(())
    }

    /// All settings with their keys.
    pub(crate) fn all(&self) -> impl Iterator<Item = (String, &Setting)> {
        self.by_path.iter().map(|(path, setting)| (dotted(path), setting))
    }

    /// The file that was read.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The files that hold secrets.
    pub(crate) fn secret_files(&self) -> Vec<PathBuf> {
        let is_secret = |path: &[String]| path.last().is_some_and(|key| key.ends_with("_file"));
        let files = self
            .by_path
            .iter()
            .filter(|(path, setting)| setting.shape == Shape::File && is_secret(path));
        files
            .filter_map(|(_, setting)| match &setting.given {
                Given::Text(name) => Some(setting.origin.base().join(name)),
                _ => None,
            })
            .collect()
    }

    /// True if the file says anything.
    pub(crate) fn has_file_settings(&self) -> bool {
        self.by_path
            .values()
            .any(|setting| matches!(setting.origin, Origin::File(_)))
    }

    /// The names directly below a section, in order.
    pub(crate) fn names(&self, section: &[&str]) -> Vec<&str> {
        let below = |path: &Vec<String>| path.len() > section.len() && path.iter().zip(section).all(|(a, b)| a == b);
        let paths = self.by_path.keys().chain(&self.sections);
        let names: BTreeSet<&str> = paths
            .filter(|path| below(path))
            .filter_map(|path| path.get(section.len()).map(String::as_str))
            .collect();
        names.into_iter().collect()
    }

    /// The setting behind a key.
    pub(crate) fn find(&self, path: &[&str]) -> Option<&Setting> {
        let path: Vec<String> = path.iter().map(|&name| name.to_owned()).collect();
        self.by_path.get(&path)
    }

    pub(crate) fn text(&self, path: &[&str]) -> Option<&str> {
        match &self.find(path)?.given {
            Given::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn flag(&self, path: &[&str]) -> Option<bool> {
        match self.find(path)?.given {
            Given::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    pub(crate) fn whole(&self, path: &[&str]) -> Option<u64> {
        match self.find(path)?.given {
            Given::Whole(number) => Some(number),
            _ => None,
        }
    }

    pub(crate) fn number(&self, path: &[&str]) -> Option<f64> {
        match self.find(path)?.given {
            Given::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(crate) fn texts(&self, path: &[&str]) -> &[String] {
        match self.find(path).map(|setting| &setting.given) {
            Some(Given::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// An error about a key, whether it is there or not.
    pub(crate) fn wrong(&self, path: &[&str], problem: impl std::fmt::Display) -> ConfigError {
        let owned: Vec<String> = path.iter().map(|&name| name.to_owned()).collect();
        let below = self.by_path.iter().find(|(key, _)| key.starts_with(&owned));
        let beside = || {
            let section = owned
                .get(..owned.len().saturating_sub(1))
                .filter(|section| section.len() > 1)?;
            self.by_path.iter().find(|(key, _)| key.starts_with(section))
        };
        let origin = match below.or_else(beside) {
            Some((_, setting)) => setting.origin.clone(),
            None => self.file.clone().map_or(Origin::Default, Origin::File),
        };
        ConfigError::new(origin, format!("{} {problem}", dotted(&owned)))
    }
}

/// A path as one writes it in TOML.
pub(crate) fn dotted(path: &[String]) -> String {
    let is_bare = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    let write = |name: &String| {
        if is_bare(name) {
            name.clone()
        } else {
            format!("{name:?}")
        }
    };
    path.iter().map(write).collect::<Vec<_>>().join(".")
}

/// The problem with an unknown name: the nearest known key beside it, or the same name elsewhere.
fn unknown(at: &[String], name: &str) -> String {
    let beside = keys()
        .filter(|key| key.begins_with(at))
        .filter_map(|key| key.segments().nth(at.len()));
    let near = nearest(name, beside).unwrap_or_default();
    let is_far = strsim::normalized_damerau_levenshtein(name, near) < 0.5;
    let elsewhere = keys().find(|key| key.segments().next_back() == Some(name));
    let near = match elsewhere.filter(|_| is_far) {
        Some(key) => key.path.replace('*', "<name>"),
        None => dotted(&at.iter().cloned().chain([near.to_owned()]).collect::<Vec<_>>()),
    };
    format!("is not a known key; the nearest is {near}")
}
