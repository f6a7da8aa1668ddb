//! House rules that a compiler does not know.
#![expect(clippy::unwrap_used, reason = "test code")]

mod circles;
mod data_flow;
mod paths;
mod sources;

use std::path::PathBuf;

use sources::{code_lines, sources};

/// A longer file holds more than one concept. With unit tests; longer ones go to a sibling.
const FILE_LINES_MAX: usize = 500;
/// Columns, with the indentation.
const COMMENT_WIDTH_MAX: usize = 110;
/// A longer function answers more than one question.
const FUNCTION_LINES_MAX: usize = 60;

#[test]
fn files_are_short() {
    for (path, text) in sources(&["src", "tests", "benches"]) {
        let lines = text.lines().count();
        assert!(lines <= FILE_LINES_MAX, "{}: {lines} lines", path.display());
    }
}

/// As wide as is still read at one glance; a table's row cannot be broken.
#[test]
fn comments_are_narrow() {
    for (path, text) in sources(&["src", "tests", "benches"]) {
        for (line, comment) in (1..).zip(text.lines().map(str::trim_end)) {
            let is_prose = comment.trim_start().starts_with("//") && !comment.contains("//! |");
            let width = comment.chars().count();
            assert!(!is_prose || width <= COMMENT_WIDTH_MAX, "{}:{line}: {width}", path.display());
        }
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
            let is_quoted = path.ends_with("tidy/main.rs");
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
