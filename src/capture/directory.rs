//! Which files of a directory are captures? By content, without its subdirectories.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::source::{display_name, open};
use crate::error::Error;

/// A directory's files, each list in the order of their names.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct CapturesIn {
    /// What can be analysed.
    pub captures: Vec<PathBuf>,
    /// Of each other file why it cannot.
    pub passed_over: Vec<String>,
}

/// Tells a directory's captures from its other files.
///
/// # Errors
/// If the directory cannot be read or holds no capture.
pub fn captures_in(directory: &Path) -> Result<CapturesIn, Error> {
    let files = files_of(directory)?;
    let number = files.len();
    let mut found = CapturesIn::default();
    for file in files {
        match open(&file) {
            Ok(_) => found.captures.push(file),
            Err(error) => found.passed_over.push(error.to_string()),
        }
    }
    if found.captures.is_empty() { Err(no_capture_in(directory, number)) } else { Ok(found) }
}

pub(super) fn no_capture_in(directory: &Path, files: usize) -> Error {
    Error::NoCaptureInDirectory { name: display_name(directory), files }
}

/// The plain files of `directory`, by name.
pub(super) fn files_of(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let fail =
        |cause: io::Error| Error::Open { name: display_name(directory), cause: cause.to_string() };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
