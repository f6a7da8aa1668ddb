//! How much passed the bottleneck while it worked without a pause?

/// A stretch of a busy period.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Stretch {
    /// Octets of frames acknowledged.
    pub(super) octets: f64,
    pub(super) seconds: f64,
}

impl Stretch {
    /// Segments whose spacing tells a rate: so many that a pair acknowledged together is a small part.
    pub(super) const SEGMENTS_MIN: f64 = 16.0;

    /// Bits per second.
    pub(super) fn rate(self) -> f64 {
        self.octets * 8.0 / self.seconds
    }

    /// All of them as one.
    pub(super) fn sum<'a>(stretches: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        for stretch in stretches {
            sum.add(*stretch);
        }
        sum
    }

    pub(super) fn add(&mut self, other: Self) {
        self.octets += other.octets;
        self.seconds += other.seconds;
    }
}
