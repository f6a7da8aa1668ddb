//! gzip members (RFC 1952), one after another. Zeros behind the last one are padding, as tape
//! drives and block devices leave it: gzip(1) passes over them, and so does this.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

use super::input::Input;

/// Decompresses member after member.
pub(super) struct Members {
    /// `None` once the input ended.
    member: Option<GzDecoder<BufReader<Input>>>,
}

impl Members {
    pub(super) fn new(input: Input) -> Self {
        Self { member: Some(GzDecoder::new(BufReader::with_capacity(1 << 16, input))) }
    }
}

impl Read for Members {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let len = member.read(buf)?;
            if len > 0 || buf.is_empty() {
                return Ok(len);
            }
            let Some(mut input) = self.member.take().map(GzDecoder::into_inner) else { break };
            if skip_zeros(&mut input)? {
                self.member = Some(GzDecoder::new(input));
            }
        }
        Ok(0)
    }
}

/// Passes over zeros; whether anything else follows.
fn skip_zeros(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let octets = input.fill_buf()?;
        let zeros = octets.iter().take_while(|octet| **octet == 0).count();
        if octets.is_empty() || zeros < octets.len() {
            let is_more = !octets.is_empty();
            input.consume(zeros);
            return Ok(is_more);
        }
        input.consume(zeros);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn member(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn read_all(octets: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        Members::new(Box::new(io::Cursor::new(octets.to_vec()))).read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn zeros_behind_a_member_are_padding() {
        let padding = vec![0; 100_000];
        let padded = [&member(b"one "), &padding[..], &member(b"two"), &padding[..]].concat();
        assert_eq!(read_all(&padded).unwrap(), b"one two");
    }

    #[test]
    fn anything_else_behind_a_member_is_an_error() {
        for garbage in [&b"\x01"[..], b"\0\0\x1f", b"text"] {
            assert!(read_all(&[&member(b"one"), garbage].concat()).is_err(), "{garbage:?}");
        }
    }

    #[test]
    fn no_cut_passes_for_an_end() {
        let octets = member(&[7; 300]);
        for len in 0..octets.len() {
            assert!(read_all(&octets[..len]).is_err(), "cut after {len}");
        }
    }
}
