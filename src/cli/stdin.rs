//! Standard input that a signal can end while nothing arrives on it.
//!
//! A blocked `read` would wait for the next packet before the report could be written, so a thread
//! of its own reads, and the analysis waits for its blocks with a time limit.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Blocks waiting: enough to keep both threads busy, no more memory than 4 MiB.
const BLOCKS_MAX: usize = 16;
const BLOCK_LEN: usize = 256 * 1024;
/// How long a signal may go unseen.
const PATIENCE: Duration = Duration::from_millis(50);

pub(super) struct Stdin {
    blocks: Receiver<io::Result<Vec<u8>>>,
    block: Vec<u8>,
    /// Octets of `block` already given.
    given: usize,
    stop: Arc<AtomicBool>,
}

impl Stdin {
    /// Reads until the end, or until `stop` is set: then it ends there.
    ///
    /// # Errors
    /// If no thread could be had.
    pub(super) fn open(stop: Arc<AtomicBool>) -> io::Result<Self> {
        let (sender, blocks) = sync_channel(BLOCKS_MAX);
        thread::Builder::new().spawn(move || pump(&sender))?;
        Ok(Self { blocks, block: Vec::new(), given: 0, stop })
    }

    /// The next block; `None` at the end.
    fn wait(&self) -> Option<io::Result<Vec<u8>>> {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            match self.blocks.recv_timeout(PATIENCE) {
                Ok(block) => return Some(block),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Hands on what arrives until the end, the first error, or nobody takes it.
fn pump(blocks: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut block = vec![0; BLOCK_LEN];
        let result = match io::stdin().lock().read(&mut block) {
            Ok(0) => return,
            Ok(len) => {
                block.truncate(len);
                Ok(block)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_over = result.is_err();
        if blocks.send(result).is_err() || is_over {
            return;
        }
    }
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.block.len() {
            let Some(block) = self.wait().transpose()? else { return Ok(0) };
            self.block = block;
            self.given = 0;
        }
        let mut rest = self.block.get(self.given..).unwrap_or_default();
        let len = rest.read(buffer)?;
        self.given = self.given.saturating_add(len);
        Ok(len)
    }
}
