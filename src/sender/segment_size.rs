//! SMSS, and how many wire segments a captured packet stands for. With segmentation offload the
//! tap of an end host sees super-frames of up to 64 kB; the sender counts segments.

use crate::flow::Data;
use crate::units::Bytes;

/// The timestamps option with its padding (RFC 7323 appendix A): it comes off the MSS.
const TIMESTAMPS_LEN: u64 = 12;
/// Payload of a full Ethernet frame without TCP options (IPv4): with nothing else known, more
/// than that is a super-frame.
const ETHERNET_MSS: u64 = 1460;
/// MSS where none was announced (RFC 9293 section 3.7.1; Linux `TCP_MSS_DEFAULT`).
const DEFAULT_MSS: u64 = 536;

/// Learns SMSS from the handshake and from what goes by.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct SegmentSize {
    /// The smaller MSS option of the two, less the options on every segment.
    announced: Option<u64>,
    has_timestamps: bool,
    /// Largest payload that was no super-frame.
    largest: u64,
    /// Largest window that the receiver gave; 0 before one is known.
    window_max: u64,
}

impl SegmentSize {
    pub(super) fn set_announced(&mut self, mss: Option<u16>) {
        self.announced = mss.map(u64::from).filter(|mss| *mss > TIMESTAMPS_LEN);
    }

    pub(super) fn learn(&mut self, data: &Data) {
        self.has_timestamps = data.timestamps.is_some();
        if data.len.0 > self.largest && data.len.0 <= self.limit() {
            self.largest = data.len.0;
        }
    }

    pub(super) fn on_window(&mut self, window: Bytes) {
        self.window_max = self.window_max.max(window.0);
    }

    /// Largest wire segment, in payload octets.
    pub(super) fn smss(&self) -> Bytes {
        Bytes(if self.announced.is_some() || self.largest == 0 {
            self.limit()
        } else {
            self.largest
        })
    }

    /// Wire segments in `len` octets of payload: 1 for none.
    pub(super) fn segments(&self, len: Bytes) -> u32 {
        let smss = self.smss().0;
        if len.0 <= smss {
            return 1; // Nearly always: a division takes longer than all else here.
        }
        u32::try_from(len.0.div_ceil(smss.max(1)).max(1)).unwrap_or(u32::MAX)
    }

    fn limit(&self) -> u64 {
        let options = if self.has_timestamps { TIMESTAMPS_LEN } else { 0 };
        let limit = self.announced.unwrap_or(ETHERNET_MSS).saturating_sub(options);
        limit.min(self.half_window())
    }

    /// A segment takes no more than half of the largest window (RFC 9293 section 3.8.6.2.1; Linux
    /// `tcp_bound_to_half_wnd`), or all of one below the default MSS. It matters where MSS is near the window's
    /// size: on loopback both are 64 kB, and a window with a single octet in flight would count as full.
    fn half_window(&self) -> u64 {
        match self.window_max {
            0 => u64::MAX,
            window if window > DEFAULT_MSS => window / 2,
            window => window,
        }
    }
}
