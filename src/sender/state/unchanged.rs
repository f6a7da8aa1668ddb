//! Acknowledgments that change nothing: while one side of a connection sends and the other is silent,
//! each of its segments acknowledges, once more, the last that the other has sent long ago. Of those
//! of a millisecond the flow hands on one ([`Ack::repeats`]); what is left of them is told in short.

use super::Sender;
use crate::flow::Ack;
use crate::sender::{Recovery, Unchanged};
use crate::units::Bytes;

impl Sender {
    /// After so many in a row, what listeners keep of the last two round trips holds nothing else, and one
    /// more does not change it.
    const UNCHANGED_MIN: u8 = 3;

    /// What is left to tell of `ack`, where it rides on data and says what those before it said, with
    /// nothing in flight and nothing under repair. It is taken in then; any other `ack` is not.
    #[inline]
    pub(crate) fn take_unchanged(&mut self, ack: &Ack) -> Option<Unchanged> {
        let is_unchanged = self.unchanged >= Self::UNCHANGED_MIN
            && ack.ack == self.vars.snd_una
            && ack.window == self.vars.snd_wnd
            && ack.slack.is_zero() != self.is_remote
            && is_plain_rider(ack);
        if !is_unchanged {
            return None;
        }
        self.totals.advance(ack.time);
        self.last_heard = Some(ack.time);
        let &Ack { frame, time, slack, repeats, .. } = ack;
        Some(Unchanged { frame, time, slack, repeats })
    }

    /// Counts them; any other step of the sender begins anew.
    pub(super) fn count_unchanged(&mut self, ack: &Ack, newly_acked: Bytes, is_window_same: bool) {
        let is_unchanged = newly_acked == Bytes(0)
            && self.vars.snd_nxt == self.vars.snd_una
            && self.vars.recovery == Recovery::Open
            && self.sacked.is_empty()
            && self.round.is_none()
            && is_window_same
            && is_plain_rider(ack);
        self.unchanged = if is_unchanged { self.unchanged.saturating_add(1) } else { 0 };
    }
}

/// Whether it has nothing of its own to say but a number and an open window.
fn is_plain_rider(ack: &Ack) -> bool {
    ack.has_payload
        && !(ack.is_syn || ack.is_fin || ack.has_ece)
        && ack.sack.as_slice().is_empty()
        && ack.window.is_some_and(|window| window > Bytes(0))
}
