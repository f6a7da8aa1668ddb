//! Without SACK a duplicate ACK tells that some segment beyond SND.UNA has arrived, not which (RFC 5681
//! section 3.2 inflates the congestion window instead; Linux counts them as SACKed, `tcp_add_reno_sack`).

use super::Sender;
use crate::flow::Ack;
use crate::sender::Recovery;
use crate::units::Bytes;

impl Sender {
    /// Takes what `ack` tells of it, which has moved SND.UNA by `newly_acked`.
    #[inline]
    pub(super) fn take_arrived(&mut self, ack: &Ack, newly_acked: Bytes, is_dup_ack: bool) {
        if is_dup_ack || self.arrived > Bytes(0) {
            self.count_arrived(ack, newly_acked, is_dup_ack);
        }
    }

    #[inline(never)]
    fn count_arrived(&mut self, ack: &Ack, newly_acked: Bytes, is_dup_ack: bool) {
        let smss = self.size.smss();
        if newly_acked > Bytes(0) {
            // In recovery one segment fills the gap, the others are those that had arrived
            // (`tcp_remove_reno_sacks`).
            let others = newly_acked.saturating_sub(smss);
            let is_partial = self.vars.recovery == Recovery::Fast;
            self.arrived = if is_partial { self.arrived.saturating_sub(others) } else { Bytes(0) };
        } else if is_dup_ack && !self.is_told_otherwise(ack) {
            // The one that is missing has not (`tcp_limit_reno_sacked`).
            let most = self.vars.snd_nxt.since(self.vars.snd_una).saturating_sub(smss);
            self.arrived = self.arrived.saturating_add(smss).min(most);
        }
    }

    /// By SACK; or a timeout has made all that was out lost (`tcp_process_loss`).
    fn is_told_otherwise(&self, ack: &Ack) -> bool {
        let has_sack = self.has_sack || !self.sacked.is_empty() || !ack.sack.as_slice().is_empty();
        has_sack || self.vars.recovery == Recovery::Timeout
    }

    /// Octets in the pipe of the `flight_size`: what was sent again stands for the segment that is missing.
    #[inline(never)]
    pub(super) fn pipe_without_sack(&self, flight_size: Bytes) -> Bytes {
        flight_size.saturating_sub(self.arrived)
    }
}
