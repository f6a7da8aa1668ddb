//! Away from the sender: did an acknowledgment reach it between two of its sends? Not if both echo one
//! timestamp (`TSecr`, RFC 7323 section 4.3): the next acknowledgment would have moved it on, unless it
//! carried the same one, made in the same tick, of which there are only so many. Then neither window held
//! the sender, whatever was in flight, and no room came free for a writer.
//!
//! How long it waited is known as well, if nothing on the way to the tap held up either of them.

use super::AtSender;
use super::sender_clock::Sent;
use crate::flow::Consumer;
use crate::wire::TcpTimestamps;

/// The last acknowledgments of the line that the sender was told of.
#[derive(Debug, Default)]
pub(super) struct HandedOn {
    value: Option<u32>,
    /// So many before it had the same, and may not have ended a wait yet.
    again: u32,
}

impl HandedOn {
    #[inline]
    pub(super) fn push(&mut self, stamps: Option<TcpTimestamps>) {
        let value = stamps.map(|it| it.value);
        self.again = if value == self.value { self.again.saturating_add(1) } else { 0 };
        self.value = value;
    }

    /// Whether none that `echo` answers can have ended a wait since the send before, which answers it as
    /// well; counts the wait. When each of several came is not known, only how many waits they can have
    /// ended: the first ones are taken for theirs.
    fn is_spent(&mut self, echo: u32) -> bool {
        if self.value != Some(echo) {
            return false;
        }
        let is_spent = self.again == 0;
        self.again = self.again.saturating_sub(1);
        is_spent
    }
}

impl<C: Consumer> AtSender<C> {
    /// Takes data that echo `echo` and were `sent` then; whether nothing reached the sender since the ones
    /// before. To be asked once the acknowledgments that `echo` proves are released.
    pub(super) fn is_unprompted(&mut self, echo: Option<u32>, sent: &Sent) -> bool {
        let echo = echo.filter(|_| sent.is_exact() && self.still_echo.is_none());
        let last = std::mem::replace(&mut self.exact_echo, echo);
        let next = self.line.front().and_then(|ack| ack.timestamps).map(|stamps| stamps.value);
        last == echo && next != echo && echo.is_some_and(|echo| self.handed_on.is_spent(echo))
    }
}
