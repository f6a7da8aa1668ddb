//! Puts the fragments of datagrams together (RFC 791 section 3.2, RFC 8200 section 4.5), as far as
//! headers and a length need it: of the octets only the first ones are kept. Datagrams of tunnels
//! count as well: a full segment inside one seldom fits the path's MTU.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use super::datagram::IpHeader;
use super::scope::Scope;
use crate::units::{Duration, Timestamp};

/// Datagrams of which some fragments came.
#[derive(Debug, Default)]
pub(super) struct FragmentTable {
    datagrams: BTreeMap<Key, Datagram>,
    /// Oldest first; what is no longer in `datagrams` is done.
    order: VecDeque<(Timestamp, Key)>,
    /// The last one that was whole, and when: a capture of two interfaces holds its last fragment twice.
    last_whole: Option<(Key, Timestamp)>,
    given_up: u64,
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

/// A datagram that is whole.
#[derive(Debug)]
pub(super) struct Whole {
    /// What was captured of its first [`FragmentTable::HEAD_MAX`] octets.
    pub(super) head: Vec<u8>,
    /// Its length in octets, without the IP header.
    pub(super) len: u32,
}

#[derive(Debug, Default)]
struct Datagram {
    since: Timestamp,
    head: Vec<u8>,
    /// What of `head` was captured.
    head_ranges: Ranges,
    /// What came, whether captured or not.
    ranges: Ranges,
    /// Known from the last fragment.
    len: Option<u32>,
}

impl FragmentTable {
    /// Datagrams waited for at once. 4096 of them take at most 6 MB.
    const DATAGRAMS_MAX: usize = 4096;
    /// The headers of a VXLAN packet with IPv6 and all TCP options inside take 138 octets; Geneve
    /// and GTP-U have options besides.
    const HEAD_MAX: usize = 256;
    /// The same identification comes no sooner in another datagram: 65 536 of them, in whole frames, take
    /// 10 Gbit/s so long (RFC 4963 section 2 says 0.8 s at 1 Gbit/s).
    const REUSE_MIN: Duration = Duration::from_millis(80);
    /// RFC 8200 section 4.5: given up after 60 s.
    const TIMEOUT: Duration = Duration::from_secs(60);

    /// Takes a fragment; gives its datagram once that is whole.
    pub(super) fn on_fragment(
        &mut self,
        now: Timestamp,
        scope: Scope,
        ip: &IpHeader,
        bytes: &[u8],
    ) -> Option<Whole> {
        let fragment = ip.fragment?;
        self.forget_old(now);
        let key = Key { scope, src: ip.src, dst: ip.dst, protocol: ip.protocol, id: fragment.id };
        let is_copy = |(whole, time)| whole == key && now.since(time) < Self::REUSE_MIN;
        if self.last_whole.is_some_and(is_copy) {
            return None;
        }
        let order = &mut self.order;
        let datagram = self.datagrams.entry(key).or_insert_with(|| {
            order.push_back((now, key));
            Datagram { since: now, ..Datagram::default() }
        });
        let end = fragment.offset.saturating_add(ip.payload_len);
        datagram.keep_head(fragment.offset, bytes);
        if !fragment.has_more {
            datagram.len = Some(end);
        }
        datagram.ranges.add(fragment.offset, end);
        if !datagram.is_whole() {
            return None;
        }
        let mut datagram = self.datagrams.remove(&key)?;
        self.last_whole = Some((key, now));
        datagram.head.truncate(to_index(datagram.head_ranges.len_from_start()));
        Some(Whole { head: datagram.head, len: datagram.len? })
    }

    /// Datagrams that lack fragments: given up, or still waited for.
    pub(super) fn incomplete_count(&self) -> u64 {
        self.given_up.saturating_add(u64::try_from(self.datagrams.len()).unwrap_or(u64::MAX))
    }

    #[cfg(test)]
    pub(super) fn waiting_count(&self) -> usize {
        self.datagrams.len().max(self.order.len())
    }

    fn forget_old(&mut self, now: Timestamp) {
        while let Some(&(since, key)) = self.order.front() {
            // The identification may be in use again, by a later datagram.
            let is_done = self.datagrams.get(&key).is_none_or(|datagram| datagram.since != since);
            let is_old = now.since(since) > Self::TIMEOUT;
            if !is_done && !is_old && self.order.len() < Self::DATAGRAMS_MAX {
                return;
            }
            self.order.pop_front();
            if !is_done {
                self.given_up = self.given_up.saturating_add(1);
                self.datagrams.remove(&key);
            }
        }
    }
}

impl Datagram {
    /// Copies what belongs into the head; of octets that come twice the last copy counts.
    fn keep_head(&mut self, offset: u32, bytes: &[u8]) {
        let start = to_index(offset);
        let end = start.saturating_add(bytes.len()).min(FragmentTable::HEAD_MAX);
        if end > self.head.len() && start < end {
            self.head.resize(end, 0);
        }
        let Some(room) = self.head.get_mut(start..end) else { return };
        room.iter_mut().zip(bytes).for_each(|(kept, byte)| *kept = *byte);
        self.head_ranges.add(offset, u32::try_from(end).unwrap_or(u32::MAX));
    }

    fn is_whole(&self) -> bool {
        let is_complete = |len| self.ranges.len_from_start() >= len && self.ranges.0.len() == 1;
        self.len.is_some_and(is_complete) && self.head_ranges.len_from_start() > 0
    }
}

/// Starts and ends, disjoint and in order.
#[derive(Debug, Default)]
struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    /// Pieces of one datagram that do not touch each other. A datagram of 65 535 octets has 45
    /// fragments of an Ethernet frame's size.
    const RANGES_MAX: usize = 64;

    /// Notes `start..end`, joined with what it touches. Overlaps, as in teardrop attacks, only join.
    fn add(&mut self, start: u32, end: u32) {
        let (mut start, mut end) = (start, end);
        self.0.retain(|&(from, to)| {
            let is_apart = to < start || from > end;
            if !is_apart {
                start = start.min(from);
                end = end.max(to);
            }
            is_apart
        });
        if self.0.len() < Self::RANGES_MAX {
            let at = self.0.partition_point(|&(from, _)| from < start);
            self.0.insert(at, (start, end));
        }
    }

    /// How much there is from the start of the datagram on.
    fn len_from_start(&self) -> u32 {
        match self.0.as_slice() {
            [(0, end), ..] => *end,
            _ => 0,
        }
    }
}

fn to_index(offset: u32) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
