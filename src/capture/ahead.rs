//! Decompression on a thread of its own: what it gives is read as from any other input.

use std::io::{self, ErrorKind, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::input::Input;

/// Octets handed over at most at a time.
const BLOCK_LEN: usize = 1 << 18;

/// Blocks that wait to be read: with the one being filled and the one being read, 1.5 MiB.
const WAITING_MAX: usize = 4;

/// What a thread read ahead.
struct Ahead {
    blocks: Receiver<io::Result<Filled>>,
    /// Takes blocks back to be filled again.
    spare: SyncSender<Vec<u8>>,
    block: Filled,
    /// How much of `block` was read.
    taken: usize,
}

/// A block, and how much of it was filled. The rest is what it was: to clear it each time takes longer than
/// to hand it over.
#[derive(Default)]
struct Filled {
    octets: Vec<u8>,
    len: usize,
}

/// Reads `input` on a thread of its own, if the machine gives one.
pub(super) fn read_ahead(input: Input) -> Input {
    let (filled, blocks) = sync_channel(WAITING_MAX);
    let (spare, empty) = sync_channel(WAITING_MAX.saturating_add(2));
    // The input is handed over once the thread is there: without one it is still needed here.
    let (hand_over, taken) = sync_channel::<Input>(1);
    let run = move || taken.recv().map(|input| fill(input, &filled, &empty));
    if thread::Builder::new().spawn(run).is_err() {
        return input;
    }
    match hand_over.send(input) {
        Ok(()) => Box::new(Ahead { blocks, spare, block: Filled::default(), taken: 0 }),
        Err(refused) => refused.0,
    }
}

/// Hands blocks over until the input ends or fails, or nobody reads any more.
fn fill(mut input: Input, filled: &SyncSender<io::Result<Filled>>, empty: &Receiver<Vec<u8>>) {
    loop {
        let mut octets = empty.try_recv().unwrap_or_default();
        octets.resize(BLOCK_LEN, 0); // Where it is a new one.
        let result = match input.read(&mut octets) {
            Ok(0) => return,
            Ok(len) => Ok(Filled { octets, len }),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = result.is_err();
        if filled.send(result).is_err() || is_last {
            return;
        }
    }
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.block.len {
            let read = std::mem::take(&mut self.block);
            // A full queue means that the thread has enough of them, or has ended.
            drop(self.spare.try_send(read.octets));
            self.taken = 0;
            // Without a sender there is nothing more: the end, or a failure that was told.
            self.block = self.blocks.recv().unwrap_or_else(|_| Ok(Filled::default()))?;
        }
        let Filled { octets, len } = &self.block;
        let len = octets.get(self.taken..*len).unwrap_or_default().read(buffer)?;
        self.taken = self.taken.saturating_add(len);
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives `left` octets in odd pieces, then fails or ends.
    struct Pieces {
        left: usize,
        fails: bool,
    }

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = buffer.len().min(self.left).min(77_777);
            if len == 0 && self.fails {
                return Err(io::Error::other("broken"));
            }
            for (at, octet) in buffer.iter_mut().take(len).enumerate() {
                *octet = u8::try_from(self.left.saturating_sub(at) % 251).unwrap();
            }
            self.left = self.left.saturating_sub(len);
            Ok(len)
        }
    }

    #[test]
    fn gives_what_it_was_given() {
        let left = 3_000_001;
        let mut direct = Vec::new();
        Pieces { left, fails: false }.read_to_end(&mut direct).unwrap();
        let mut read = Vec::new();
        let mut ahead = read_ahead(Box::new(Pieces { left, fails: false }));
        ahead.read_to_end(&mut read).unwrap();
        assert!(read == direct && read.len() == left);
        assert_eq!(ahead.read(&mut [0; 8]).unwrap(), 0, "the end stays the end");
    }

    #[test]
    fn a_failure_comes_after_what_preceded_it() {
        let mut read = Vec::new();
        let mut ahead = read_ahead(Box::new(Pieces { left: 300_000, fails: true }));
        assert_eq!(ahead.read_to_end(&mut read).unwrap_err().to_string(), "broken");
        assert_eq!(read.len(), 300_000);
    }

    #[test]
    fn may_be_dropped_at_any_time() {
        let mut ahead = read_ahead(Box::new(io::repeat(1)));
        assert_eq!(ahead.read(&mut [0; 8]).unwrap(), 8);
    }
}
