//! SMSS, and how many wire segments a captured packet stands for. With segmentation offload the
//! tap of an end host sees super-frames of up to 64 kB; the sender counts segments.

mod run;

use run::Run;

use crate::flow::{self, Data};
use crate::units::Bytes;

/// The timestamps option with its padding (RFC 7323 appendix A): it comes off the MSS.
pub(crate) const TIMESTAMPS_LEN: u64 = 12;
/// With nothing else known, more than a full Ethernet frame holds is a super-frame.
pub(super) const ETHERNET_MSS: u64 = flow::ETHERNET_MSS.0;
/// What tunnels leave: the smallest MTU that IPv6 allows (RFC 8200 section 5), less the headers and
/// timestamps.
const TUNNEL_MSS_MIN: u64 = 1280 - 40 - 20 - TIMESTAMPS_LEN;
/// What a jumbo frame holds at most where the switches take 9216 octets (9000 to 9001 are usual), less the
/// headers.
const JUMBO_MSS: u64 = 9216 - 40;
/// MSS where none was announced (RFC 9293 section 3.7.1; Linux `TCP_MSS_DEFAULT`).
const DEFAULT_MSS: u64 = 536;

/// Learns SMSS from the handshake and from what goes by.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct SegmentSize {
    /// The smaller MSS option of the two, less the options on every segment.
    announced: Option<u64>,
    /// The receiver's, where it is the larger one.
    offered: Option<u64>,
    has_timestamps: bool,
    /// Largest payload that was no super-frame.
    largest: u64,
    /// Largest window that the receiver gave; 0 before one is known.
    window_max: u64,
    /// As it follows from the rest.
    smss: u64,
    /// What whole segments have, where that is not what was announced less the timestamps.
    learned: Option<u64>,
    run: Run,
}

impl SegmentSize {
    /// `receiver` is the receiver's MSS option, `mss` the smaller one of both.
    pub(super) fn set_announced(&mut self, mss: Option<u16>, receiver: Option<u16>) {
        self.announced = mss.map(u64::from).filter(|mss| *mss > TIMESTAMPS_LEN);
        self.offered = receiver.map(u64::from).filter(|offered| Some(*offered) > self.announced);
        self.settle();
    }

    #[inline]
    pub(super) fn learn(&mut self, data: &Data) {
        let has_timestamps = data.timestamps.is_some();
        let is_whole = data.len.0 == self.smss && data.len.0 <= self.largest;
        if is_whole && has_timestamps == self.has_timestamps {
            self.run.break_off();
            return; // Nearly always.
        }
        self.learn_of_other(data, has_timestamps);
    }

    /// Data that are no whole segment as it was known.
    #[inline(never)]
    fn learn_of_other(&mut self, data: &Data, has_timestamps: bool) {
        self.has_timestamps = has_timestamps;
        self.settle();
        self.learn_path(data);
        self.settle();
        let limit = self.limit();
        if data.len.0 > self.largest && data.len.0 <= limit {
            self.largest = data.len.0;
        } else if self.announced.is_none() && self.largest < limit && data.len.0 > limit {
            self.learn_of_super_frame(data.len.0);
        }
        self.settle();
    }

    /// A super-frame of whole segments shows their size, where those that went alone were only the ends of
    /// writes. Options that the capture cut off may have been on them.
    fn learn_of_super_frame(&mut self, len: u64) {
        let limit = self.limit();
        let sizes = [limit, limit.min(ETHERNET_MSS.saturating_sub(TIMESTAMPS_LEN))];
        let size = sizes.into_iter().find(|size| len.checked_rem(*size) == Some(0));
        self.largest = self.largest.max(size.unwrap_or_default());
    }

    #[inline]
    pub(super) fn on_window(&mut self, window: Bytes) {
        if window.0 > self.window_max {
            self.window_max = window.0;
            self.settle();
        }
    }

    /// Largest wire segment, in payload octets.
    #[inline]
    pub(super) fn smss(&self) -> Bytes {
        // Before anything was learned, too.
        if self.smss == 0 { Bytes(self.settled()) } else { Bytes(self.smss) }
    }

    /// To be called when anything else has changed: it is asked for far more often.
    fn settle(&mut self) {
        self.smss = self.settled();
    }

    /// Where none was announced, hardly a path takes less than the default: what is shorter are the writes of
    /// a program.
    fn settled(&self) -> u64 {
        if self.announced.is_some() || self.largest == 0 {
            return self.limit();
        }
        let least = DEFAULT_MSS.saturating_sub(self.options_len());
        self.largest.max(least.min(self.limit()))
    }

    /// Payload of the largest wire segment in the `len` octets that were learned of last.
    #[inline]
    pub(super) fn wire(&self, len: Bytes) -> u16 {
        u16::try_from(len.0.min(self.smss)).unwrap_or(u16::MAX)
    }

    /// Octets of TCP options on a segment with payload.
    pub(super) fn options_len(&self) -> u64 {
        if self.has_timestamps { TIMESTAMPS_LEN } else { 0 }
    }

    /// Wire segments in `len` octets of payload: 1 for none.
    #[inline]
    pub(super) fn segments(&self, len: Bytes) -> u32 {
        let smss = self.smss().0;
        if len.0 <= smss {
            return 1; // Nearly always: a division takes longer than all else here.
        }
        u32::try_from(len.0.div_ceil(smss.max(1)).max(1)).unwrap_or(u32::MAX)
    }

    /// A queue that does not run dry leaves in whole segments: where these are smaller than was announced,
    /// the path's MTU is (RFC 1191), or each carries more options (as multipath TCP's).
    fn learn_path(&mut self, data: &Data) {
        let (len, smss) = (data.len.0, self.smss().0);
        if len == smss {
            self.run.break_off();
            return; // Nearly always.
        }
        if self.is_as_offered(data) {
            self.learned = Some(len);
        }
        if self.learned.is_some_and(|learned| self.is_beyond(len, learned)) {
            self.learned = None; // The path takes more again, or it never took less.
        }
        if len == 0 || len.checked_rem(smss) == Some(0) {
            self.run.break_off();
            return;
        }
        let limit = self.whole_limit();
        self.run.add(data, DEFAULT_MSS.min(limit / 2));
        let jumbo = self.run.jumbo().filter(|_| self.announced.is_none());
        let limit =
            self.offered.filter(|offered| self.run.is_one_each(limit, *offered)).unwrap_or(limit);
        if let Some(size) = self.run.whole(limit).or(jumbo) {
            self.learned = Some(size);
        }
        if self.run.is_over() {
            self.run.break_off();
        }
    }

    /// A sender keeps to what its own link takes as well, so the smaller of two MSS options counts. Where a
    /// middlebox wrote that (clamping), or another host than the sender did, segments as large as the
    /// receiver's option allows give it away.
    fn is_as_offered(&self, data: &Data) -> bool {
        let options = if data.timestamps.is_some() { TIMESTAMPS_LEN } else { 0 };
        self.offered.is_some_and(|offered| data.len.0.saturating_add(options) == offered)
    }

    /// Whether one segment of `len` octets is more than the path was seen to take. Where more than one of
    /// that fit into what was announced (jumbo frames), only the whole of it is no super-frame.
    fn is_beyond(&self, len: u64, learned: u64) -> bool {
        let whole = self.whole_limit();
        let is_one =
            learned.saturating_mul(2) > whole || len.saturating_add(TIMESTAMPS_LEN) >= whole;
        len > learned && len <= whole && is_one
    }

    fn limit(&self) -> u64 {
        let expected = self.announced.unwrap_or(ETHERNET_MSS).saturating_sub(self.options_len());
        self.learned.unwrap_or(expected).min(self.half_window())
    }

    /// Options come off the MSS (RFC 9293 section 3.7.1), but not every sender takes them off.
    fn whole_limit(&self) -> u64 {
        self.announced.unwrap_or(ETHERNET_MSS)
    }

    /// A segment takes no more than half of the largest window (RFC 9293 section 3.8.6.2.1; Linux
    /// `tcp_bound_to_half_wnd`), or all of one below the default MSS. It matters where MSS is near the
    /// window's size: on loopback both are 64 kB, and a window with a single octet in flight would count as
    /// full.
    fn half_window(&self) -> u64 {
        match self.window_max {
            0 => u64::MAX,
            window if window > DEFAULT_MSS => window / 2,
            window => window,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::StreamOffset;
    use crate::units::{FrameNumber, Timestamp};
    use crate::wire::TcpTimestamps;

    /// What is learned of super-frames of so many octets each, all of them pushed, where 1460 octets were
    /// announced (less 12 for timestamps).
    fn learned_of(lengths: &[u64]) -> Bytes {
        let mut size = SegmentSize::default();
        size.set_announced(Some(1460), None);
        learn(size, lengths)
    }

    fn unannounced(lengths: &[u64]) -> Bytes {
        learn(SegmentSize::default(), lengths)
    }

    fn learn(mut size: SegmentSize, lengths: &[u64]) -> Bytes {
        let mut next = 1;
        for len in lengths {
            size.learn(&data(next, *len));
            next = next.saturating_add(*len);
        }
        size.smss()
    }

    fn data(start: u64, len: u64) -> Data {
        Data {
            frame: FrameNumber::new(start),
            time: Timestamp(start),
            start: StreamOffset(start),
            len: Bytes(len),
            is_syn: false,
            is_fin: false,
            is_pushed: true,
            ip_id: None,
            timestamps: Some(TcpTimestamps { value: 1, echo: 1 }),
            headers_len: 66,
            sender_tick: None,
            departure: crate::flow::Departure::Unknown,
        }
    }

    /// Behind a tunnel whose MTU is 1400.
    #[test]
    fn pushed_super_frames_of_many_lengths_show_the_path_s_segments() {
        let lengths = [10, 4, 2, 7, 10, 1, 3, 5].map(|segments| segments * 1348);
        assert_eq!(learned_of(&lengths), Bytes(1348));
        // After the end of a write, again.
        let with_end: Vec<u64> = [900].into_iter().chain(lengths).collect();
        assert_eq!(learned_of(&with_end), Bytes(1348));
    }

    /// Captured without its handshake; with PSH they may be messages of one length.
    #[test]
    fn jumbo_frames_show_themselves() {
        let learned = |is_pushed: bool, len: u64| {
            let mut size = SegmentSize::default();
            for nth in 0..3 {
                size.learn(&Data { is_pushed, ..data(1 + nth * len, len) });
            }
            size.smss()
        };
        assert_eq!(learned(false, 8948), Bytes(8948));
        assert_eq!(learned(false, 4 * 1448), Bytes(1448));
        assert_eq!(learned(true, 8948), Bytes(1448));
        assert_eq!(learned(false, 17_896), Bytes(1448), "one or two?");
    }

    /// Captured without its handshake. No path is known that takes less than the default, and a program may
    /// write any length.
    #[test]
    fn what_is_shorter_than_the_default_are_writes() {
        assert_eq!(unannounced(&[300, 300, 300]), Bytes(536 - TIMESTAMPS_LEN));
        assert_eq!(unannounced(&[300, 700, 300]), Bytes(700));
    }

    /// As the MSS was announced, with timestamps on top (RFC 9293 has them come off): a write that went alone
    /// stands before the rest.
    #[test]
    fn segments_that_leave_no_room_for_options_are_one_each() {
        let mut size = SegmentSize::default();
        size.set_announced(Some(1392), None);
        for nth in 0..4 {
            size.learn(&Data { is_pushed: nth == 0, ..data(1 + nth * 1392, 1392) });
        }
        assert_eq!((size.smss(), size.segments(Bytes(1392))), (Bytes(1392), 1));
    }

    /// The SYN-ACK came with 1400: a middlebox had cut that down, and nothing bound the server to it. In
    /// frames of 2800 octets it is the sender's own.
    #[test]
    fn segments_as_large_as_the_receiver_takes_are_one_each() {
        let counted = |len: u64| {
            let mut size = SegmentSize::default();
            size.set_announced(Some(1400), Some(1460));
            for nth in 0..4 {
                size.learn(&Data { is_pushed: false, ..data(1 + nth * len, len) });
            }
            (size.smss(), size.segments(Bytes(len)))
        };
        assert_eq!(counted(1448), (Bytes(1448), 1));
        assert_eq!(counted(1430), (Bytes(1430), 1), "by a link of its own");
        assert_eq!(counted(2776), (Bytes(1388), 2));
    }

    #[test]
    fn messages_show_no_segments() {
        for message in [1000, 1024] {
            let lengths = [10, 4, 2, 7, 10, 1, 3, 5].map(|count| count * message);
            assert_eq!(learned_of(&lengths), Bytes(1448), "{message}");
        }
        assert_eq!(learned_of(&[5392; 8]), Bytes(1448), "of one length");
        let small = [545, 1090, 545, 545, 1090, 545, 1090, 545, 545];
        assert_eq!(learned_of(&small), Bytes(1448), "put together by Nagle's algorithm");
        assert_eq!(learned_of(&[13_480, 5000, 2696, 777, 1348, 4044, 901, 2022]), Bytes(1448));
    }
}
