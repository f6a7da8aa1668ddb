//! Colours. Those of the limits keep a distance of 13 or more in CIELAB from each other, also for
//! readers with protanopia, deuteranopia or tritanopia (after Okabe and Ito; simulated as Machado et
//! al. 2009); letters and patterns tell them apart without any.

use super::Theme;
use super::shape::Color;
use crate::model::Limit;

/// A pattern over a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    Plain,
    Dots,
    Rising,
    Falling,
    Crossed,
}

/// What a line stands for, as far as colours go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// Goodput, flight, new data, samples by segment end.
    Main,
    /// Pipe.
    Sky,
    /// Receive window, fast retransmissions.
    Vermilion,
    /// Congestion window, SACK.
    Purple,
    /// Send buffer, queueing delay.
    Amber,
    /// Capacity, acknowledgments, samples by timestamp.
    Green,
}

impl Theme {
    fn pick(self, light: u32, dark: u32) -> Color {
        let [_, red, green, blue] = if self == Self::Light { light } else { dark }.to_be_bytes();
        Color(red, green, blue, 1.0)
    }

    pub(super) fn paper(self) -> Color {
        self.pick(0xff_ffff, 0x11_1827)
    }

    pub(super) fn text(self) -> Color {
        self.pick(0x11_1111, 0xe5_e7eb)
    }

    pub(super) fn muted(self) -> Color {
        self.pick(0x55_5555, 0xa9_b1bd)
    }

    pub(super) fn grid(self) -> Color {
        self.pick(0xe4_e4e4, 0x2b_3648)
    }

    /// Over stretches of which nothing is known.
    pub(super) fn unknown(self) -> Color {
        self.pick(0xc8_c8c8, 0x4b_5563)
    }

    pub(super) fn ink(self, ink: Ink) -> Color {
        match ink {
            Ink::Main => self.pick(0x00_72b2, 0x6c_b4ee),
            Ink::Sky => self.pick(0x3f_a3d8, 0xa5_dcf7),
            Ink::Vermilion => self.pick(0xd5_5e00, 0xf0_7b3c),
            Ink::Purple => self.pick(0xaa_3377, 0xee_6ab0),
            Ink::Amber => self.pick(0xe6_9f00, 0xf0_b429),
            Ink::Green => self.pick(0x00_8f68, 0x34_c79a),
        }
    }

    pub(super) fn limit(self, limit: Limit) -> (Color, Pattern) {
        match limit {
            Limit::Application => (self.pick(0xbb_bbbb, 0xd1_d5db), Pattern::Dots),
            Limit::HandshakeClose => (self.pick(0x56_b4e9, 0x7c_c8f2), Pattern::Plain),
            Limit::SendBuffer => (self.pick(0xe6_9f00, 0xf0_b429), Pattern::Rising),
            Limit::ReceiveWindow => (self.pick(0xd5_5e00, 0xe8_702a), Pattern::Falling),
            Limit::CongestionWindow => (self.pick(0xaa_3377, 0xe0_529c), Pattern::Crossed),
            Limit::CaptureGap | Limit::Unknown => (self.pick(0xee_eeee, 0x6b_7280), Pattern::Plain),
        }
    }
}
