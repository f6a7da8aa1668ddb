//! Unusable input: the errors that leave no report (exit status 3). Damage further into a file is
//! no error: what precedes it is reported (exit status 4).

use std::fmt::Write as _;

use crate::units::counted;

/// Why there is nothing to analyse. Each message says what, where and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No path was given.
    #[error("no input: name a capture file, a directory of them, or - for standard input")]
    NoInput,
    /// The file or directory cannot be opened.
    #[error("cannot open {name}: {cause}")]
    Open {
        /// The path, safe to print.
        name: String,
        /// What the operating system says.
        cause: String,
    },
    /// Reading or decompressing failed before the capture's header was whole.
    #[error("cannot read {name}: {cause}")]
    Read {
        /// The path, safe to print.
        name: String,
        /// What the operating system or the decompressor says.
        cause: String,
    },
    /// The capture has no connection of that number, or none with a report.
    #[error("{}", no_flow(*stream, *connections))]
    NoFlow {
        /// What was asked for.
        stream: u32,
        /// How many there are.
        connections: u64,
    },
    /// There is no TCP connection at all.
    #[error("no TCP connection {}", if *is_filtered { "passes the filter" } else { "in the capture" })]
    NoConnection {
        /// Whether a filter left packets out.
        is_filtered: bool,
    },
    /// The other direction of the connection is asked for, and has no report.
    #[error("connection {stream} carried data in one direction only: leave out --reverse")]
    NoReverse {
        /// What was asked for.
        stream: u32,
    },
    /// It was to give its memory to analyses beside it, and can be begun again when its turn has come.
    #[error("given up: analyses beside this one needed its memory")]
    Recalled,
    /// Not an octet of (decompressed) input.
    #[error("{name} is empty (0 bytes): is the capture still running? tcpdump -U writes at once")]
    Empty {
        /// The path, safe to print.
        name: String,
    },
    /// No known magic number.
    #[error(
        "{name} is not a packet capture (first bytes {first_bytes}; expected pcap, pcapng, or \
         either in gzip/zstd/lz4)"
    )]
    NotACapture {
        /// The path, safe to print.
        name: String,
        /// The first few octets in hexadecimal.
        first_bytes: String,
    },
    /// Another format or compression, which a known command converts.
    #[error("{name} is {format}: run: {command}")]
    OtherFormat {
        /// The path, safe to print.
        name: String,
        /// The format in words.
        format: String,
        /// The command that makes it readable.
        command: String,
    },
    /// The file ends before its first header does.
    #[error("{name} ends inside its {format} file header, after {len} bytes: nothing to analyse")]
    HeaderCut {
        /// The path, safe to print.
        name: String,
        /// "pcap" or "pcapng".
        format: &'static str,
        /// Octets there are, decompressed.
        len: u64,
    },
    /// The header's magic number is right and the rest of it is not.
    #[error("{name} has a bad {format} file header: {cause}")]
    BadHeader {
        /// The path, safe to print.
        name: String,
        /// "pcap" or "pcapng".
        format: &'static str,
        /// What is wrong.
        cause: String,
    },
    /// Every frame is of a link type that is not decoded.
    #[error("{name} holds no link type that carries TCP and is supported ({link_types})")]
    NoSupportedLinkType {
        /// The files, safe to print.
        name: String,
        /// What they hold instead.
        link_types: String,
    },
    /// On no link type that the capture holds can the filter be used.
    #[error("{name}: the filter means nothing on {cause}")]
    FilterWithoutMeaning {
        /// The files, safe to print.
        name: String,
        /// The link type, and what libpcap says.
        cause: String,
    },
    /// A directory without a single capture.
    #[error("{name} holds no {}", no_capture_among(*files))]
    NoCaptureInDirectory {
        /// The path, safe to print.
        name: String,
        /// How many files were looked at.
        files: usize,
    },
}

fn no_flow(stream: u32, connections: u64) -> String {
    if u64::from(stream) < connections {
        return format!("connection {stream} has no report: of so many, only the largest have one");
    }
    format!("no connection {stream} in the capture: it has {connections}, numbered from 0")
}

fn no_capture_among(files: usize) -> String {
    match files {
        0 => "files".to_owned(),
        _ => format!("packet capture ({})", counted(files as u64, "other file")),
    }
}

/// `text` with everything that a terminal could obey written as an escape.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let is_plain = matches!(c, '\'' | '"' | '\\') || c.escape_debug().count() == 1;
        if is_plain {
            out.push(c);
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", c.escape_default());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_bidi_characters_never_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31m\u{202e}b\n"), "a\\u{1b}[31m\\u{202e}b\\n");
        assert_eq!(printable("it's \"größe\" 1"), "it's \"größe\" 1");
    }
}
