//! What does a payload cost on the wire? Each segment of it takes its headers along.

use crate::sender::{Send, SendKind};
use crate::units::Bytes;
use crate::wire::Decoder;

/// Payload and whole frames of what was sent lately.
#[derive(Debug, Default)]
pub(super) struct WireOctets {
    payload: f64,
    frames: f64,
    /// Largest wire segment, headers included.
    pub(super) segment: f64,
    /// SMSS and headers of the last send.
    last: (Bytes, u32),
    /// The same headers.
    headers: f64,
    /// So much payload is enough.
    payload_max: f64,
}

impl WireOctets {
    /// Full segments over which the mean is taken before the older half loses half of its weight.
    const SEGMENTS: f64 = 256.0;

    /// As many headers as are decoded, of the longest that IP and TCP have (60 octets, RFC 791 and RFC 9293).
    /// What a record says beyond is damaged: one such length would be the largest segment for good.
    const HEADERS_MAX: u32 = Decoder::LAYERS_MAX * 60;

    pub(super) fn on_send(&mut self, send: &Send) {
        if send.len == Bytes(0) || send.kind != SendKind::New {
            return;
        }
        // Nearly all are like the one before.
        if self.last != (send.smss, send.headers_len) {
            self.last = (send.smss, send.headers_len);
            if send.headers_len <= Self::HEADERS_MAX {
                self.headers = f64::from(send.headers_len);
            }
            self.segment = self.segment.max(send.smss.as_f64() + self.headers);
            self.payload_max = send.smss.as_f64() * Self::SEGMENTS;
        }
        let payload = send.len.as_f64();
        self.payload += payload;
        self.frames += payload + f64::from(send.segments) * self.headers;
        if self.payload > self.payload_max {
            self.payload /= 2.0;
            self.frames /= 2.0;
        }
    }

    /// The frames that carry so much payload.
    pub(super) fn of(&self, payload: Bytes) -> f64 {
        self.of_rate(payload.as_f64())
    }

    /// The same of a rate.
    pub(super) fn of_rate(&self, payload: f64) -> f64 {
        let ratio = if self.payload > 0.0 { self.frames / self.payload } else { 1.0 };
        payload * ratio
    }
}
