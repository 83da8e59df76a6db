//! Reads conformance vectors from a folder of JSON files.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// One vector: an operation, its input, and what must come out.
#[derive(Debug, Clone, Deserialize)]
pub struct Vector {
    /// The name in reports, unique over all files.
    pub id: String,
    /// The operation to perform.
    pub op: String,
    /// What the operation gets.
    pub input: Value,
    /// What is compared with the outcome.
    pub expected: Value,
    /// How it is compared.
    #[serde(rename = "match")]
    pub comparison: Comparison,
}

/// How an expected value is compared with a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Comparison {
    /// Equal as parsed JSON.
    Exact,
    /// The expected value is contained in the result.
    Subset,
    /// Every expected key is measured on the result.
    Properties,
}

/// Vectors that cannot be run at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The folder or a file in it cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is not a list of vectors.
    #[error("{}: {source}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// There is nothing to run.
    #[error("no vectors in {}", .0.display())]
    Empty(PathBuf),
}

#[derive(Deserialize)]
struct File {
    vectors: Vec<Vector>,
}

/// All vectors of the folder's `*.json` files, file by file in the order of their names.
pub(super) fn load(folder: &Path) -> Result<Vec<Vector>, LoadError> {
    let mut vectors = Vec::new();
    for path in json_files(folder)? {
        let text = std::fs::read(&path).map_err(|source| LoadError::Read {
            path: path.clone(),
            source,
        })?;
        let file: File = serde_json::from_slice(&text).map_err(|source| LoadError::Malformed { path, source })?;
        vectors.extend(file.vectors);
    }
    if vectors.is_empty() {
        return Err(LoadError::Empty(folder.to_owned()));
    }
    Ok(vectors)
}

fn json_files(folder: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let unreadable = |source| LoadError::Read {
        path: folder.to_owned(),
        source,
    };
    let mut paths = std::fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    Ok(paths)
}
