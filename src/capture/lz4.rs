//! LZ4 frames, one after another. `lz4_flex` ends a read at each frame's end, and cannot tell an
//! input that was cut between two blocks from one that ended well: both are told apart here.

use std::io::{self, BufReader, ErrorKind, Read};

use lz4_flex::frame::FrameDecoder;

use super::input::Input;

type Source = EndNoting<BufReader<Input>>;

/// Decompresses frame after frame.
pub(super) struct Frames {
    /// `None` once the input ended.
    frame: Option<FrameDecoder<Source>>,
}

impl Frames {
    pub(super) fn new(input: Input) -> Self {
        let source = EndNoting { inner: BufReader::new(input), octets: 0, has_ended: false };
        Self { frame: Some(FrameDecoder::new(source)) }
    }
}

impl Read for Frames {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while let Some(frame) = &mut self.frame {
            let len = frame.read(buf)?;
            if len > 0 {
                return Ok(len);
            }
            let Some(source) = self.frame.take().map(FrameDecoder::into_inner) else { break };
            match (source.has_ended, source.octets) {
                // Nothing followed the frame before.
                (true, 0) => {}
                // The library saw the input's end where a block had to begin.
                (true, _) => return Err(ErrorKind::UnexpectedEof.into()),
                // A new decoder for each frame, for it keeps buffers of the first one's size.
                (false, _) => {
                    self.frame = Some(FrameDecoder::new(EndNoting { octets: 0, ..source }));
                }
            }
        }
        Ok(0)
    }
}

/// Remembers whether a read met the end, and how much was read.
struct EndNoting<R> {
    inner: R,
    octets: u64,
    has_ended: bool,
}

impl<R: Read> Read for EndNoting<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buf)?;
        self.octets = self.octets.saturating_add(len as u64);
        self.has_ended = len == 0;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use lz4_flex::frame::FrameEncoder;

    use super::*;

    fn frame(text: &[u8]) -> Vec<u8> {
        let mut encoder = FrameEncoder::new(Vec::new());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn read_all(octets: &[u8]) -> (Vec<u8>, io::Result<usize>) {
        let mut out = Vec::new();
        let result = Frames::new(Box::new(io::Cursor::new(octets.to_vec()))).read_to_end(&mut out);
        (out, result)
    }

    #[test]
    fn frames_that_follow_each_other_are_one_stream() {
        let octets = [frame(b"one "), frame(b"two")].concat();
        let (text, result) = read_all(&octets);
        assert_eq!(text, b"one two");
        assert_eq!(result.unwrap(), 7);
    }

    #[test]
    fn no_cut_passes_for_an_end() {
        let octets = frame(&[7; 300]);
        for len in 1..octets.len() {
            let (_, result) = read_all(&octets[..len]);
            assert!(result.is_err(), "cut after {len} of {} octets", octets.len());
        }
        assert!(read_all(&octets).1.is_ok());
    }
}
