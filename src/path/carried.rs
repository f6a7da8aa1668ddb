//! How fast did data flow while there was any in flight?

use super::busy::Stretch;
use crate::units::{Bytes, Timestamp};

/// What was delivered, and the time it took.
#[derive(Debug, Default)]
pub(super) struct Carried {
    sum: Stretch,
    /// The last step, if it left data in flight.
    since: Option<Timestamp>,
}

impl Carried {
    pub(super) fn step(&mut self, now: Timestamp, flight: Bytes) {
        if let Some(since) = self.since {
            self.sum.add(Stretch { octets: 0.0, seconds: now.since(since).as_secs_f64() });
        }
        self.since = (flight > Bytes(0)).then_some(now);
    }

    /// `octets` are of whole frames.
    pub(super) fn deliver(&mut self, octets: f64) {
        self.sum.add(Stretch { octets, seconds: 0.0 });
    }

    /// All of it; `None` where nothing took time.
    pub(super) fn finish(self) -> Option<Stretch> {
        (self.sum.seconds > 0.0).then_some(self.sum)
    }
}
