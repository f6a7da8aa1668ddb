//! The source as these tests read it.

use std::path::{Path, PathBuf};

/// Rust files below `roots`, with their text.
pub(super) fn sources(roots: &[&str]) -> Vec<(PathBuf, String)> {
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

/// Lines of code up to the unit tests, comments left out.
pub(super) fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().take_while(|line| !line.starts_with("mod tests {")).filter(is_code)
}

/// The same as one text, in which an import may go over several lines.
pub(super) fn code_text(text: &str) -> String {
    code_lines(text).collect::<Vec<_>>().join("\n")
}

/// Whether it holds nothing but unit tests.
pub(super) fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
}
