//! Which compression is this, by content; names of files are not trusted.

use std::io;

use super::input::Input;

/// A compressed container that can hold a capture.
pub(super) struct Compression {
    pub(super) name: &'static str,
    /// The command that writes the decompressed file to standard output.
    pub(super) command: &'static str,
    /// `None` if this build cannot read it.
    pub(super) decompress: Option<fn(Input) -> io::Result<Input>>,
}

/// The compression that `head`, the start of a file, has.
pub(super) fn recognise(head: &[u8]) -> Option<&'static Compression> {
    MAGIC_NUMBERS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, found)| found)
}

const GZIP: Compression = Compression {
    name: "gzip",
    command: "gzip -dc",
    #[cfg(feature = "gzip")]
    decompress: Some(gzip),
    #[cfg(not(feature = "gzip"))]
    decompress: None,
};

const ZSTD: Compression = Compression {
    name: "zstd",
    command: "zstd -dc",
    #[cfg(feature = "zstd")]
    decompress: Some(zstd),
    #[cfg(not(feature = "zstd"))]
    decompress: None,
};

const LZ4: Compression = Compression {
    name: "lz4",
    command: "lz4 -dc",
    #[cfg(feature = "lz4")]
    decompress: Some(lz4),
    #[cfg(not(feature = "lz4"))]
    decompress: None,
};

const LZ4_UNREAD: Compression = Compression { decompress: None, ..LZ4 };

const MAGIC_NUMBERS: &[(&[u8], Compression)] = &[
    (b"\x1f\x8b", GZIP),
    (b"\x28\xb5\x2f\xfd", ZSTD),
    // pzstd begins with a skippable frame (RFC 8878 section 3.1.2).
    (b"\x50\x2a\x4d\x18", ZSTD),
    (b"\x04\x22\x4d\x18", LZ4),
    // Has no end mark, so a cut file could not be told from a whole one.
    (b"\x02\x21\x4c\x18", Compression { name: "legacy lz4", ..LZ4_UNREAD }),
    (b"\xfd7zXZ\x00", Compression { name: "xz", command: "xz -dc", decompress: None }),
    (b"BZh", Compression { name: "bzip2", command: "bzip2 -dc", decompress: None }),
    (b"LZIP", Compression { name: "lzip", command: "lzip -dc", decompress: None }),
    (b"PK\x03\x04", Compression { name: "zip", command: "unzip -p", decompress: None }),
];

#[cfg(feature = "gzip")]
#[expect(clippy::unnecessary_wraps, reason = "same type as the other decompressors")]
fn gzip(input: Input) -> io::Result<Input> {
    Ok(Box::new(super::gzip::Members::new(input)))
}

#[cfg(feature = "zstd")]
fn zstd(input: Input) -> io::Result<Input> {
    Ok(Box::new(super::zstd::Frames::new(input)?))
}

#[cfg(feature = "lz4")]
#[expect(clippy::unnecessary_wraps, reason = "same type as the other decompressors")]
fn lz4(input: Input) -> io::Result<Input> {
    Ok(Box::new(super::lz4::Frames::new(input)))
}
