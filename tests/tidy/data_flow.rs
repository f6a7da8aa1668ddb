//! Data flows one way, as the map in `src/lib.rs` has it.

use std::path::PathBuf;

use super::sources::{code_lines, sources};

/// What runs the stages, of which none of them knows.
const RUNNERS: [&str; 6] = ["analyze", "shards", "listeners", "glance", "explain", "check"];

/// The words of the schema that a stage decides on are its own: each is one enum, written once.
const VOCABULARY: [&str; 7] = [
    "pub use crate::congestion::{BackOff, UnknownReason};",
    "pub use crate::cwnd::SlowStartExitCause;",
    "pub use crate::episode::{LossTrigger, OpenedBy, StallCause};",
    "pub use crate::limit::{Cause, Limit};",
    "pub use crate::path::{CapacityMethod, PathVerdict};",
    "pub use crate::series::SentKind;",
    "pub use crate::vantage::Vantage;",
];

#[test]
fn stages_know_only_what_comes_before_them() {
    let stages = stages();
    for (index, stage) in stages.iter().enumerate() {
        let later = stages.iter().map(String::as_str).skip(index.saturating_add(1));
        let forbidden: Vec<&str> = later.chain(RUNNERS).collect();
        for (path, text) in stage_sources(stage) {
            for name in &forbidden {
                let uses = format!("crate::{name}");
                // A test may feed its stage from the ones that follow it.
                let is_clean = code_lines(&text).all(|line| !names(line, &uses));
                assert!(is_clean, "{}: {stage} uses {name}", path.display());
            }
        }
    }
}

/// A report computes nothing and judges nothing.
#[test]
fn reports_see_the_model_alone() {
    for (stage, line) in stages_named_by("report") {
        assert_eq!(stage, "model", "{line}");
    }
}

/// The model is plain data.
#[test]
fn the_model_sees_the_words_of_stages_alone() {
    let mut lines: Vec<String> =
        stages_named_by("model").into_iter().map(|(_, line)| line).collect();
    lines.sort();
    assert_eq!(lines, VOCABULARY);
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

/// The other stages that the files of `stage` name, each with the line that does.
fn stages_named_by(stage: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for other in stages().into_iter().filter(|other| other != stage) {
        for (_, text) in stage_sources(stage) {
            let lines = code_lines(&text).filter(|line| names(line, &format!("crate::{other}")));
            found.extend(lines.map(|line| (other.clone(), line.to_owned())));
        }
    }
    found
}

/// A stage's files, its test files left out.
fn stage_sources(stage: &str) -> Vec<(PathBuf, String)> {
    let file = PathBuf::from(format!("src/{stage}.rs"));
    let mut files = sources(&[&format!("src/{stage}")]);
    files.extend(std::fs::read_to_string(&file).map(|text| (file, text)));
    files.retain(|(path, _)| {
        !path.ends_with("tests.rs") && !path.components().any(|part| part.as_os_str() == "tests")
    });
    assert!(!files.is_empty(), "no stage {stage}");
    files
}

/// Whether `line` names `path` or something below it, and no longer word.
fn names(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(start, _)| {
        let next =
            line.get(start.saturating_add(path.len())..).and_then(|rest| rest.chars().next());
        next.is_none_or(|next| !next.is_alphanumeric() && next != '_')
    })
}
