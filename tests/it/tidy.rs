//! The house rules that no compiler checks: who may depend on whom, how long files are, what migrations say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Which of our crates each crate may depend on: the arrows of ARCHITECTURE.md.
const ARROWS: &[(&str, &[&str])] = &[
    ("tertulia-message", &[]),
    ("tertulia-interface", &["message"]),
    ("tertulia-core", &["message"]),
    ("tertulia-ports", &["core", "message"]),
    ("tertulia-engine", &["core", "interface", "message", "ports"]),
    ("tertulia-store", &["core", "message", "ports"]),
    ("tertulia-providers", &["core", "message", "ports"]),
    ("tertulia-tools", &["core", "message", "ports"]),
    ("tertulia-output", &["message"]),
    ("tertulia-server", &["interface", "message", "output", "ports"]),
    ("tertulia-loopback", &["interface", "message"]),
    ("tertulia-telegram", &["interface", "message"]),
    ("tertulia-matrix", &["interface", "message"]),
    ("tertulia-discord", &["interface", "message"]),
    ("tertulia-testkit", &["core", "interface", "message", "ports"]),
    (
        "tertulia",
        &[
            "core",
            "engine",
            "interface",
            "loopback",
            "matrix",
            "message",
            "output",
            "ports",
            "providers",
            "server",
            "store",
            "telegram",
            "tools",
        ],
    ),
];

/// Which of our crates tests may use beside those.
const TEST_ARROWS: &[&str] = &[
    "testkit",
    "loopback",
    "telegram",
    "providers",
    "store",
    "tools",
    "message",
    "core",
    "interface",
    "ports",
    "engine",
];

/// What must not be in the core's dependency tree: it decides and performs nothing.
const PERFORMERS: &[&str] = &[
    "tokio",
    "async-std",
    "futures-executor",
    "reqwest",
    "hyper",
    "rusqlite",
    "rand",
    "getrandom",
    "uuid",
    "chrono",
    "time",
    "jiff",
    "socket2",
    "mio",
    "tempfile",
];

/// Migrations are append-only: what was released must never change. File name and FNV-1a of its bytes.
const MIGRATIONS: &[(&str, u64)] = &[
    ("V1__init.sql", 0xd389_bb99_9a1d_7398),
    ("V2__govern.sql", 0x4ed5_12e7_f783_bc1f),
    ("V3__money.sql", 0xfd9d_50e6_be60_f679),
];

/// Longer files are to be split.
const LONGEST_FILE: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn crates() -> Vec<(String, String)> {
    let mut crates: Vec<(String, String)> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path.join("Cargo.toml")).unwrap())
        })
        .collect();
    crates.sort();
    crates
}

/// The names of our crates in one section of a manifest.
fn ours(manifest: &str, section: &str) -> BTreeSet<String> {
    let manifest: toml::Table = manifest.parse().unwrap();
    let dependencies = manifest
        .get(section)
        .and_then(|section| section.as_table())
        .cloned()
        .unwrap_or_default();
    dependencies
        .keys()
        .filter_map(|name| name.strip_prefix("tertulia-"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn crates_depend_on_each_other_as_drawn() {
    let arrows: BTreeMap<&str, BTreeSet<String>> = ARROWS
        .iter()
        .map(|(name, arrows)| (*name, arrows.iter().map(|&arrow| arrow.to_owned()).collect()))
        .collect();
    let crates = crates();
    assert_eq!(
        crates.iter().map(|(name, _)| name.as_str()).collect::<BTreeSet<_>>(),
        arrows.keys().copied().collect()
    );
    for (name, manifest) in &crates {
        let drawn = &arrows[name.as_str()];
        let real = ours(manifest, "dependencies");
        assert!(
            real.is_subset(drawn),
            "{name} depends on {:?}, which is not drawn",
            &real - drawn
        );
        let test_arrows: BTreeSet<String> = TEST_ARROWS.iter().map(|&arrow| arrow.to_owned()).collect();
        let real = ours(manifest, "dev-dependencies");
        assert!(
            real.is_subset(&test_arrows),
            "{name}'s tests use {:?}",
            &real - &test_arrows
        );
    }
}

#[test]
fn every_crate_takes_the_workspace_lints_and_is_named_as_its_folder() {
    for (name, manifest) in crates() {
        let manifest: toml::Table = manifest.parse().unwrap();
        assert_eq!(manifest["package"]["name"].as_str(), Some(name.as_str()));
        assert_eq!(manifest["lints"]["workspace"].as_bool(), Some(true), "{name}");
    }
    let workspace: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    assert_eq!(
        workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(),
        Some("forbid")
    );
}

#[test]
fn the_core_has_nothing_to_perform_with() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tree = normal_tree(&metadata, "tertulia-core");
    assert!(
        tree.contains("tertulia-message") && tree.contains("pulldown-cmark"),
        "{tree:?}"
    );
    let performers: Vec<&&str> = PERFORMERS.iter().filter(|name| tree.contains(**name)).collect();
    assert!(performers.is_empty(), "the core can perform with {performers:?}");
}

/// The names of everything a package is built from, tests left out.
fn normal_tree(metadata: &Value, root: &str) -> BTreeSet<String> {
    let names: BTreeMap<&str, &str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| (package["id"].as_str().unwrap(), package["name"].as_str().unwrap()))
        .collect();
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node))
        .collect();
    let mut open: Vec<&str> = names
        .iter()
        .filter(|(_, name)| **name == root)
        .map(|(id, _)| *id)
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            let normal = dependency["dep_kinds"]
                .as_array()
                .unwrap()
                .iter()
                .any(|kind| kind["kind"].is_null());
            if normal {
                open.push(dependency["pkg"].as_str().unwrap());
            }
        }
    }
    seen.into_iter().map(|id| names[id].to_owned()).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn files_are_short_and_say_what_they_are_for() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    sources(&root().join("tests"), &mut files);
    assert!(files.len() > 50);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(root()).unwrap().display();
        assert!(
            text.lines().count() <= LONGEST_FILE,
            "{name} is longer than {LONGEST_FILE} lines"
        );
        assert!(text.starts_with("//!"), "{name} does not begin with what it is for");
        let stem = file.file_stem().unwrap().to_string_lossy();
        assert!(
            !["mod", "utils", "helpers", "common", "manager"].contains(&&*stem),
            "{name} is not a name"
        );
    }
}

#[test]
fn released_migrations_never_change() {
    for (name, expected) in MIGRATIONS {
        let bytes = fs::read(root().join("migrations").join(name)).unwrap();
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!(
            hash, *expected,
            "{name} was changed; add a new migration instead (its hash is {hash:#x})"
        );
    }
    let files = fs::read_dir(root().join("migrations")).unwrap().count();
    assert_eq!(files, MIGRATIONS.len(), "each migration has its line in this test");
}
