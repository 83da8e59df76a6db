//! Recorded streams, as they come from the network.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::table::{Table, Target};
use super::{best, megabytes_a_second};
use crate::answer::ReadAnswer;
use crate::sse::SseDecoder;

/// So much is read at once from a connection that has enough, and one event or two where a model writes.
const PIECES: [usize; 2] = [16 << 10, 256];

pub(super) fn measure(table: &mut Table) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/recordings");
    if !folder.is_dir() {
        println!("skipped: ../shared/recordings is not there");
        return;
    }
    let every = streams(
        &folder,
        &[
            "openai",
            "openrouter",
            "deepseek",
            "anthropic",
            "gemini",
            "openai-responses",
        ],
        None,
    );
    let bytes: usize = every.iter().map(Vec::len).sum();
    for piece in PIECES {
        let time = best(|| every.iter().for_each(|stream| decode(stream, piece)));
        let what = format!("events of {} recorded streams, {piece} bytes at once", every.len());
        let target = (piece > 4096).then_some(Target::AtLeast(200.0));
        table.add(what, megabytes_a_second(bytes, time), "MB/s", target);
    }
    reading(
        table,
        "openai",
        &streams(&folder, &["openai", "openrouter", "deepseek"], Some("chat")),
        |stream| {
            read(crate::chat_shape::figures_reader(), stream);
        },
    );
    reading(table, "anthropic", &streams(&folder, &["anthropic"], None), |stream| {
        read(crate::anthropic::figures_reader(), stream);
    });
    reading(table, "google", &streams(&folder, &["gemini"], None), |stream| {
        read(crate::google::figures_reader(), stream);
    });
}

fn reading(table: &mut Table, kind: &str, streams: &[Vec<u8>], read: impl Fn(&[u8])) {
    let bytes: usize = streams.iter().map(Vec::len).sum();
    let time = best(|| streams.iter().for_each(|stream| read(stream)));
    let what = format!(
        "- {} streams of {kind} made into deltas, with their JSON",
        streams.len()
    );
    table.add(what, megabytes_a_second(bytes, time), "MB/s", None);
}

fn decode(stream: &[u8], piece: usize) {
    let (mut decoder, mut events) = (SseDecoder::default(), Vec::new());
    for piece in stream.chunks(piece) {
        decoder.feed(piece, &mut events).unwrap();
        std::hint::black_box(&events);
        events.clear();
    }
}

/// Errors of recorded streams are errors here, too.
fn read(mut reader: impl ReadAnswer, stream: &[u8]) {
    let mut deltas = Vec::new();
    for piece in stream.chunks(PIECES[0]) {
        if reader.take(piece, &mut deltas).is_err() {
            return;
        }
        std::hint::black_box(&deltas);
        deltas.clear();
    }
}

fn streams(root: &Path, folders: &[&str], api: Option<&str>) -> Vec<Vec<u8>> {
    let mut streams = Vec::new();
    for folder in folders {
        for file in fs::read_dir(root.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let recording: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            if api.is_some_and(|api| recording["api"] != api) {
                continue;
            }
            let own = std::slice::from_ref(&recording);
            for exchange in recording["interactions"].as_array().map_or(own, Vec::as_slice) {
                let response = &exchange["response"];
                if response["content_type"]
                    .as_str()
                    .is_some_and(|kind| kind.starts_with("text/event-stream"))
                {
                    streams.push(response["body"].as_str().unwrap().as_bytes().to_vec());
                }
            }
        }
    }
    streams
}
