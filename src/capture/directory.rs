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
    /// What can be analysed, or should be by its name.
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
            // Whoever looks for its row is to find there what is wrong with it.
            Err(_) if is_named_so(&file) => found.captures.push(file),
            Err(error) => found.passed_over.push(error.to_string()),
        }
    }
    if found.captures.is_empty() { Err(no_capture_in(directory, number)) } else { Ok(found) }
}

/// Whether it has the name of a capture: `.pcap`, `.pcapng` or `.cap`, perhaps with the number that
/// `tcpdump -C` gives it, and compressed.
fn is_named_so(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let plain = [".gz", ".zst", ".lz4"].iter().find_map(|end| name.strip_suffix(end));
    let plain = plain.unwrap_or(&name).trim_end_matches(|letter: char| letter.is_ascii_digit());
    [".pcap", ".pcapng", ".cap"].iter().any(|end| plain.ends_with(end))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_have_their_names() {
        for name in ["a.pcap", "b.PCAPNG.gz", "c.cap", "d.pcap17", "e.pcap2.zst"] {
            assert!(is_named_so(Path::new(name)), "{name}");
        }
        for name in ["README.md", "a.pcap.json", "a.gz", "pcap", "b.truth.json"] {
            assert!(!is_named_so(Path::new(name)), "{name}");
        }
    }
}
