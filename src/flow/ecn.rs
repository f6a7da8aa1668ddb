//! What the ECN bits of a segment say: ECE and CWR by RFC 3168, or by Accurate ECN (RFC 9768) a counter
//! of marked packets in three bits, which taken by themselves would look like ceaseless congestion.

use crate::units::StreamOffset;
use crate::wire::TcpFlags;

/// AE, CWR and ECE of one segment, as one number (ACE, RFC 9768 section 3.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EcnBits(u8);

impl EcnBits {
    /// A SYN that asks for Accurate ECN.
    const ASKED: Self = Self(0b111);
    /// Its answers, by how the SYN arrived (RFC 9768 section 3.1.2, table 2).
    const GRANTED: [Self; 4] = [Self(0b010), Self(0b011), Self(0b100), Self(0b110)];

    pub(super) fn of(flags: TcpFlags) -> Self {
        let bit = |mask, value| if flags.has(mask) { value } else { 0 };
        Self(bit(TcpFlags::AE, 4) | bit(TcpFlags::CWR, 2) | bit(TcpFlags::ECE, 1))
    }
}

/// How one side reports marked packets.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Echo {
    /// ECE until the sender answers by CWR.
    #[default]
    Classic,
    /// The last count of marked packets, modulo 8.
    Accurate(EcnBits),
}

impl Echo {
    /// Both counters start at 5 (RFC 9768 section 3.2.1).
    const START: EcnBits = EcnBits(5);

    /// What the SYNs of both sides agreed on, in any order.
    pub(super) fn negotiated(one: EcnBits, other: EcnBits) -> Self {
        let is_agreed =
            |asks: EcnBits, answers| asks == EcnBits::ASKED && EcnBits::GRANTED.contains(&answers);
        if is_agreed(one, other) || is_agreed(other, one) {
            Self::Accurate(Self::START)
        } else {
            Self::Classic
        }
    }

    /// Whether an acknowledgment of `ack` by this side reports packets that were marked.
    pub(super) fn tells_congestion(&mut self, flags: TcpFlags, ack: StreamOffset) -> bool {
        match self {
            Self::Classic => flags.has(TcpFlags::ECE),
            // The last ACK of the handshake tells how the SYN-ACK arrived (section 3.2.2.1).
            Self::Accurate(_) if ack <= StreamOffset(1) => false,
            Self::Accurate(count) => std::mem::replace(count, EcnBits::of(flags)) != *count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flags with this count in the three bits.
    fn ace(count: u16) -> TcpFlags {
        TcpFlags(count << 6)
    }

    #[test]
    fn a_counter_that_stands_still_is_no_congestion() {
        let mut echo = Echo::negotiated(EcnBits::of(ace(0b111)), EcnBits::of(ace(0b010)));
        let after_handshake = StreamOffset(1);
        assert!(!echo.tells_congestion(ace(0b010), after_handshake));
        let told = [5, 5, 6, 6, 7, 0, 0]
            .map(|count| echo.tells_congestion(ace(count), StreamOffset(1449)));
        assert_eq!(told, [false, false, true, false, true, true, false]);
    }

    #[test]
    fn without_agreement_the_bits_mean_what_they_always_did() {
        for answer in [0b000, 0b001, 0b101, 0b111] {
            let mut echo = Echo::negotiated(EcnBits::of(ace(answer)), EcnBits::of(ace(0b111)));
            assert!(echo.tells_congestion(ace(0b001), StreamOffset(1449)), "{answer:b}");
            assert!(!echo.tells_congestion(ace(0b010), StreamOffset(1449)), "{answer:b}");
        }
    }
}
