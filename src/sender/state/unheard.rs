//! What the capture, or the path, keeps back: acknowledgments that must have come, segments that never
//! arrive.

use super::Sender;
use crate::sender::passage::TooLarge;
use crate::sender::{Recovery, initial_window};
use crate::units::{Bytes, Timestamp};

impl Sender {
    /// When the first of what is in flight went out, if that is more than a congestion window: one begins
    /// with ten segments of Ethernet's (RFC 6928) or of its own size and grows by no more than what is
    /// acknowledged (RFC 5681 section 3.1), or by a segment for each acknowledgment, however little that
    /// covers; a loss probe goes out beside it (RFC 8985 section 7.3). A sender that waits for its timer
    /// hears nothing itself.
    pub(super) fn unheard_since(&self) -> Option<Timestamp> {
        let first = self.sent.front()?;
        let probes = self.totals.loss_probes_of_new_data;
        let beside = self.totals.rtt.samples().saturating_add(probes);
        let allowed = initial_window(self.size.smss(), beside).saturating_add(self.totals.acked);
        let is_more = self.vars.snd_nxt.since(self.vars.snd_una) > allowed;
        (is_more && self.sacked.is_empty() && !self.awaits_timer()).then_some(first.time)
    }

    /// The head was sent again after a timeout, and nothing new has been since.
    fn awaits_timer(&self) -> bool {
        self.vars.recovery == Recovery::Timeout
            && self.recovery_point == self.vars.snd_nxt
            && self.sent.front().is_some_and(|head| head.is_resent)
    }

    /// Segments that are too large for the path, if there are any. Where duplicate ACKs tell that something
    /// arrived, but not what, that is not known.
    pub(super) fn too_large(&self) -> Option<TooLarge> {
        let mut passage = self.passage;
        self.sent.iter().filter(|sent| sent.is_sacked).for_each(|sent| passage.pass(sent.size));
        passage.too_large(Bytes(self.size.options_len())).filter(|_| self.arrived == Bytes(0))
    }
}
