//! Data flows one way, as the map in `src/lib.rs` has it.

use std::path::PathBuf;

use super::paths::{module, named};
use super::sources::{code_text, is_test, sources};

/// What runs the stages, of which none of them knows.
const RUNNERS: [&str; 6] = ["analyze", "shards", "listeners", "glance", "explain", "check"];

/// The words of the schema that a stage decides on are its own: each is one enum, written once.
const VOCABULARY: [&str; 13] = [
    "congestion::BackOff",
    "congestion::ClassBasis",
    "congestion::UnknownReason",
    "cwnd::SlowStartExitCause",
    "episode::LossTrigger",
    "episode::OpenedBy",
    "episode::StallCause",
    "limit::Cause",
    "limit::Limit",
    "path::CapacityMethod",
    "path::PathVerdict",
    "series::SentKind",
    "vantage::Vantage",
];

#[test]
fn stages_know_only_what_comes_before_them() {
    let stages = stages();
    for (index, stage) in stages.iter().enumerate() {
        let later = stages.iter().map(String::as_str).skip(index.saturating_add(1));
        let forbidden: Vec<&str> = later.chain(RUNNERS).collect();
        for (path, text) in stage_sources(stage) {
            // A test may feed its stage from the ones that follow it.
            for name in named(&code_text(&text), &module(&path)) {
                let is_known = !forbidden.contains(&first(&name));
                assert!(is_known, "{}: {stage} uses {name}", path.display());
            }
        }
    }
}

/// A report computes nothing and judges nothing.
#[test]
fn reports_see_the_model_alone() {
    for name in stages_named_by("report") {
        assert_eq!(first(&name), "model", "{name}");
    }
}

/// The model is plain data.
#[test]
fn the_model_sees_the_words_of_stages_alone() {
    let mut words = stages_named_by("model");
    words.sort();
    assert_eq!(words, VOCABULARY);
}

/// The stages in the order of the data flow, as the map in `src/lib.rs` has them.
fn stages() -> Vec<String> {
    let map = std::fs::read_to_string("src/lib.rs").unwrap();
    let rows = map.lines().filter_map(|line| line.strip_prefix("//! | `"));
    let names = rows.filter_map(|row| row.split_once('`')).map(|(name, _)| name.to_owned());
    let stages: Vec<String> = names.collect();
    assert!(stages.len() > 10 && stages.ends_with(&["report".to_owned()]), "{stages:?}");
    stages
}

/// What the files of `stage` name of other stages.
fn stages_named_by(stage: &str) -> Vec<String> {
    let stages = stages();
    let is_others = |name: &str| name != stage && stages.iter().any(|other| other == name);
    let sources = stage_sources(stage).into_iter();
    let named = sources.flat_map(|(path, text)| named(&code_text(&text), &module(&path)));
    named.filter(|name| is_others(first(name))).collect()
}

/// A stage's files, its test files left out.
fn stage_sources(stage: &str) -> Vec<(PathBuf, String)> {
    let file = PathBuf::from(format!("src/{stage}.rs"));
    let mut files = sources(&[&format!("src/{stage}")]);
    files.extend(std::fs::read_to_string(&file).map(|text| (file, text)));
    files.retain(|(path, _)| !is_test(path));
    assert!(!files.is_empty(), "no stage {stage}");
    files
}

/// The module at the crate's root that a path leads into.
fn first(path: &str) -> &str {
    path.split("::").next().unwrap_or_default()
}
