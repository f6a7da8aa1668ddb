//! One end of a connection, as each segment's is compared with those of connections.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// One end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Endpoint {
    pub(crate) addr: IpAddr,
    pub(crate) port: u16,
}

/// The same in whole words, which are compared and mixed without a look at the version of IP.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// The halves of an IPv6 address; of IPv4 there is only the lower one.
    pub(crate) addr: [u64; 2],
    /// The port, and above it [`End::IPV6`].
    pub(crate) port: u64,
}

impl End {
    /// Tells an IPv6 address from one of IPv4.
    pub(crate) const IPV6: u64 = 1 << 16;

    /// The same as an address and a port.
    pub(crate) fn endpoint(self) -> Endpoint {
        let [high, low] = self.addr;
        let port = u16::try_from(self.port & u64::from(u16::MAX)).unwrap_or_default();
        let addr = if self.port & Self::IPV6 == 0 {
            Ipv4Addr::from_bits(u32::try_from(low).unwrap_or_default()).into()
        } else {
            Ipv6Addr::from_bits(u128::from(high) << 64 | u128::from(low)).into()
        };
        Endpoint { addr, port }
    }
}

impl From<Endpoint> for End {
    #[inline]
    fn from(Endpoint { addr, port }: Endpoint) -> Self {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_given_back_as_it_was() {
        for addr in ["192.0.2.1", "255.255.255.255", "::", "::ffff:192.0.2.1", "2001:db8::1:2"] {
            let endpoint = Endpoint { addr: addr.parse().unwrap(), port: 65_535 };
            assert_eq!(End::from(endpoint).endpoint(), endpoint);
        }
    }
}
