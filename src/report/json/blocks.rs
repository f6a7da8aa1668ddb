//! Gathers the many small parts of a document, so that what is behind is called once in a while: a third
//! of the time of a report of many flows was calls with a few octets each.

use std::io::{self, Write};

/// Octets handed on at a time.
const BLOCK: usize = 64 << 10;

/// To be flushed at the end: dropped, it forgets what it has gathered.
pub(super) struct Blocks<'a> {
    gathered: Vec<u8>,
    out: &'a mut dyn Write,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { gathered: Vec::new(), out }
    }
}

impl Write for Blocks<'_> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        self.write_all(part)?;
        Ok(part.len())
    }

    #[inline]
    fn write_all(&mut self, part: &[u8]) -> io::Result<()> {
        if part.len() >= BLOCK {
            self.flush()?;
            return self.out.write_all(part);
        }
        self.gathered.extend_from_slice(part);
        if self.gathered.len() >= BLOCK {
            return self.flush();
        }
        Ok(())
    }

    /// What is behind keeps its own time for what it gathers.
    #[cold]
    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.gathered)?;
        self.gathered.clear();
        Ok(())
    }
}
