//! How many reports are kept? As many as a reader may want, unless memory is short.

/// What is kept of all flows together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// Reports kept at least.
    pub(super) reports: usize,
    /// Flows whose paths are told together.
    pub(super) open: usize,
}

impl Default for Room {
    /// Of flows whose paths are told together more than any program opens at once to one host (browsers
    /// six, speed tests up to 32).
    fn default() -> Self {
        Self { reports: 10_000, open: 128 }
    }
}

impl Room {
    /// Of a short flow; most are smaller.
    const REPORT_OCTETS: u64 = 4 << 10;
    /// What it takes at most to tell a path anew.
    const OPEN_OCTETS: u64 = 150_000;

    /// Of the `octets` that the whole program may take a quarter is for reports, and an eighth for telling
    /// paths anew; there may be twice as many of both for a while.
    pub(crate) fn within(octets: u64) -> Self {
        let all = Self::default();
        let count = |octets: u64, each: u64| {
            usize::try_from(octets.checked_div(each.saturating_mul(2)).unwrap_or(0))
                .unwrap_or(usize::MAX)
        };
        Self {
            reports: all.reports.min(count(octets / 4, Self::REPORT_OCTETS)),
            open: all.open.min(count(octets / 8, Self::OPEN_OCTETS)),
        }
    }

    /// Where there are as many reports, only so many as there is room for are kept.
    pub(super) fn reports_max(&self) -> usize {
        self.reports.saturating_mul(2)
    }

    /// More are not kept once there were too many.
    pub(super) fn reports_with_surplus(&self) -> usize {
        self.reports.saturating_add((self.reports / 4).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_fewer_only_where_memory_is_short() {
        assert_eq!(Room::within(512 << 20), Room::default());
        let small = Room::within(64 << 20);
        assert_eq!((small.reports, small.open), (2048, 27));
        let octets = |room: Room| {
            2 * (room.reports as u64 * Room::REPORT_OCTETS + room.open as u64 * Room::OPEN_OCTETS)
        };
        assert!(octets(small) <= (64 << 20) / 8 * 3);
    }
}
