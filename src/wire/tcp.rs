//! TCP header, RFC 9293 section 3.1. Reads fields and judges nothing.

use super::TcpFlags;
use super::skip::Skip;
use crate::units::SeqNum;

/// The header up to the window; what the snap length may cut off comes later.
const LEAST: usize = 16;
/// The header without options.
const FIXED_LEN: u32 = 20;

/// A borrowed TCP header. Once built, no accessor but [`TcpHeader::header_len`] can fail.
pub(super) struct TcpHeader<'a> {
    least: &'a [u8; LEAST],
}

impl<'a> TcpHeader<'a> {
    /// Splits `bytes` into a header and what was captured of the options and the payload.
    ///
    /// # Errors
    /// `Truncated` if not even the window was captured.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), Skip> {
        let (least, rest) = bytes.split_first_chunk::<LEAST>().ok_or(Skip::Truncated)?;
        // Past checksum and urgent pointer.
        let Some((_, options)) = rest.split_first_chunk::<4>() else {
            return Ok((Self { least }, &[]));
        };
        Ok((Self { least }, options))
    }

    pub(super) fn src_port(&self) -> u16 {
        u16::from_be_bytes([self.least[0], self.least[1]])
    }

    pub(super) fn dst_port(&self) -> u16 {
        u16::from_be_bytes([self.least[2], self.least[3]])
    }

    pub(super) fn seq(&self) -> SeqNum {
        SeqNum(u32::from_be_bytes([self.least[4], self.least[5], self.least[6], self.least[7]]))
    }

    /// `None` without the ACK flag.
    pub(super) fn ack(&self) -> Option<SeqNum> {
        let ack = [self.least[8], self.least[9], self.least[10], self.least[11]];
        self.flags().has(TcpFlags::ACK).then(|| SeqNum(u32::from_be_bytes(ack)))
    }

    /// Octets of header and options.
    ///
    /// # Errors
    /// `BadLength` if the data offset is below 5.
    pub(super) fn header_len(&self) -> Result<u32, Skip> {
        let len = u32::from(self.least[12] >> 4).saturating_mul(4);
        if len < FIXED_LEN { Err(Skip::BadLength) } else { Ok(len) }
    }

    pub(super) fn flags(&self) -> TcpFlags {
        TcpFlags(u16::from_be_bytes([self.least[12] & 0x01, self.least[13]]))
    }

    /// SEG.WND before the shift of RFC 7323 section 2.2; only the flow knows the shift.
    pub(super) fn window_unscaled(&self) -> u16 {
        u16::from_be_bytes([self.least[14], self.least[15]])
    }
}
