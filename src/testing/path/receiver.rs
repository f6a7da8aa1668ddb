//! The receiving host: delayed ACKs, SACK, and a window that follows its reader.

use std::time::Duration;

use super::{Ack, Data, MSS, Path, Reader, SHIFT};
use crate::testing::ms;

/// Linux's `TCP_DELACK_MIN`.
const DELAYED_ACK: Duration = ms(40);
/// SACK blocks that fit beside timestamps.
const SACK_MAX: usize = 3;

pub(super) struct Receiver {
    rcv_nxt: u64,
    /// Ranges above `rcv_nxt`, the one last added to in front (RFC 2018 section 4).
    early: Vec<(u64, u64)>,
    /// Octets that the reader has taken.
    read: u64,
    buffer: u64,
    is_eager: bool,
    /// Right edge as last advertised; it never moves back (RFC 9293 section 3.8.6).
    right_edge: u64,
    unanswered: u32,
    echo: u64,
    has_fin: bool,
    /// Counts armings; only the last one's expiry counts.
    arming: u64,
    needs_arming: bool,
}

impl Receiver {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            rcv_nxt: 0,
            early: Vec::new(),
            read: 0,
            buffer: path.rcvbuf,
            is_eager: matches!(path.reader, Reader::Eager),
            right_edge: path.rcvbuf.min(65_535),
            unanswered: 0,
            echo: 0,
            has_fin: false,
            arming: 0,
            needs_arming: false,
        }
    }

    /// Takes a packet in; the answer, if it is due at once.
    pub(super) fn on_data(&mut self, data: &Data) -> Option<Ack> {
        let end = data.start + data.len + u64::from(data.fin);
        if data.start > self.rcv_nxt || end <= self.rcv_nxt {
            if end > self.rcv_nxt {
                self.keep(data.start, end);
            }
            return Some(self.ack());
        }
        let filled_a_hole = !self.early.is_empty();
        self.rcv_nxt = end;
        self.has_fin |= data.fin;
        while let Some(index) = self.early.iter().position(|range| range.0 <= self.rcv_nxt) {
            let (_, early_end) = self.early.remove(index);
            self.rcv_nxt = self.rcv_nxt.max(early_end);
        }
        if self.is_eager {
            self.read = self.rcv_nxt;
        }
        if self.unanswered == 0 {
            self.echo = data.sent_at;
        }
        self.unanswered += 1;
        if filled_a_hole || self.unanswered >= 2 || self.has_fin {
            return Some(self.ack());
        }
        self.needs_arming = true;
        None
    }

    /// The reader takes up to `octets`; a window update, if it pays (RFC 9293 section 3.8.6.2.2).
    pub(super) fn read(&mut self, octets: u64) -> Option<Ack> {
        self.read = self.rcv_nxt.min(self.read + octets);
        let gain = (self.read + self.buffer).saturating_sub(self.right_edge);
        (gain >= MSS.min(self.buffer / 2) && !self.has_fin).then(|| self.ack())
    }

    pub(super) fn on_delayed_ack(&mut self, arming: u64) -> Option<Ack> {
        (arming == self.arming && self.unanswered > 0).then(|| self.ack())
    }

    /// When the delayed-ACK timer has to run out, if it was started just now.
    pub(super) fn arm_delayed_ack(&mut self) -> Option<(Duration, u64)> {
        if !std::mem::take(&mut self.needs_arming) {
            return None;
        }
        self.arming += 1;
        Some((DELAYED_ACK, self.arming))
    }

    fn ack(&mut self) -> Ack {
        self.unanswered = 0;
        self.needs_arming = false;
        // The window is told in units of the shift.
        let window = (self.read + self.buffer).saturating_sub(self.rcv_nxt) >> SHIFT << SHIFT;
        self.right_edge = self.right_edge.max(self.rcv_nxt + window);
        Ack {
            rcv_nxt: self.rcv_nxt,
            window: self.right_edge - self.rcv_nxt,
            sack: self.early.iter().take(SACK_MAX).copied().collect(),
            sent_at: 0,
            echo: self.echo,
            fin: self.has_fin,
        }
    }

    fn keep(&mut self, mut start: u64, mut end: u64) {
        self.early.retain(|range| {
            let touches = range.0 <= end && start <= range.1;
            if touches {
                start = start.min(range.0);
                end = end.max(range.1);
            }
            !touches
        });
        self.early.insert(0, (start, end));
    }
}
