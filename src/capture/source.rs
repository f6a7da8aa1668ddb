//! One input: a file, which can be opened again, or a stream.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::Reader;
use super::input::STDIN_NAME;
use crate::error::{Error, printable};
use crate::units::Timestamp;

/// A file whose turn has not come.
pub(super) enum Source {
    /// Opened again then: holding every file of a rotation open costs a buffer each.
    File(PathBuf),
    /// Cannot be opened twice: standard input, a named pipe.
    Stream(Box<Reader>),
}

impl Source {
    pub(super) fn open(self) -> Result<Reader, Error> {
        match self {
            Self::File(path) => open(&path),
            Self::Stream(reader) => Ok(*reader),
        }
    }
}

/// The first frame's time and the way to get the frames.
pub(super) fn probe(path: &Path) -> Result<(Option<Timestamp>, Source), Error> {
    let mut reader = open(path)?;
    let first_time = reader.next_time();
    // What is no plain file (standard input, a pipe) gives its octets only once.
    let source = if path != Path::new("-") && path.is_file() {
        Source::File(path.to_owned())
    } else {
        Source::Stream(Box::new(reader))
    };
    Ok((first_time, source))
}

/// Whether the file at `path` is a capture, by its content: a whole one, or what can be the beginning of
/// one. What cannot be read is none.
#[must_use]
pub fn is_capture(path: &Path) -> bool {
    matches!(open(path), Ok(_) | Err(Error::HeaderCut { .. } | Error::BadHeader { .. }))
}

pub(super) fn open(path: &Path) -> Result<Reader, Error> {
    if path == Path::new("-") {
        return Reader::open(STDIN_NAME.to_owned(), io::stdin());
    }
    let name = display_name(path);
    match File::open(path) {
        Ok(file) => Reader::open(name, file),
        Err(cause) => Err(Error::Open { name, cause: cause.to_string() }),
    }
}

pub(super) fn display_name(path: &Path) -> String {
    printable(&path.to_string_lossy())
}
