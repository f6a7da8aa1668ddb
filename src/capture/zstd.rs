//! Zstandard frames (RFC 8878), with a bound on the memory that a frame may ask for.

use std::io::{self, BufReader, Read};

use ::zstd::stream::read::Decoder;

use super::input::Input;

/// Frames may look back 32 MiB: four times what RFC 8878 section 3.1.1.1.2 asks of every decoder, and
/// as much as `zstd -20 --ultra` writes.
const WINDOW_LOG_MAX: u32 = 25;

/// `ZSTD_error_frameParameter_windowTooLarge` in words, the only form in which it comes.
const WINDOW_TOO_LARGE: &str = "Frame requires too much memory for decoding";

/// Decompresses frame after frame.
pub(super) struct Frames(Decoder<'static, BufReader<Input>>);

impl Frames {
    /// # Errors
    /// If the library cannot be set up.
    pub(super) fn new(input: Input) -> io::Result<Self> {
        let mut decoder = Decoder::new(input)?;
        decoder.window_log_max(WINDOW_LOG_MAX)?;
        Ok(Self(decoder))
    }
}

impl Read for Frames {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf).map_err(|error| {
            if error.to_string() != WINDOW_TOO_LARGE {
                return error;
            }
            let max = 1_u32.checked_shl(WINDOW_LOG_MAX).unwrap_or_default() >> 20;
            io::Error::other(format!(
                "compressed with a window above {max} MiB: decompress it with zstd -d --long=31"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn frame(window_log: u32) -> Vec<u8> {
        let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(window_log).unwrap();
        encoder.long_distance_matching(true).unwrap();
        encoder.write_all(b"text").unwrap();
        encoder.finish().unwrap()
    }

    fn read_all(octets: &[u8]) -> io::Result<String> {
        let mut out = String::new();
        Frames::new(Box::new(io::Cursor::new(octets.to_vec())))?.read_to_string(&mut out)?;
        Ok(out)
    }

    #[test]
    fn a_large_window_is_refused_with_what_to_do() {
        assert_eq!(read_all(&frame(25)).unwrap(), "text");
        let error = read_all(&frame(26)).unwrap_err().to_string();
        assert!(error.contains("above 32 MiB") && error.contains("--long=31"), "{error}");
    }
}
