//! Away from the sender: did an acknowledgment reach it between two of its sends? Not if both echo one
//! timestamp (`TSecr`, RFC 7323 section 4.3): the next acknowledgment would have moved it on, unless it
//! carried the same one, made in the same tick. Then neither window held the sender, whatever was in
//! flight, and no room came free for a writer.
//!
//! How long it waited is known as well, if nothing on the way to the tap held up either of them.

use super::AtSender;
use super::sender_clock::Sent;
use crate::flow::Consumer;
use crate::wire::TcpTimestamps;

/// The last acknowledgment of the line that the sender was told of.
#[derive(Debug, Default)]
pub(super) struct HandedOn {
    value: Option<u32>,
    /// The one before had the same.
    is_again: bool,
}

impl HandedOn {
    #[inline]
    pub(super) fn push(&mut self, stamps: Option<TcpTimestamps>) {
        let value = stamps.map(|it| it.value);
        self.is_again = value == self.value;
        self.value = value;
    }

    /// It is the first that `echo` answers, none that is newer.
    fn is_first_with(&self, echo: u32) -> bool {
        self.value == Some(echo) && !self.is_again
    }
}

impl<C: Consumer> AtSender<C> {
    /// Takes data that echo `echo` and were `sent` then; whether nothing reached the sender since the ones
    /// before. To be asked once the acknowledgments that `echo` proves are released.
    pub(super) fn is_unprompted(&mut self, echo: Option<u32>, sent: &Sent) -> bool {
        let echo = echo.filter(|_| sent.is_exact() && self.still_echo.is_none());
        let last = std::mem::replace(&mut self.exact_echo, echo);
        let next = self.line.front().and_then(|ack| ack.timestamps).map(|stamps| stamps.value);
        last == echo && next != echo && echo.is_some_and(|echo| self.handed_on.is_first_with(echo))
    }
}
