//! Where a report goes: standard output, or a file that is replaced as a whole.
//!
//! A file is written beside its place under another name, synced, and renamed: whoever looks at
//! the name sees the old content, the new one, or nothing, never a part (also after a power cut).

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use tcplimit::report::TextOptions;
use tcplimit::{is_capture, is_same_file};
use tempfile::NamedTempFile;

use super::say;
use super::status::Status;

/// How text is set for standard output: in colour and as wide as the terminal, if it is one.
pub(super) fn text_for_stdout() -> TextOptions {
    let mut options = TextOptions::default();
    options.has_color = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    if let Some((width, _)) = terminal_size::terminal_size_of(io::stdout()) {
        options.width = usize::from(width.0);
    }
    options
}

pub(super) struct Output {
    sink: Sink,
    name: String,
}

enum Sink {
    Stdout,
    /// Renamed to the path when it is whole.
    File(NamedTempFile, PathBuf),
    /// A device or a named pipe: nothing to rename.
    Special(File),
}

impl Output {
    pub(super) fn stdout() -> Self {
        Self { sink: Sink::Stdout, name: "standard output".to_owned() }
    }

    /// The file that was asked for, or standard output.
    pub(super) fn at(path: Option<&Path>, inputs: &[PathBuf]) -> Result<Self, Status> {
        path.map_or_else(|| Ok(Self::stdout()), |path| Self::file(path, inputs))
    }

    /// Opens the place for a file, early, so that a long run does not end with nowhere to write;
    /// `-` is standard output. None of `inputs`, nor any capture, is replaced.
    pub(super) fn file(path: &Path, inputs: &[PathBuf]) -> Result<Self, Status> {
        if path == Path::new("-") {
            return Ok(Self::stdout());
        }
        spare(path, inputs)?;
        let name = path.display().to_string();
        match open(path) {
            Ok(sink) => Ok(Self { sink, name }),
            Err(error) => Err(Status::of_output_error(&error, &name)),
        }
    }

    /// Writes all that `write` gives, or leaves an existing file as it was.
    pub(super) fn write(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Status {
        let result = match self.sink {
            Sink::Stdout => buffered(io::stdout().lock(), write).map(drop),
            Sink::Special(file) => buffered(file, write).map(drop),
            Sink::File(file, path) => {
                buffered(file, write).and_then(|file| put_in_place(file, &path))
            }
        };
        match result {
            Ok(()) => Status::Complete,
            Err(error) => Status::of_output_error(&error, &self.name),
        }
    }
}

/// Refuses a place where something would be lost that cannot be made again: the shell makes of `-o *.pcap`
/// that the first of the captures is replaced by a report on the others.
pub(super) fn spare(path: &Path, inputs: &[PathBuf]) -> Result<(), Status> {
    // A device or a pipe loses nothing.
    if !path.is_file() {
        return Ok(());
    }
    let name = path.display();
    if inputs.iter().any(|input| is_same_file(named(input), path)) {
        let what = "is an input, and would be replaced: name another file to write to";
        say("error", format_args!("{name} {what}"));
        return Err(Status::Usage);
    }
    if is_capture(path) {
        let what = "is a packet capture, and would be replaced: name another file to write to";
        say("error", format_args!("{name} {what}, or remove this one first"));
        return Err(Status::Usage);
    }
    Ok(())
}

/// The name under which the system knows an input.
fn named(input: &Path) -> &Path {
    if input == Path::new("-") { Path::new("/dev/stdin") } else { input }
}

fn open(path: &Path) -> io::Result<Sink> {
    // A link stays a link: its target is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            File::options().write(true).open(&path).map(Sink::Special)
        }
        existing => {
            let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let file = temporary(directory.unwrap_or(Path::new(".")))?;
            if let Ok(metadata) = existing {
                file.as_file().set_permissions(metadata.permissions())?;
            }
            Ok(Sink::File(file, path))
        }
    }
}

/// With the permissions of any new file: the umask takes its part. `tempfile`'s own way of making one
/// puts a name that nobody gave into each error.
fn temporary(directory: &Path) -> io::Result<NamedTempFile> {
    let create = |path: &Path| File::options().write(true).create_new(true).open(path);
    tempfile::Builder::new().prefix(".tcplimit-").make_in(directory, create)
}

fn buffered<W: Write>(
    sink: W,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<W> {
    let mut buffer = BufWriter::new(sink);
    write(&mut buffer)?;
    buffer.flush()?;
    buffer.into_inner().map_err(io::IntoInnerError::into_error)
}

fn put_in_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The rename itself lasts once the directory is synced; not every file system can.
    if let Some(directory) = path.parent() {
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
    Ok(())
}
