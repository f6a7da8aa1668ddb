//! A live capture on standard error: a table that refreshes itself on a terminal, plain lines
//! elsewhere.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tcplimit::Watch;
use tcplimit::live::Progress;
use tcplimit::model::Glance;
use tcplimit::report::{glance_head, glance_lines};

/// The size of a terminal that does not tell its own.
const WIDTH: u16 = 80;
const HEIGHT: u16 = 24;

/// Shows the capture until dropped.
pub(super) struct Display {
    /// Dropped first: the thread ends when its receiver sees that.
    done: Option<Sender<()>>,
    /// `None` where no thread could be had: then nothing is shown.
    thread: Option<JoinHandle<()>>,
}

/// What is shown, and how often.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// Flows in the table.
    pub(super) top: usize,
    pub(super) every: Option<Duration>,
}

impl Display {
    pub(super) fn show(watch: Arc<Watch>, progress: Arc<Progress>, look: Look) -> Self {
        let (done, is_done) = channel();
        let mut screen = Screen::new(look);
        let every =
            look.every.unwrap_or(Duration::from_secs(if screen.is_terminal { 1 } else { 10 }));
        let thread = thread::Builder::new().spawn(move || {
            watch.ask();
            while is_done.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let glance = watch.take().unwrap_or_else(|| screen.aged(every));
                watch.ask();
                screen.draw(glance, &progress);
            }
            screen.clear();
        });
        Self { done: Some(done), thread: thread.ok() }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // A drawing thread that failed must not fail the report.
            let _ = thread.join();
        }
    }
}

struct Screen {
    is_terminal: bool,
    top: usize,
    /// Since when it shows.
    start: Instant,
    /// What the table showed last, to count rates from.
    last: Option<Glance>,
    /// Lines of the table on the terminal.
    lines: usize,
}

impl Screen {
    fn new(look: Look) -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self { is_terminal, top: look.top, start: now(), last: None, lines: 0 }
    }

    /// Goes by its own clock: that of the capture begins with the first packet, and a glance is a while old.
    fn head(&self, glance: &Glance, progress: &Progress) -> String {
        let mut shown = Glance::default();
        (shown.time_s, shown.connections) =
            (self.start.elapsed().as_secs_f64(), glance.connections);
        glance_head(&shown, progress.packets(), progress.drops())
    }

    /// The last glance so much later: without a packet since, nothing else has changed.
    fn aged(&self, by: Duration) -> Glance {
        let mut glance = self.last.clone().unwrap_or_default();
        let by = by.as_secs_f64();
        glance.time_s += by;
        glance.flows.iter_mut().for_each(|flow| flow.quiet_s += by);
        glance
    }

    fn draw(&mut self, glance: Glance, progress: &Progress) {
        let (width, height) = terminal_size::terminal_size_of(io::stderr())
            .map_or((WIDTH, HEIGHT), |(width, height)| (width.0, height.0));
        // Its last line stays free: a newline there would scroll.
        let room = usize::from(height).saturating_sub(3);
        let (top, width) = if self.is_terminal {
            (self.top.min(room), usize::from(width))
        } else {
            (self.top, usize::MAX)
        };
        let mut lines = vec![self.head(&glance, progress)];
        if !glance.flows.is_empty() {
            lines.extend(glance_lines(&glance, self.last.as_ref(), top, width));
        }
        self.clear();
        Self::put(&lines.join("\n"));
        self.lines = lines.len();
        self.last = Some(glance);
    }

    /// Takes the table off the terminal; lines elsewhere stay.
    fn clear(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        if self.is_terminal && lines > 0 {
            let mut sequence = String::new();
            // ECMA-48: cursor to the start of the line, so many lines up, and erase what is below.
            let _ = write!(sequence, "\r\x1b[{lines}A\x1b[J");
            let _ = io::stderr().write_all(sequence.as_bytes());
        }
    }

    fn put(text: &str) {
        // Where standard error is closed there is nobody left to tell.
        let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long it shows is no matter of the capture's clock"
)]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before the first packet there is no glance, and that packet's is at 0 s.
    #[test]
    fn the_clock_never_goes_back() {
        let mut screen = Screen::new(Look { top: 10, every: None });
        let three = Duration::from_secs(3);
        screen.start = screen.start.checked_sub(three).unwrap_or(screen.start);
        let head = screen.head(&Glance::default(), &Progress::default());
        assert!(head.starts_with("3.0"), "{head}");
    }
}
