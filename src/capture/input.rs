//! Where do the octets come from?

use std::io::Read;

/// Input of unknown origin, boxed so that one reader type serves files, pipes and decompressors.
pub(super) type Input = Box<dyn Read + Send>;

/// What standard input is called where a file's name would stand.
pub(super) const STDIN_NAME: &str = "standard input";
