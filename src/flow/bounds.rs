//! What a table of connections may hold, and what it counts.

use crate::units::Bytes;

/// How much a [`FlowTable`](super::FlowTable) may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableBounds {
    /// Those that were handed on and wait for late segments are of them.
    pub(crate) connections_max: usize,
    /// Estimate of all that the table and its consumers hold.
    pub(crate) memory_max: Bytes,
}

impl Default for TableBounds {
    fn default() -> Self {
        Self::within(512 << 20)
    }
}

impl TableBounds {
    /// What the program takes beside connections and reports, with a few threads: their buffers, and
    /// what the allocator keeps for each of them.
    const BESIDE: u64 = 96 << 20;

    /// Leaves half of the `octets` that the whole program may take to everything else: the reports
    /// that are kept, and what the allocator cannot use; more than half where they are few.
    pub(crate) fn within(octets: u64) -> Self {
        let rest = octets.saturating_sub(Self::BESIDE).max(octets / 8);
        Self { connections_max: 1 << 20, memory_max: Bytes(rest.min(octets / 2)) }
    }

    /// All that the machine has.
    pub(crate) fn unbounded() -> Self {
        // Places in the table have 32 bits.
        Self { connections_max: (1 << 31), memory_max: Bytes(u64::MAX) }
    }

    /// What each of `count` tables may hold that share one capture.
    pub(crate) fn part(self, count: usize) -> Self {
        let connections_max = self.connections_max.checked_div(count);
        let memory_max = self.memory_max.0.checked_div(count as u64);
        Self {
            connections_max: connections_max.unwrap_or(self.connections_max),
            memory_max: memory_max.map_or(self.memory_max, Bytes),
        }
    }
}

/// What became of the connections so far.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableCounts {
    /// All connections seen.
    pub(crate) connections: u64,
    /// Handed on early for lack of memory: opened, never established.
    pub(crate) evicted_half_open: u64,
    /// Handed on early for lack of memory: closed, late segments of theirs count as new ones.
    pub(crate) evicted_closed: u64,
    /// Handed on early for lack of memory: in the middle of their life.
    pub(crate) evicted_open: u64,
}

impl TableCounts {
    /// Adds what became of the connections of another table.
    pub(crate) fn add(&mut self, other: Self) {
        let sum = u64::saturating_add;
        *self = Self {
            connections: sum(self.connections, other.connections),
            evicted_half_open: sum(self.evicted_half_open, other.evicted_half_open),
            evicted_closed: sum(self.evicted_closed, other.evicted_closed),
            evicted_open: sum(self.evicted_open, other.evicted_open),
        };
    }
}
