//! Doubles, contract suites, transcripts and fault plans for tests.

pub mod conformance;
