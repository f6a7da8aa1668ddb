//! House rules that a compiler does not know.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::path::PathBuf;

/// A longer file holds more than one concept. With unit tests; longer ones go to a sibling.
const FILE_LINES_MAX: usize = 500;
/// A longer function answers more than one question.
const FUNCTION_LINES_MAX: usize = 60;

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
fn files_are_short() {
    for (path, text) in sources(&["src", "tests", "benches"]) {
        let lines = text.lines().count();
        assert!(lines <= FILE_LINES_MAX, "{}: {lines} lines", path.display());
    }
}

#[test]
fn functions_are_short() {
    for (path, text) in sources(&["src", "benches"]) {
        for (line, length) in functions(&text) {
            assert!(length <= FUNCTION_LINES_MAX, "{}:{line}: {length} lines", path.display());
        }
    }
}

#[test]
fn every_module_says_what_it_asks() {
    for (path, text) in sources(&["src", "tests", "benches"]) {
        // The tests of a file ask what the file asks.
        let is_tests = path.ends_with("tests.rs");
        assert!(is_tests || text.starts_with("//!"), "{} does not start with //!", path.display());
    }
}

#[test]
fn exceptions_from_lints_have_reasons() {
    for (path, text) in sources(&["src", "tests", "benches"]) {
        for (start, _) in text.match_indices("[allow(").chain(text.match_indices("[expect(")) {
            let Some(attribute) = text.get(start..).and_then(|rest| rest.split(")]").next()) else {
                continue;
            };
            let is_quoted = path.ends_with("tidy.rs");
            assert!(
                is_quoted || attribute.contains("reason"),
                "{}: no reason: {attribute}",
                path.display()
            );
        }
    }
}

/// The compiler denies it elsewhere; here it shows that the exception stays one.
#[test]
fn unsafe_code_stands_in_one_file() {
    for (path, text) in sources(&["src", "benches"]) {
        let has_unsafe = code_lines(&text).any(|line| line.contains("unsafe "));
        assert_eq!(has_unsafe, path.ends_with("libpcap/ffi.rs"), "{}", path.display());
    }
}

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

/// What is true on one machine only has no place in the tree.
#[test]
fn no_path_of_a_machine_stands_in_the_tree() {
    let machine_paths = ["/wo", "/ho", "/ro", "/Us"].map(|start| {
        let end = match start {
            "/wo" => "rk/",
            "/ho" => "me/",
            "/ro" => "ot/",
            _ => "ers/",
        };
        format!("{start}{end}")
    });
    let mut files = sources(&["src", "tests", "benches"]);
    for name in ["README.md", "fixtures/README.md", "Cargo.toml"] {
        files.extend(std::fs::read_to_string(name).map(|text| (PathBuf::from(name), text)));
    }
    for (path, text) in files {
        for machine_path in &machine_paths {
            assert!(!text.contains(machine_path), "{}: {machine_path}", path.display());
        }
    }
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

/// Rust files below `roots`, with their text.
fn sources(roots: &[&str]) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut directories: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
    while let Some(directory) = directories.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    files.sort();
    files
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

/// Lines of code up to the unit tests, comments left out.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().take_while(|line| !line.starts_with("mod tests {")).filter(is_code)
}

/// Whether `line` names `path` or something below it, and no longer word.
fn names(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(start, _)| {
        let next =
            line.get(start.saturating_add(path.len())..).and_then(|rest| rest.chars().next());
        next.is_none_or(|next| !next.is_alphanumeric() && next != '_')
    })
}

/// First line and number of lines of each function, as rustfmt sets them.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = line.len().saturating_sub(code.len());
        if !code.split_whitespace().any(|word| word == "fn") || code.starts_with("//") {
            continue;
        }
        let rest = lines.iter().skip(index);
        let end = rest.clone().position(|line| {
            let is_close = line.trim_start().starts_with('}');
            is_close && line.len().saturating_sub(line.trim_start().len()) == indent
        });
        let is_one_line = line.trim_end().ends_with([';', '}']);
        if let (Some(length), false) = (end, is_one_line) {
            found.push((index.saturating_add(1), length.saturating_add(1)));
        }
    }
    found
}
