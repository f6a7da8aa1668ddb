//! From an open interface to a stream of octets: a thread reads frames, and writes them to the file
//! and to a socket pair, at whose other end the analysis reads. Where the analysis cannot keep up,
//! the socket is full, the kernel's buffer fills, and the kernel counts what it drops.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Live, Until, pcapng};

/// How a capture goes.
#[derive(Debug, Default)]
pub struct Progress {
    packets: AtomicU64,
    drops: AtomicU64,
    interface_drops: AtomicU64,
    failure: Mutex<Option<Failure>>,
}

#[derive(Debug, Clone)]
enum Failure {
    Capture(String),
    Save(String),
}

impl Progress {
    /// Frames captured.
    pub fn packets(&self) -> u64 {
        self.packets.load(Ordering::Relaxed)
    }

    /// Frames that the kernel dropped since nobody fetched them, and that the interface did.
    pub fn drops(&self) -> (u64, u64) {
        (self.drops.load(Ordering::Relaxed), self.interface_drops.load(Ordering::Relaxed))
    }

    /// Why the capture ended before it was to; `None` if it did not.
    pub fn failure(&self) -> Option<String> {
        match self.failed()? {
            Failure::Capture(cause) => Some(cause),
            Failure::Save(_) => None,
        }
    }

    /// Why saving failed, which ends a capture; `None` if it did not.
    pub fn save_failure(&self) -> Option<String> {
        match self.failed()? {
            Failure::Save(cause) => Some(cause),
            Failure::Capture(_) => None,
        }
    }

    fn failed(&self) -> Option<Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn fail(&self, failure: Failure) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }
}

pub(super) fn start(
    live: Live,
    until: Until,
    save: Option<Box<dyn Write + Send>>,
) -> io::Result<(impl Read + Send + 'static, Arc<Progress>)> {
    let (sink, source) = UnixStream::pair()?;
    let progress = Arc::new(Progress::default());
    let pump = Pump {
        digits: if live.handle.has_nanoseconds() { 9 } else { 6 },
        live,
        until,
        save,
        sink,
        progress: Arc::clone(&progress),
        last_ticks: 0,
    };
    thread::Builder::new().name("capture".to_owned()).spawn(move || pump.run())?;
    Ok((source, progress))
}

/// Hands frames on until the capture is to end, or nobody takes them.
struct Pump {
    live: Live,
    until: Until,
    save: Option<Box<dyn Write + Send>>,
    sink: UnixStream,
    progress: Arc<Progress>,
    /// Digits of the fraction of a second.
    digits: u8,
    last_ticks: u64,
}

impl Pump {
    /// Octets handed on at once, unless no frame waits.
    const BLOCK_LEN: usize = 64 << 10;
    /// Between two looks at an interface where no frame waits: less than a hundredth of what the
    /// kernel's buffer holds.
    const REST: Duration = Duration::from_millis(5);
    /// After the end, for frames that the kernel still holds together.
    const DRAIN: Duration = Duration::from_millis(2 * Live::HOLD_MS as u64);
    /// Between two looks at the kernel's counters.
    const COUNT_EVERY: Duration = Duration::from_millis(500);

    fn run(mut self) {
        let Live { interface, link_type, snap_len, .. } = &self.live;
        let head = pcapng::head(interface, *link_type, *snap_len, self.digits);
        let mut is_taken = self.hand_on(&head);
        let start = now();
        let mut block = Vec::with_capacity(Self::BLOCK_LEN.saturating_mul(2));
        let (mut end, mut counted) = (None, start);
        while is_taken && !self.is_over(start, &mut end) {
            let is_idle = self.fill(&mut block);
            if now().duration_since(counted) >= Self::COUNT_EVERY {
                counted = now();
                self.count_drops();
            }
            is_taken = self.hand_on(&block);
            block.clear();
            if is_idle {
                thread::sleep(Self::REST);
            }
        }
        if let Some(drops) = self.count_drops() {
            pcapng::statistics(&mut block, self.last_ticks, drops);
        }
        self.hand_on(&block);
        if let Some(Err(error)) = self.save.take().map(|mut save| save.flush()) {
            self.progress.fail(Failure::Save(error.to_string()));
        }
    }

    /// Whether all that was asked for is there. `end`: when it is to be given up.
    fn is_over(&self, start: Instant, end: &mut Option<Instant>) -> bool {
        if self.progress.failed().is_some() || self.missing() == 0 {
            return true;
        }
        let is_late = self.until.time.is_some_and(|time| start.elapsed() >= time);
        if end.is_none() && (is_late || self.until.stop.load(Ordering::Relaxed)) {
            *end = now().checked_add(Self::DRAIN);
        }
        end.is_some_and(|end| now() >= end)
    }

    /// Frames that are still asked for.
    fn missing(&self) -> u64 {
        self.until.packets.unwrap_or(u64::MAX).saturating_sub(self.progress.packets())
    }

    /// Fetches frames until the block is full, or none waits: then `true`.
    fn fill(&mut self, block: &mut Vec<u8>) -> bool {
        let ticks_per_second = 10_i64.saturating_pow(u32::from(self.digits));
        while block.len() < Self::BLOCK_LEN && self.missing() > 0 {
            match self.live.handle.next() {
                Ok(Some(packet)) => {
                    let seconds = packet.seconds.saturating_mul(ticks_per_second);
                    let ticks = u64::try_from(seconds.saturating_add(packet.fraction)).unwrap_or(0);
                    self.last_ticks = ticks;
                    pcapng::packet(block, ticks, packet.wire_len, packet.bytes);
                    self.progress.packets.fetch_add(1, Ordering::Relaxed);
                }
                Ok(None) => return true,
                Err(cause) => {
                    self.progress.fail(Failure::Capture(cause));
                    return true;
                }
            }
        }
        false
    }

    fn count_drops(&self) -> Option<(u64, u64)> {
        let (kernel, interface) = self.live.handle.drops()?;
        let drops = (u64::from(kernel), u64::from(interface));
        self.progress.drops.store(drops.0, Ordering::Relaxed);
        self.progress.interface_drops.store(drops.1, Ordering::Relaxed);
        Some(drops)
    }

    /// `false` once nobody takes it. What cannot be saved is analysed all the same.
    fn hand_on(&mut self, octets: &[u8]) -> bool {
        let is_taken = self.sink.write_all(octets).is_ok();
        if let Some(Err(error)) = self.save.as_mut().map(|save| save.write_all(octets)) {
            self.save = None;
            self.progress.fail(Failure::Save(error.to_string()));
        }
        is_taken
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long to capture is no matter of the capture's clock"
)]
fn now() -> Instant {
    Instant::now()
}
