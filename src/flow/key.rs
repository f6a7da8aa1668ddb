//! Which connection does a segment belong to: the unordered pair of its endpoints within one
//! virtual network.

use std::hash::{Hash, Hasher};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::wire::{Endpoint, Scope, Segment};

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

/// An endpoint in whole words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    /// The halves of an IPv6 address; of IPv4 there is only the lower one.
    addr: [u64; 2],
    /// The port, and above it [`End::IPV6`].
    port: u64,
}

impl FlowKey {
    /// The key, and whether the segment came from its `low` end. A connection of an endpoint with
    /// itself has one direction only, as in Wireshark.
    #[inline]
    pub(super) fn of(segment: &Segment) -> (Self, bool) {
        let (src, dst) = (End::of(segment.src), End::of(segment.dst));
        let is_from_low = !src.is_above(dst);
        // Which way segments go is a coin toss that no branch predictor wins.
        let turned = u64::from(is_from_low).wrapping_sub(1);
        let (low, high) = (src.or(dst, turned), dst.or(src, turned));
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

impl End {
    const IPV6: u64 = 1 << 16;

    #[inline]
    fn of(Endpoint { addr, port }: Endpoint) -> Self {
        let port = u64::from(port);
        match addr {
            IpAddr::V4(addr) => Self { addr: [0, u64::from(addr.to_bits())], port },
            IpAddr::V6(addr) => {
                let [high, low] = [addr.to_bits() >> 64, addr.to_bits() & u128::from(u64::MAX)]
                    .map(|half| u64::try_from(half).unwrap_or_default());
                Self { addr: [high, low], port: port | Self::IPV6 }
            }
        }
    }

    fn endpoint(self) -> Endpoint {
        let [high, low] = self.addr;
        let port = u16::try_from(self.port & u64::from(u16::MAX)).unwrap_or_default();
        let addr = if self.port & Self::IPV6 == 0 {
            Ipv4Addr::from_bits(u32::try_from(low).unwrap_or_default()).into()
        } else {
            Ipv6Addr::from_bits(u128::from(high) << 64 | u128::from(low)).into()
        };
        Endpoint { addr, port }
    }

    /// An order, whichever.
    #[inline]
    fn is_above(self, other: Self) -> bool {
        let ([high, low], [other_high, other_low]) = (self.addr, other.addr);
        let rest = |low: u64, port: u64| u128::from(low) << 32 | u128::from(port);
        let is_rest_above = rest(low, self.port) > rest(other_low, other.port);
        high > other_high || (high == other_high && is_rest_above)
    }

    /// `other` where the bits of `mask` are set.
    #[inline]
    fn or(self, other: Self, mask: u64) -> Self {
        let pick = |one: u64, other: u64| one ^ ((one ^ other) & mask);
        let ([a, b], [other_a, other_b]) = (self.addr, other.addr);
        Self { addr: [pick(a, other_a), pick(b, other_b)], port: pick(self.port, other.port) }
    }
}

/// Few wide writes: hashing is on the path of every segment.
impl Hash for FlowKey {
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

    #[test]
    fn an_end_is_given_back_as_it_was() {
        for addr in ["192.0.2.1", "255.255.255.255", "::", "::ffff:192.0.2.1", "2001:db8::1:2"] {
            let end = Endpoint { addr: addr.parse().unwrap(), port: 65_535 };
            assert_eq!(End::of(end).endpoint(), end);
        }
    }

    /// IPv6 addresses that hold an IPv4 address are others.
    #[test]
    fn ends_are_ordered_and_told_apart() {
        let addrs = ["0.0.0.1", "192.0.2.1", "::1", "::192.0.2.1", "1::", "1::1"];
        let ends = addrs.into_iter().flat_map(|addr| {
            [1, 2].map(|port| End::of(Endpoint { addr: addr.parse().unwrap(), port }))
        });
        let ends: Vec<End> = ends.collect();
        for (at, one) in ends.iter().enumerate() {
            for (other_at, other) in ends.iter().enumerate() {
                let is_same = at == other_at;
                assert_eq!(one == other, is_same);
                let is_above = (one.is_above(*other), other.is_above(*one));
                assert!(if is_same {
                    is_above == (false, false)
                } else {
                    is_above.0 != is_above.1
                });
            }
        }
    }
}
