//! How far is the tap from either end, and where does that put it?

use super::position::Vantage;
use crate::units::{Duration, least};

/// The smallest halves of the RTT seen: the path without queues and waits.
#[derive(Debug, Default)]
pub(super) struct Halves {
    pub(super) sender: Option<Duration>,
    pub(super) receiver: Option<Duration>,
    /// The handshake told the former, which its kernel answers.
    is_by_handshake: bool,
    /// As the user told it; `None` where it is to be found out.
    told: Option<Vantage>,
    pub(super) found: Vantage,
    /// The one that counts.
    pub(super) position: Vantage,
}

impl Halves {
    /// Before anything was seen.
    pub(super) fn told(told: Option<Vantage>) -> Self {
        Self { told, position: told.unwrap_or_default(), ..Self::default() }
    }

    /// Takes what the handshake told, which may be nothing.
    pub(super) fn learn_by_handshake(
        &mut self,
        sender: Option<Duration>,
        receiver: Option<Duration>,
    ) {
        self.is_by_handshake |= sender.is_some();
        self.learn(sender, receiver);
    }

    /// Takes a measured half or both; they count where they are the smallest yet.
    pub(super) fn learn(&mut self, sender: Option<Duration>, receiver: Option<Duration>) {
        self.sender = least(self.sender, sender);
        self.receiver = least(self.receiver, receiver);
        let (Some(sender), Some(receiver)) = (self.sender, self.receiver) else { return };
        self.found = Vantage::of_halves(sender, receiver, self.is_by_handshake);
        self.position = self.told.unwrap_or(self.found);
    }

    /// The round trip without queues; `None` before both halves are known.
    pub(super) fn rtt(&self) -> Option<Duration> {
        Some(self.sender?.saturating_add(self.receiver?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn the_smallest_halves_tell_the_position() {
        let mut halves = Halves::default();
        halves.learn_by_handshake(Some(MS(0)), None);
        assert_eq!((halves.position, halves.rtt()), (Vantage::Unknown, None));
        halves.learn(None, Some(MS(40)));
        assert_eq!((halves.position, halves.rtt()), (Vantage::Sender, Some(MS(40))));
        halves.learn(Some(MS(9)), Some(MS(50)));
        assert_eq!(halves.rtt(), Some(MS(40)));
    }

    #[test]
    fn what_the_user_told_counts_and_what_was_found_is_kept() {
        let mut halves = Halves::told(Some(Vantage::Receiver));
        assert_eq!(halves.position, Vantage::Receiver);
        halves.learn_by_handshake(Some(MS(0)), Some(MS(40)));
        assert_eq!((halves.position, halves.found), (Vantage::Receiver, Vantage::Sender));
    }
}
