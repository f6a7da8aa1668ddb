//! How fast did data flow while there was any in flight?

use super::stretch::Stretch;
use crate::units::{Bytes, Duration, Timestamp};

/// What was delivered, and the time it took.
#[derive(Debug, Default)]
pub(super) struct Carried {
    octets: f64,
    time: Duration,
    /// The last step, if it left data in flight.
    since: Option<Timestamp>,
}

impl Carried {
    pub(super) fn step(&mut self, now: Timestamp, flight: Bytes) {
        if let Some(since) = self.since {
            self.time = self.time.saturating_add(now.since(since));
        }
        self.since = (flight > Bytes(0)).then_some(now);
    }

    /// `octets` are of whole frames.
    pub(super) fn deliver(&mut self, octets: f64) {
        self.octets += octets;
    }

    /// All of it; `None` where nothing took time.
    pub(super) fn finish(self) -> Option<Stretch> {
        let seconds = self.time.as_secs_f64();
        (!self.time.is_zero()).then_some(Stretch { octets: self.octets, seconds })
    }
}
