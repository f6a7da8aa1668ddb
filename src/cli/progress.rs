//! A sign of life on standard error, for readers at a terminal who wait longer than a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// Shows the count until dropped.
pub(super) struct Progress {
    /// Dropped first: the thread ends when its receiver sees that.
    done: Option<Sender<()>>,
    /// `None` where no thread could be had: then nothing is shown.
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Shows `packets` while it grows. Draws nothing where standard error is no terminal.
    pub(super) fn show(packets: Arc<AtomicU64>) -> Self {
        let (done, is_done) = channel();
        let thread = thread::Builder::new().spawn(move || {
            if is_done.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_elapsed(PATIENCE);
            bar.set_style(style());
            while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(packets.load(Ordering::Relaxed));
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self { done: Some(done), thread: thread.ok() }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // A drawing thread that failed must not fail the report.
            let _ = thread.join();
        }
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {human_pos} packets, {elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
}
