//! The times of the packets that come next.

use super::super::outlier::Ahead;
use super::super::window::{Span, Window};
use super::codes::{BLOCK_FRAME_LEN, ENHANCED_PACKET, OBSOLETE_PACKET, SECTION_HEADER};
use super::{PACKET_DATA_OFFSET, Sections};

impl Sections {
    /// Blocks that are looked at: what comes of other interfaces in between must not cost much.
    const LOOKED_AT_MAX: usize = 64;

    /// Those of `interface` behind the one at `kept`, which was consumed last; `None` if they are too far on.
    #[cold]
    pub(in super::super) fn ahead(
        &self,
        window: &mut Window,
        kept: &mut Span,
        interface: u32,
    ) -> Option<Ahead> {
        let clock = self.interfaces.get(interface as usize)?.clock;
        let mut ahead = Ahead::repeating_every(clock.lower_half());
        let mut at: usize = 0;
        for _ in 0..Self::LOOKED_AT_MAX {
            if !window.fill_behind(kept, at.saturating_add(PACKET_DATA_OFFSET)) {
                return Some(ahead); // No packet is so short.
            }
            let block = window.unread().get(at..).and_then(|rest| rest.first_chunk());
            let Some((len, seen)) = block.and_then(|head| self.head(head)) else {
                return Some(ahead);
            };
            if let Some((_, ticks)) = seen.filter(|(number, _)| *number == interface) {
                ahead.add(clock.stamp(ticks));
            }
            if ahead.is_enough() {
                return Some(ahead);
            }
            at = at.saturating_add(len);
        }
        None
    }

    /// The length of the block, and interface and time of the packet if it holds one; `None` if the section
    /// ends before it.
    fn head(&self, head: &[u8; PACKET_DATA_OFFSET]) -> Option<(usize, Option<(u32, u64)>)> {
        let word = |at: usize| {
            let octets = head.get(at..).and_then(|rest| rest.first_chunk::<4>());
            self.order.u32(octets.copied().unwrap_or_default())
        };
        let (kind, len) = (word(0), word(4) as usize);
        let ticks = u64::from(word(12)) << 32 | u64::from(word(16));
        let packet = match kind {
            SECTION_HEADER => return None,
            ENHANCED_PACKET => Some((word(8), ticks)),
            OBSOLETE_PACKET => Some((u32::from(self.order.u16([head[8], head[9]])), ticks)),
            _ => None,
        };
        (len >= BLOCK_FRAME_LEN && len % 4 == 0).then_some((len, packet))
    }
}
