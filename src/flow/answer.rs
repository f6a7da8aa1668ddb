//! How fast is a side answered? Its data pass the tap, then what acknowledges them: the time
//! between is the peer's half of the RTT as seen from the tap, and whatever the peer took to answer. The
//! smallest of these times bounds what the handshake told: a SYN that found a sleeping radio, or a proxy
//! that had to reach the server first, was answered late, and nothing after it.

use super::Data;
use crate::units::{Duration, StreamOffset, Timestamp};

/// Follows one segment at a time until it is acknowledged.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// End of the segment, and when it passed.
    awaited: Option<(StreamOffset, Timestamp)>,
}

impl Answer {
    /// `is_new`: nothing of it was sent before (Karn's rule: else it is not known what is answered).
    pub(crate) fn on_data(&mut self, data: &Data, is_new: bool) {
        match self.awaited {
            Some((end, _)) if data.start < end => self.awaited = None,
            None if is_new && data.len.0 > 0 => self.awaited = Some((data.end(), data.time)),
            _ => {}
        }
    }

    /// All before `ack` is acknowledged at `now`: how long that took; `None` if it was not awaited, or the
    /// clock went back.
    pub(crate) fn on_ack(&mut self, ack: StreamOffset, now: Timestamp) -> Option<Duration> {
        let (_, sent) = self.awaited.take_if(|(end, _)| ack >= *end)?;
        (now >= sent).then(|| now.since(sent))
    }
}
