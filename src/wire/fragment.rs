//! Puts the fragments of TCP and tunnel datagrams together (RFC 791 section 3.2, RFC 8200 section 4.5), as far
//! as a header and a length need it: of the octets only the first ones are kept.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

use super::ip::IpHeader;
use super::scope::Scope;
use crate::units::Timestamp;

/// Datagrams of which some fragments came.
#[derive(Debug, Default)]
pub(super) struct FragmentTable {
    datagrams: BTreeMap<Key, Datagram>,
    /// Oldest first; what is no longer in `datagrams` is done.
    order: VecDeque<(Timestamp, Key)>,
}

/// RFC 791: source, destination, protocol and identification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    scope: Scope,
    src: IpAddr,
    dst: IpAddr,
    protocol: u8,
    id: u32,
}

#[derive(Debug, Default)]
struct Datagram {
    head: Vec<u8>,
    /// Start and end of what came, disjoint and in order.
    ranges: Vec<(u32, u32)>,
    /// Known from the last fragment.
    len: Option<u32>,
}

impl FragmentTable {
    /// Datagrams waited for at once. 4096 of them take about 3 MB.
    const DATAGRAMS_MAX: usize = 4096;
    /// Pieces of one datagram that do not touch each other. A datagram of 65 535 octets has 45
    /// fragments of an Ethernet frame's size.
    const RANGES_MAX: usize = 64;
    /// A TCP header has at most 60 octets; a tunnel adds a few headers before it.
    const HEAD_MAX: usize = 256;
    /// RFC 8200 section 4.5: given up after 60 s.
    const TIMEOUT: Duration = Duration::from_secs(60);

    /// Takes a fragment; gives the first octets and the length of its datagram once it is whole.
    pub(super) fn on_fragment(
        &mut self,
        now: Timestamp,
        scope: Scope,
        ip: &IpHeader,
        bytes: &[u8],
    ) -> Option<(Vec<u8>, u32)> {
        let fragment = ip.fragment?;
        self.forget_old(now);
        let key = Key { scope, src: ip.src, dst: ip.dst, protocol: ip.protocol, id: fragment.id };
        let order = &mut self.order;
        let datagram = self.datagrams.entry(key).or_insert_with(|| {
            order.push_back((now, key));
            Datagram::default()
        });
        let end = fragment.offset.saturating_add(ip.payload_len);
        if fragment.offset == 0 {
            datagram.head = bytes.get(..Self::HEAD_MAX).unwrap_or(bytes).to_vec();
        }
        if !fragment.has_more {
            datagram.len = Some(end);
        }
        datagram.add(fragment.offset, end);
        if !datagram.is_whole() {
            return None;
        }
        let datagram = self.datagrams.remove(&key)?;
        Some((datagram.head, datagram.len?))
    }

    fn forget_old(&mut self, now: Timestamp) {
        while let Some(&(since, key)) = self.order.front() {
            let is_done = !self.datagrams.contains_key(&key);
            let is_old = now.since(since) > Self::TIMEOUT;
            if !is_done && !is_old && self.order.len() < Self::DATAGRAMS_MAX {
                return;
            }
            self.order.pop_front();
            self.datagrams.remove(&key);
        }
    }
}

impl Datagram {
    /// Notes `start..end`, joined with what it touches. Overlaps, as in teardrop attacks, only join.
    fn add(&mut self, start: u32, end: u32) {
        let (mut start, mut end) = (start, end);
        self.ranges.retain(|&(from, to)| {
            let is_apart = to < start || from > end;
            if !is_apart {
                start = start.min(from);
                end = end.max(to);
            }
            is_apart
        });
        if self.ranges.len() < FragmentTable::RANGES_MAX {
            let at = self.ranges.partition_point(|&(from, _)| from < start);
            self.ranges.insert(at, (start, end));
        }
    }

    fn is_whole(&self) -> bool {
        match (self.ranges.as_slice(), self.len) {
            (&[(0, end)], Some(len)) => end >= len && !self.head.is_empty(),
            _ => false,
        }
    }
}
