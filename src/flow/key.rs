//! Which connection does a segment belong to: the unordered pair of its endpoints within one
//! virtual network.

use std::hash::{Hash, Hasher};

use crate::wire::{End, Endpoint, Scope, Segment};

/// The same for both directions of a connection. In whole words: each segment's is compared with
/// that of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FlowKey {
    scope: Scope,
    /// Addresses of the two ends.
    low: [u64; 2],
    high: [u64; 2],
    /// Ports of the two ends, the lower end's in the upper half.
    ports: u64,
}

impl FlowKey {
    /// The key, and whether the segment came from its `low` end. A connection of an endpoint with
    /// itself has one direction only, as in Wireshark.
    #[inline]
    pub(super) fn of(segment: &Segment) -> (Self, bool) {
        let (src, dst) = (&segment.src, &segment.dst);
        let is_from_low = !is_above(src, dst);
        // Places are chosen, not values: which way segments go no branch predictor foretells.
        let (low, high) = if is_from_low { (src, dst) } else { (dst, src) };
        let ports = low.port << 32 | high.port;
        (Self { scope: segment.scope, low: low.addr, high: high.addr, ports }, is_from_low)
    }

    pub(super) fn scope(&self) -> Scope {
        self.scope
    }

    /// The same endpoints, outside any virtual network.
    pub(super) fn plain(&self) -> Self {
        Self { scope: Scope(0), ..*self }
    }

    /// The same endpoints in another virtual network.
    pub(super) fn within(&self, scope: Scope) -> Self {
        Self { scope, ..*self }
    }

    /// Both ends, the one named by `is_low_first` in front.
    pub(super) fn endpoints(&self, is_low_first: bool) -> (Endpoint, Endpoint) {
        let low = End { addr: self.low, port: self.ports >> 32 }.endpoint();
        let high = End { addr: self.high, port: self.ports & u64::from(u32::MAX) }.endpoint();
        if is_low_first { (low, high) } else { (high, low) }
    }
}

/// An order, whichever.
#[inline]
fn is_above(one: &End, other: &End) -> bool {
    let whole = |[high, low]: [u64; 2]| u128::from(high) << 64 | u128::from(low);
    let (addr, other_addr) = (whole(one.addr), whole(other.addr));
    if addr == other_addr { one.port > other.port } else { addr > other_addr }
}

/// Few wide writes: hashing is on the path of every segment.
impl Hash for FlowKey {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call takes as long")]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let ([low_high, low], [high_high, high]) = (self.low, self.high);
        if self.ports & End::IPV6 == 0 {
            state.write_u64(low << 32 | high);
        } else {
            state.write_u64(low_high);
            state.write_u64(low);
            state.write_u64(high_high);
            state.write_u64(high);
        }
        state.write_u64(self.scope.0);
        state.write_u64(self.ports);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IPv6 addresses that hold an IPv4 address are others.
    #[test]
    fn ends_are_ordered_and_told_apart() {
        let addrs = ["0.0.0.1", "192.0.2.1", "::1", "::192.0.2.1", "1::", "1::1"];
        let ends = addrs.into_iter().flat_map(|addr| {
            [1, 2].map(|port| End::from(Endpoint { addr: addr.parse().unwrap(), port }))
        });
        let ends: Vec<End> = ends.collect();
        for (at, one) in ends.iter().enumerate() {
            for (other_at, other) in ends.iter().enumerate() {
                let is_same = at == other_at;
                assert_eq!(one == other, is_same);
                let is_above = (is_above(one, other), is_above(other, one));
                assert!(if is_same {
                    is_above == (false, false)
                } else {
                    is_above.0 != is_above.1
                });
            }
        }
    }
}
