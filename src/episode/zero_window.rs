//! Closed windows: from the ACK that leaves less than one segment of room to the one that gives it
//! back, and what made the receiver say so.

use serde::Serialize;

use super::longest::Longest;
use super::{Episode, Extent, List};
use crate::sender::{Acknowledge, SendKind, SenderEvent, Unchanged};
use crate::units::host::RTO_INITIAL;
use crate::units::{Bytes, Timestamp};

/// One time that the window was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ZeroWindow {
    pub(crate) extent: Extent,
    pub(crate) opened_by: OpenedBy,
    /// The smallest window advertised meanwhile.
    pub(crate) window_min: Bytes,
    /// Probes sent meanwhile (RFC 9293 section 3.8.6.1).
    pub(crate) probes: u64,
}

/// What opened a closed window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OpenedBy {
    /// The receiver by itself: its application had read.
    WindowUpdate,
    /// The answer to a probe.
    ProbeAnswer,
    /// Nothing until the capture ended.
    Nothing,
}

impl Episode for ZeroWindow {
    fn extent(&self) -> Extent {
        self.extent
    }

    fn extent_mut(&mut self) -> &mut Extent {
        &mut self.extent
    }
}

/// Follows one sender.
#[derive(Debug, Default)]
pub(super) struct ZeroWindows {
    list: Longest<ZeroWindow>,
    open: Option<ZeroWindow>,
    probed: Option<Timestamp>,
    smss: Bytes,
    /// The largest window so far.
    window_max: Bytes,
}

impl ZeroWindows {
    /// Octets held beside its own size.
    pub(super) fn memory(&self) -> usize {
        self.list.memory()
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where it is called the kind is known")]
    pub(super) fn on_event(&mut self, event: &SenderEvent) {
        match event {
            SenderEvent::Send(send) => {
                self.smss = send.smss;
                if let Some(open) =
                    self.open.as_mut().filter(|_| send.kind == SendKind::WindowProbe)
                {
                    open.probes = open.probes.saturating_add(1);
                    self.probed = Some(send.time);
                }
            }
            SenderEvent::Acknowledge(ack) => {
                // What is of unknown scale is not closed: that would be told at any scale.
                let is_shut = ack.after.snd_wnd.is_some_and(|window| self.is_shut(window));
                if self.open.is_some() || is_shut {
                    self.on_ack(ack, is_shut);
                }
            }
            SenderEvent::Gap(_) => {}
        }
    }

    /// Whether nothing goes out into it. A sender takes half of the largest window for enough (RFC 9293
    /// section 3.8.6.2.1): on loopback a segment may be larger than any window.
    #[inline]
    fn is_shut(&mut self, window: Bytes) -> bool {
        self.window_max = self.window_max.max(window);
        window < self.smss && (window == Bytes(0) || window.0.saturating_mul(2) < self.window_max.0)
    }

    pub(super) fn on_unchanged(&mut self, ack: &Unchanged) {
        if let Some(open) = &mut self.open {
            (open.extent.end, open.extent.last_frame) = (ack.time, ack.frame);
        }
    }

    pub(super) fn finish(mut self, end: Timestamp) -> List<ZeroWindow> {
        if let Some(mut open) = self.open.take() {
            open.extent.end = open.extent.end.max(end);
            self.list.push(open);
        }
        self.list.finish()
    }

    /// With a window that is shut, or was.
    #[inline(never)]
    fn on_ack(&mut self, ack: &Acknowledge, is_shut: bool) {
        match &mut self.open {
            None if is_shut => {
                self.probed = None;
                let extent = Extent::at(ack.time, ack.frame);
                let opened_by = OpenedBy::Nothing;
                let window_min = ack.after.snd_wnd.unwrap_or_default();
                self.open = Some(ZeroWindow { extent, opened_by, window_min, probes: 0 });
            }
            Some(open) => {
                (open.extent.end, open.extent.last_frame) = (ack.time, ack.frame);
                open.window_min =
                    ack.after.snd_wnd.map_or(open.window_min, |it| it.min(open.window_min));
                if !is_shut {
                    open.opened_by = if self.probed.is_some_and(|sent| is_answer(sent, ack)) {
                        OpenedBy::ProbeAnswer
                    } else {
                        OpenedBy::WindowUpdate
                    };
                    self.list.push(*open);
                    self.open = None;
                }
            }
            None => {}
        }
    }
}

/// Whether `ack` came one round trip after the probe `sent`: a receiver answers those at once
/// (`tcp_send_dupack`). The spread is the one that RFC 6298 section 2.2 gives a single sample: half of it.
fn is_answer(sent: Timestamp, ack: &Acknowledge) -> bool {
    let rtt = ack.after.srtt.unwrap_or(RTO_INITIAL);
    let twice = ack.time.since(sent).saturating_mul(2);
    (rtt..=rtt.saturating_mul(3)).contains(&twice)
}
