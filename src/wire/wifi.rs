//! IEEE 802.11 data frames, and the headers that radios' drivers put in front of them.

use super::link;
use super::packet::{Next, Packet, RadioHeader};
use super::skip::Skip;
use crate::capture::LinkType;

/// Takes a driver's header off.
///
/// # Errors
/// `BadLength` if it says that it is shorter than its own length field needs.
pub(super) fn radio_header(packet: &mut Packet<'_>, header: RadioHeader) -> Result<Next, Skip> {
    let head = packet.peek::<8>().ok_or(Skip::Truncated)?;
    let [_, _, len_low, len_high, word @ ..] = *head;
    let short_len = usize::from(u16::from_le_bytes([len_low, len_high]));
    let is_avs = matches!(*head, [0x80, 0x21, 0x10, 0x01 | 0x02, ..]);
    let (len, next) = match header {
        RadioHeader::Radiotap => {
            let is_padded = radiotap_flags(packet.bytes().get(..short_len).unwrap_or_default())
                & RADIOTAP_DATA_PAD
                != 0;
            (short_len, Next::Ieee80211 { is_padded })
        }
        RadioHeader::Ppi => (short_len, link::first(LinkType(u32::from_le_bytes(word)))?),
        // Some drivers put an AVS header where the link type says Prism.
        RadioHeader::Prism if !is_avs => (to_len(u32::from_le_bytes(word)), PLAIN),
        RadioHeader::Prism | RadioHeader::Avs => (to_len(u32::from_be_bytes(word)), PLAIN),
    };
    if len < head.len() {
        return Err(Skip::BadLength);
    }
    packet.take_slice(len)?;
    Ok(next)
}

const PLAIN: Next = Next::Ieee80211 { is_padded: false };

/// The header is padded so that the payload starts on a multiple of four octets.
const RADIOTAP_DATA_PAD: u8 = 0x20;

/// The flags field (<https://www.radiotap.org/fields/Flags>); 0 if there is none.
fn radiotap_flags(header: &[u8]) -> u8 {
    const HAS_TSFT: u8 = 0x01;
    const HAS_FLAGS: u8 = 0x02;
    const HAS_MORE_WORDS: u8 = 0x80;
    let words = header.get(4..).unwrap_or_default().chunks_exact(4);
    let first = words.clone().next().and_then(<[u8]>::first).copied().unwrap_or_default();
    if first & HAS_FLAGS == 0 {
        return 0;
    }
    let more = words.take_while(|word| word.last().is_some_and(|b| b & HAS_MORE_WORDS != 0));
    let fields = more.count().saturating_mul(4).saturating_add(8);
    let has_tsft = first & HAS_TSFT != 0;
    // The timer takes eight octets and starts on a multiple of eight.
    let at = if has_tsft { fields.next_multiple_of(8).saturating_add(8) } else { fields };
    header.get(at).copied().unwrap_or_default()
}

fn to_len(word: u32) -> usize {
    usize::try_from(word).unwrap_or(usize::MAX)
}

/// Takes the header of a data frame off: addresses by the two DS bits, QoS by the subtype; above it
/// stands LLC.
///
/// # Errors
/// `Encrypted` for a protected frame, `NotIp` for one without data.
pub(super) fn data_frame(packet: &mut Packet<'_>, is_padded: bool) -> Result<Next, Skip> {
    let [control, flags] = *packet.peek::<2>().ok_or(Skip::Truncated)?;
    let is_data = control & 0x0c == 0x08;
    let carries_data = control & 0x40 == 0;
    if !is_data || !carries_data {
        return Err(Skip::NotIp);
    }
    if flags & 0x40 != 0 {
        return Err(Skip::Encrypted);
    }
    let between_access_points = flags & 0x03 == 0x03;
    let is_qos = control & 0x80 != 0;
    let has_ht_control = is_qos && flags & 0x80 != 0;
    let mut len = 24_usize;
    for (is_there, extra) in [(between_access_points, 6), (is_qos, 2), (has_ht_control, 4)] {
        len = len.saturating_add(if is_there { extra } else { 0 });
    }
    packet.take_slice(if is_padded { len.next_multiple_of(4) } else { len })?;
    link::llc(packet)
}
